package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ngxlimit/ngxlimit/model/traffic"
	"github.com/ngxlimit/ngxlimit/rules/rule"
	"github.com/ngxlimit/ngxlimit/rules/run"
)

var known = []string{"limit-on-root", "missing-nodelay", "syntax"}

// names are what the files of the tests may name.
var names = Known{
	Rules: []*rule.Rule{{Name: "limit-on-root", Summary: "a root"}, {Name: "missing-nodelay"}, {Name: "syntax"}},
	Fan: func(name string) (*traffic.Fan, error) {
		if name != "portal" {
			return nil, fmt.Errorf("unknown fan %q", name)
		}
		return portal, nil
	},
}

var portal = &traffic.Fan{Name: "portal"}

func TestParse(t *testing.T) {
	tests := []struct {
		name, text string
		want       Settings
	}{
		{"empty", "", Settings{}},
		{"only a comment", "# nothing yet\n", Settings{}},
		{"everything", `
rules:
  limit-on-root: off
  missing-nodelay: error
  syntax: on
clients_per_address: 43
zones:
  per_ip: {expected_keys: 20_000}
  api:
    expected_keys: 5
    expected_clients: 7
proxies: [10.0.0.0/22, 10.20.0.5, "fd00::/8"]
background: [/hooks/]
interactive: [/api/]
fans:
  - fan: portal
  - {fan: portal, servers: [a.example], locations: [/wp-admin/]}
overrides:
  - files: [conf.d/old-*.conf]
    rules: {syntax: off, limit-on-root: on}
  - servers: ["*.example"]
    locations: [= /login]
    rules: {missing-nodelay: note}
`, Settings{
			Facts: rule.Settings{
				ClientsPerAddress: 43, ExpectedKeys: map[string]int64{"per_ip": 20000, "api": 5}, ExpectedClients: map[string]int64{"api": 7}, Front: rule.FrontProxy,
				Background: []string{"/hooks/"}, Interactive: []string{"/api/"},
				Fans: []rule.FanFor{{Fan: portal}, {Fan: portal, Servers: []string{"a.example"}, Locations: []string{"/wp-admin/"}}},
			},
			Overrides: []run.Override{
				{Files: []string{"conf.d/old-*.conf"}, Rules: map[string]rule.Severity{"syntax": run.Off, "limit-on-root": run.AsRuled}, Place: "f.yaml:19:5"},
				{Servers: []string{"*.example"}, Locations: []string{"= /login"}, Rules: map[string]rule.Severity{"missing-nodelay": rule.Note}, Place: "f.yaml:21:5"},
			},
			Off:        []string{"limit-on-root"},
			ZonePlaces: map[string]string{"per_ip": "f.yaml:8:3", "api": "f.yaml:9:3"},
			Severities: map[string]rule.Severity{"missing-nodelay": rule.Error},
		}},
		{"a proxy somewhere", "proxies: true", Settings{Facts: rule.Settings{Front: rule.FrontProxy}}},
		{"no proxy", "proxies: false", Settings{Facts: rule.Settings{Front: rule.FrontNone}}},
		{"an empty list of proxies", "proxies: []", Settings{Facts: rule.Settings{Front: rule.FrontNone}}},
		{"a key without a value", "rules:\n", Settings{}},
		{"a byte order mark", "\ufeffclients_per_address: 3\n", Settings{Facts: rule.Settings{ClientsPerAddress: 3}}},
		{"CRLF", "clients_per_address: 3\r\nproxies: true\r\n", Settings{Facts: rule.Settings{ClientsPerAddress: 3, Front: rule.FrontProxy}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := parse("f.yaml", []byte(tt.text), names)
			if err != nil {
				t.Fatal(err)
			}
			tt.want.Path = "f.yaml"
			if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreFields(Settings{}, "Proxies")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestProxies(t *testing.T) {
	got, err := parse("conf/f.yaml", []byte("proxies: [10.0.0.0/22, 10.20.0.5, cloudflare, 'fd00::/8', subnets.json]"), names)
	if err != nil {
		t.Fatal(err)
	}
	var text []string
	for _, p := range got.Proxies {
		text = append(text, p.String())
	}
	if want := []string{"10.0.0.0/22", "10.20.0.5/32", "fd00::/8"}; !slices.Equal(text, want) {
		t.Errorf("got %v, want %v", text, want)
	}
	names := []Named{{"cloudflare", "conf/f.yaml:1:35"}, {filepath.Join("conf", "subnets.json"), "conf/f.yaml:1:59"}}
	if !slices.Equal(got.ProxyNames, names) {
		t.Errorf("got %v, want %v", got.ProxyNames, names)
	}
}

// TestChain has a chain read as a list and as one word, with files beside the settings file.
func TestChain(t *testing.T) {
	for _, text := range []string{"chain: [cloudflare, alb=subnets.json, nginx=10.20.0.5]", "chain: cloudflare,alb=subnets.json,nginx=10.20.0.5"} {
		got, err := parse("conf/f.yaml", []byte(text), names)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Chain) != 3 || got.Chain[1].Proxy.Name != "alb" || got.Chain[1].Proxy.Files[0] != filepath.Join("conf", "subnets.json") || !strings.HasPrefix(got.Chain[2].Place, "conf/f.yaml:1:") {
			t.Errorf("%s: %+v", text, got.Chain)
		}
	}
}

// Each refusal names the place, and where a word is near, that word.
func TestRefusals(t *testing.T) {
	tests := []struct{ text, want string }{
		{"zone: {}", `f.yaml:1:1: unknown key "zone": did you mean "zones"?`},
		{"clients: 3", `f.yaml:1:1: unknown key "clients": did you mean "clients_per_address"?`},
		{"xyzzy: 3", `f.yaml:1:1: unknown key "xyzzy": want rules, overrides, clients_per_address, zones, fans, proxies, chain, background, interactive`},
		{"rules:\n  missing-nodely: off", `f.yaml:2:3: unknown rule "missing-nodely": did you mean "missing-nodelay"?`},
		{"rules:\n  syntax: fatal", `f.yaml:2:11: unknown value "fatal" for rule syntax: want on, off, error, warning, note`},
		{"rules:\n  syntax: {level: error}", `unknown value a mapping for rule syntax`},
		{"rules: [syntax]", `f.yaml:1:8: want a mapping (name: value), not a list`},
		{"clients_per_address: many", `f.yaml:1:22: "many" is no whole number of at least 1`},
		{"clients_per_address: 0", `f.yaml:1:22: "0" is no whole number of at least 1`},
		{"clients_per_address: 1.5", `"1.5" is no whole number`},
		{"zones:\n  a: {expected: 5}", `f.yaml:2:7: unknown key "expected": did you mean "expected_keys"?`},
		{"zones:\n  a: 5", `f.yaml:2:6: want a mapping (name: value), not "5"`},
		{"proxies: maybe", `f.yaml:1:10: unknown value "maybe" for proxies: want true, false, or a list of networks`},
		{"proxies: [clodflare]", `f.yaml:1:11: unknown front "clodflare": did you mean "cloudflare"?`},
		{"proxies: [10.0.0.0/33]", `f.yaml:1:11: "10.0.0.0/33" is no network`},
		{"proxies: ['2001:db8::/200']", `f.yaml:1:11: "2001:db8::/200" is no network`},
		{"proxies: [{}]", `f.yaml:1:11: a mapping is no network`},
		{"chain: [clodflare]", `f.yaml:1:9: unknown proxy "clodflare": did you mean "cloudflare"?`},
		{"chain: [{}]", `f.yaml:1:9: want a proxy such as alb or alb=subnets.json, not a mapping`},
		{"chain: {alb: a}", `f.yaml:1:8: want a list of proxies such as [cloudflare, alb=subnets.json], not a mapping`},
		{"chain: 'alb,,nginx'", `f.yaml:1:8: a proxy without a name`},
		{"chain: [alb:adds]", `f.yaml:1:9: alb: unknown word "adds": want appends, replaces, passes, proxy_protocol`},
		{"background: /hooks/", `f.yaml:1:13: want a list of URI prefixes`},
		{"background: [hooks]", `f.yaml:1:14: "hooks" is no URI prefix`},
		{"fans: portal", `f.yaml:1:7: want a list of fans, not "portal"`},
		{"fans: [portal]", `f.yaml:1:8: want a mapping (name: value), not "portal"`},
		{"fans:\n  - fan: portl", `f.yaml:2:10: unknown fan "portl"`},
		{"fans:\n  - servers: [a]", `f.yaml:2:`},
		{"fans:\n  - fan: portal\n    server: [a]", `f.yaml:3:5: unknown key "server": did you mean "servers"?`},
		{"overrides:\n  - rules: {syntax: off}", `an override without files, servers or locations`},
		{"overrides:\n  - files: [a]", `an override without rules`},
		{"overrides:\n  - files: [a]\n    rules: {syntx: off}", `f.yaml:3:13: unknown rule "syntx": did you mean "syntax"?`},
		{"overrides:\n  - files: [[a]]\n    rules: {syntax: off}", `f.yaml:2:13: want a file pattern, not a list`},
		{"rules: {", "f.yaml:1:"},
		{"a: b: c", "f.yaml:1:"},
		{"rules:\n  syntax: on\n  syntax: off", "f.yaml:3:"},
		{"rules: &a {syntax: on}\nzones: *a", `want a mapping (name: value), not an alias`},
		{"proxies: true\n---\nproxies: false", "a second document"},
		{"- rules", "want a mapping"},
		{"\x00", "f.yaml"},
	}
	for _, tt := range tests {
		_, err := parse("f.yaml", []byte(tt.text), names)
		if err == nil {
			t.Errorf("%q was taken", tt.text)
			continue
		}
		if !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: got  %s\nwant %s", tt.text, err, tt.want)
		}
		if strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: the error has several lines: %q", tt.text, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("rules: {syntax: off}\nproxies: [10.0.0.0/8]\n")
	f.Add("a: &x [*x]")
	f.Add("zones:\n  - a")
	f.Fuzz(func(_ *testing.T, text string) {
		if len(text) <= maxFile {
			parse("f.yaml", []byte(text), names) //nolint:errcheck // it must not panic
		}
	})
}

func TestFind(t *testing.T) {
	root := t.TempDir()
	deep := filepath.Join(root, "a", "b")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	if got, err := Find(deep); got != "" || err != nil {
		t.Skipf("a settings file lies above the temporary folder: %s, %v", got, err)
	}
	file := filepath.Join(root, FileName)
	if err := os.WriteFile(file, []byte("proxies: true\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := Find(deep); got != file || err != nil {
		t.Errorf("got %q, %v, want %q", got, err, file)
	}
	// What has the name and cannot be read is not passed over: somebody meant it to settle something.
	own := filepath.Join(deep, FileName)
	if err := os.Mkdir(own, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Find(deep); err == nil || !strings.Contains(err.Error(), own+" is a folder") {
		t.Errorf("a folder of the name: %v", err)
	}
	if err := os.Remove(own); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(root, "none"), own); err != nil {
		t.Log(err) // not every system lets everybody make links
		return
	}
	if _, err := Find(deep); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a link that leads nowhere: %v", err)
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	big := filepath.Join(dir, "big.yaml")
	if err := os.WriteFile(big, make([]byte, maxFile+1), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		filepath.Join(dir, "none.yaml"): "none.yaml: ",
		big:                             "larger than 64 KiB",
	} {
		if _, err := Load(path, Known{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", path, err, want)
		}
	}
	if s, err := Load("", Known{}); err != nil || s.Path != "" {
		t.Errorf("without a file: %v, %v", s, err)
	}
}

// Flags win over the file, and the file's value stays as it was.
func TestWith(t *testing.T) {
	s, err := parse("f.yaml", []byte("clients_per_address: 5\nzones: {a: {expected_keys: 1}, b: {expected_keys: 2}}"), names)
	if err != nil {
		t.Fatal(err)
	}
	got := s.With(Flags{ClientsPerAddress: 7, ExpectedKeys: map[string]int64{"b": 20, "c": 30}})
	if got.Facts.ClientsPerAddress != 7 {
		t.Errorf("clients: %d", got.Facts.ClientsPerAddress)
	}
	if diff := cmp.Diff(map[string]int64{"a": 1, "b": 20, "c": 30}, got.Facts.ExpectedKeys); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]int64{"a": 1, "b": 2}, s.Facts.ExpectedKeys); diff != "" {
		t.Error("the file's value changed:", diff)
	}
}

func TestSelect(t *testing.T) {
	all := []*rule.Rule{{Name: "limit-on-root"}, {Name: "missing-nodelay"}, {Name: "syntax"}}
	s := Settings{Off: []string{"limit-on-root"}}
	tests := []struct {
		name string
		f    Flags
		want []string
	}{
		{"the file's", Flags{}, []string{"missing-nodelay", "syntax"}},
		{"a flag wins", Flags{Enable: []string{"limit-on-root"}}, []string{"limit-on-root", "syntax"}},
		{"syntax stays", Flags{Enable: []string{"missing-nodelay"}}, []string{"missing-nodelay", "syntax"}},
		{"unless it is named", Flags{Enable: []string{"missing-nodelay"}, Disable: []string{"syntax"}}, []string{"missing-nodelay"}},
		{"off", Flags{Disable: []string{"missing-nodelay"}}, []string{"syntax"}},
	}
	for _, tt := range tests {
		got, err := s.Select(all, tt.f)
		if err != nil {
			t.Fatal(err)
		}
		if names := Names(got); !slices.Equal(names, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, names, tt.want)
		}
	}
	_, err := s.Select(all, Flags{Enable: []string{"missing-no-delay"}})
	if want := `--enable: unknown rule "missing-no-delay": did you mean "missing-nodelay"?`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if _, err := s.Select(all, Flags{Disable: known}); err == nil {
		t.Error("a run without rules was taken")
	}
}

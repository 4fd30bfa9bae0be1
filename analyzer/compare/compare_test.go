package compare_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/compare"
	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/load"
)

func resolve(t testing.TB, text string) *config.Tree {
	t.Helper()
	in, err := load.Load([]string{"-"}, load.Options{Stdin: strings.NewReader("events {}\nhttp {\n" + text + "\n}\n")})
	if err != nil {
		t.Fatal(err)
	}
	tree := config.Resolve(in[0], config.Options{})
	for _, r := range tree.Refusals {
		if !r.Warning {
			t.Fatalf("nginx refuses %q: %s", text, r.Text)
		}
	}
	return tree
}

// server is the one server of a configuration with one zone and one list of limits.
func server(zone, limits string) string {
	return "limit_req_zone " + zone + ";\nserver { listen 80; location / { " + limits + " root /srv; } }"
}

const address = "$binary_remote_addr zone=a:10m rate=5r/s"

// compareAt compares location / of the first server.
func compareAt(t testing.TB, old, renewed string) []compare.Difference {
	t.Helper()
	o, n := resolve(t, old), resolve(t, renewed)
	return compare.New(o, n).Levels(&o.HTTP.Servers[0].Locations[0].Level, &n.HTTP.Servers[0].Locations[0].Level)
}

func words(list []compare.Difference) string {
	var b strings.Builder
	for _, d := range list {
		fmt.Fprintf(&b, "%s %s: %s\n", d.Subject, d.Direction, d.Text)
	}
	return b.String()
}

func TestSame(t *testing.T) {
	plain := server(address, "limit_req zone=a burst=20 nodelay;")
	for name, renewed := range map[string]string{
		"order of parameters": server(address, "limit_req burst=20 zone=a nodelay;"),
		"zone renamed":        strings.ReplaceAll(server(address, "limit_req zone=a burst=20 nodelay;"), "=a", "=per_ip"),
		"a minute's rate":     server("$binary_remote_addr zone=a:10m rate=300r/m", "limit_req zone=a burst=20 nodelay;"),
		"the other address":   server("${remote_addr} zone=a:10m rate=5r/s", "limit_req zone=a burst=20 nodelay;"),
		"size in kilobytes":   server("$binary_remote_addr zone=a:10240k rate=5r/s", "limit_req zone=a burst=20 nodelay;"),
		"delay of the burst":  server(address, "limit_req zone=a burst=20 delay=20;"),
		"moved to the server": "limit_req_zone " + address + ";\nserver { listen 80; limit_req zone=a burst=20 nodelay; location / { root /srv; } }",
		"moved to http":       "limit_req_zone " + address + "; limit_req zone=a burst=20 nodelay;\nserver { listen 80; location / { root /srv; } }",
		"defaults written":    server(address, "limit_req zone=a burst=20 nodelay; limit_req_status 503; limit_req_dry_run off;"),
	} {
		t.Run(name, func(t *testing.T) {
			if got := words(compareAt(t, plain, renewed)); got != "" {
				t.Errorf("told:\n%s", got)
			}
			if got := words(compareAt(t, renewed, plain)); got != "" {
				t.Errorf("told the other way round:\n%s", got)
			}
		})
	}
}

func TestDirections(t *testing.T) {
	limited := "limit_req zone=a burst=20 nodelay;"
	trust := "set_real_ip_from 10.0.0.0/22; "
	for _, c := range []struct{ name, old, renewed, want, back string }{
		{
			"rate", server(address, limited), server("$binary_remote_addr zone=a:10m rate=30r/s", limited),
			"limit_req loosened: for each $binary_remote_addr 30r/s instead of 5r/s", "limit_req tightened",
		},
		{
			"burst", server(address, limited), server(address, "limit_req zone=a burst=5 nodelay;"),
			"limit_req tightened: for each $binary_remote_addr burst 5 at once instead of burst 20 at once", "limit_req loosened",
		},
		{
			"nodelay", server(address, "limit_req zone=a burst=20;"), server(address, limited),
			"limit_req loosened: for each $binary_remote_addr burst 20 at once instead of burst 20, held back", "limit_req tightened",
		},
		{
			"delay", server(address, limited), server(address, "limit_req zone=a burst=20 delay=5;"),
			"limit_req tightened: for each $binary_remote_addr burst 20, 5 of it at once instead of burst 20 at once", "limit_req loosened",
		},
		{
			"more of one and less of the other", server(address, limited), server("$binary_remote_addr zone=a:10m rate=1r/s", "limit_req zone=a burst=40 nodelay;"),
			"limit_req changed: for each $binary_remote_addr 1r/s with burst 40 at once instead of 5r/s with burst 20 at once", "limit_req changed",
		},
		{
			"key", server(address, limited), server("$http_x_forwarded_for zone=a:10m rate=5r/s", limited),
			"limit_req changed: 5r/s for each $http_x_forwarded_for (burst 20 at once): it counted for each $binary_remote_addr before", "limit_req changed",
		},
		{
			"lost", server(address, limited), server(address, ""),
			"limit_req lost: 5r/s for each $binary_remote_addr (burst 20 at once) no longer holds: no limit_req does", "limit_req gained",
		},
		{
			"lost to a list of its own",
			"limit_req_zone " + address + "; limit_req_zone $server_name zone=b:1m rate=9r/s;\nserver { listen 80; limit_req zone=a; location / { root /srv; } }",
			"limit_req_zone " + address + "; limit_req_zone $server_name zone=b:1m rate=9r/s;\nserver { listen 80; limit_req zone=a; location / { limit_req zone=b; root /srv; } }",
			"limit_req lost: 5r/s for each $binary_remote_addr (no burst) no longer holds: the limit_req written in the location takes the place of those around it", "limit_req lost",
		},
		{
			"size", server(address, limited), server("$binary_remote_addr zone=a:1m rate=5r/s", limited),
			"limit_req_zone other: its zone a has 1m instead of 10m", "limit_req_zone other",
		},
		{
			"status", server(address, limited), server(address, limited+" limit_req_status 429;"),
			"limit_req_status other: what is refused is answered 429 instead of 503", "limit_req_status other",
		},
		{
			"dry run", server(address, limited), server(address, limited+" limit_req_dry_run on;"),
			"limit_req_dry_run lost: limit_req is no longer enforced: what it would refuse is only counted", "limit_req_dry_run gained",
		},
		{
			"connections", "limit_conn_zone $server_name zone=c:1m;\nserver { listen 80; location / { limit_conn c 10; root /srv; } }",
			"limit_conn_zone $server_name zone=d:1m;\nserver { listen 80; location / { limit_conn d 1; root /srv; } }",
			"limit_conn tightened: for each $server_name 1 request at a time instead of 10", "limit_conn loosened",
		},
		{
			"trust", server(address, limited), trust + server(address, limited),
			`set_real_ip_from changed: the client's address is taken from what "10.0.0.0/22" say`, "set_real_ip_from changed",
		},
		{
			"trust of all", trust + server(address, limited), "set_real_ip_from 0.0.0.0/0; " + server(address, limited),
			`set_real_ip_from loosened: "0.0.0.0/0" are believed as well`, "set_real_ip_from changed",
		},
		{
			"header", trust + server(address, limited), trust + "real_ip_header X-Forwarded-For; " + server(address, limited),
			"real_ip_header changed: the client's address is taken from X-Forwarded-For instead of X-Real-IP", "real_ip_header changed",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := words(compareAt(t, c.old, c.renewed)); !strings.HasPrefix(got, c.want) {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if got := words(compareAt(t, c.renewed, c.old)); !strings.HasPrefix(got, c.back) {
				t.Errorf("the other way round: got  %s\nwant %s", got, c.back)
			}
		})
	}
}

// What a variable stands for is part of a key; its name and the order of a list are not.
func TestKeysOfBlocks(t *testing.T) {
	const lists = "geo $office { default 0; 10.0.0.0/8 1; 192.0.2.0/24 1; }\nmap $office $limit { 0 $binary_remote_addr; 1 \"\"; }\n"
	zone := "$limit zone=a:10m rate=5r/s"
	old := lists + server(zone, "limit_req zone=a;")
	for name, renewed := range map[string]string{
		"order":   "geo $office { 192.0.2.0/24 1; 10.0.0.0/8 1; default 0; }\nmap $office $limit { 1 \"\"; 0 $remote_addr; }\n" + server(zone, "limit_req zone=a;"),
		"renamed": strings.ReplaceAll(strings.ReplaceAll(old, "$limit", "$counted"), "$office", "$inside"),
	} {
		if got := words(compareAt(t, old, renewed)); got != "" {
			t.Errorf("%s: told:\n%s", name, got)
		}
	}
	more := strings.Replace(old, "192.0.2.0/24 1;", "192.0.2.0/24 1; 0.0.0.0/1 1;", 1)
	got := words(compareAt(t, old, more))
	want := `limit_req changed: 5r/s for each $limit (no burst): what $limit stands for is otherwise, with "0.0.0.0/1 1"`
	if strings.TrimSpace(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestSharing(t *testing.T) {
	const zones = "limit_req_zone $binary_remote_addr zone=a:10m rate=5r/s;\nlimit_req_zone $binary_remote_addr zone=b:10m rate=5r/s;\n"
	two := func(first, second string) *config.Tree {
		return resolve(t, zones+"server { listen 80; location /x { limit_req zone="+first+"; } location /y { limit_req zone="+second+"; } }")
	}
	together, apart := two("a", "a"), two("a", "b")
	told := func(o, n *config.Tree) string {
		c := compare.New(o, n)
		for i := range 2 {
			if list := c.Levels(&o.HTTP.Servers[0].Locations[i].Level, &n.HTTP.Servers[0].Locations[i].Level); len(list) > 0 {
				t.Errorf("told:\n%s", words(list))
			}
		}
		return words(c.Sharing())
	}
	if got := told(together, apart); !strings.HasPrefix(got, "limit_req_zone loosened: what zone a counted together is counted apart by a, b") {
		t.Error(got)
	}
	if got := told(apart, together); !strings.HasPrefix(got, "limit_req_zone tightened: what a, b counted apart is counted together by zone a") {
		t.Error(got)
	}
	if got := told(two("b", "b"), together); got != "" {
		t.Errorf("a renamed zone: %s", got)
	}
}

func TestServers(t *testing.T) {
	old := resolve(t, `
server { listen 80; server_name a.example; return 301 https://a.example; }
server { listen 443; server_name a.example www.a.example; }
server { listen 80; server_name gone.example; }
server { listen 8080; }`)
	renewed := resolve(t, `
server { listen 8080; }
server { listen 80; server_name new.example; }
server { listen 443; server_name www.a.example; }
server { listen 80; server_name a.example; return 301 https://a.example; }`)
	p := compare.Servers(old, renewed)
	var got []string
	for _, pair := range p.Both {
		got = append(got, fmt.Sprint(pair[0].Names[0].Text, pair[0].Listens[0].Port, "=", pair[1].Names[0].Text, pair[1].Listens[0].Port))
	}
	if text := strings.Join(got, " "); text != "8080=8080 a.example443=www.a.example443 a.example80=a.example80" {
		t.Error(text)
	}
	if len(p.Gone) != 1 || p.Gone[0].Names[0].Text != "gone.example" || len(p.Come) != 1 || p.Come[0].Names[0].Text != "new.example" {
		t.Errorf("gone %d, come %d", len(p.Gone), len(p.Come))
	}
}

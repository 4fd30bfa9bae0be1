package mend

import (
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/load"
	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/analyzer/route"
	"github.com/ngxlimit/ngxlimit/model/chain"
	"github.com/ngxlimit/ngxlimit/model/simulate"
	"github.com/ngxlimit/ngxlimit/model/traffic"
)

func treeOf(t *testing.T, path string) *config.Tree {
	t.Helper()
	in, err := load.Load([]string{path}, load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return config.Resolve(in[0], config.Options{Version: "1.22.1"})
}

func treeOfText(t *testing.T, text string) *config.Tree {
	t.Helper()
	path := filepath.Join(t.TempDir(), "nginx.conf")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return treeOf(t, path)
}

func fan(t *testing.T, name string) *traffic.Fan {
	t.Helper()
	f, err := traffic.Builtin(name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// find runs traffic and looks for a change.
func find(t *testing.T, tree *config.Tree, o simulate.Options) (*simulate.Mend, *simulate.Result) {
	t.Helper()
	r, err := simulate.Run(tree, route.New(tree), o)
	if err != nil {
		t.Fatal(err)
	}
	m, err := Find(tree, o, r)
	if err != nil {
		t.Fatal(err)
	}
	return m, r
}

func fixture(t *testing.T, elem ...string) string {
	t.Helper()
	return filepath.Join(append([]string{nginxtest.Root(t), "fixtures"}, elem...)...)
}

// TestPortal has the portal's limit mended by its burst and nodelay, every other change tried with its figures, and the
// change written down so that it can be made.
func TestPortal(t *testing.T) {
	tree := treeOf(t, fixture(t, "trustline", "before.dump"))
	o := simulate.Options{Detail: true, Crowds: []simulate.Crowd{{
		Fan: fan(t, "portal"), Clients: 43, PerAddress: []int{29, 14}, Arrival: simulate.Arrival{Kind: simulate.Poisson, Span: 5 * time.Minute},
	}}}
	m, r := find(t, tree, o)
	if m == nil || m.Change == nil {
		t.Fatalf("%+v", m)
	}
	c := m.Change
	if c.Kind != "burst+nodelay" || !c.Mends || c.After.Delayed+c.After.Rejected+c.After.BrokenPages != 0 || c.After.Requests != 43*23 {
		t.Errorf("%+v", c)
	}
	if c.After.PageP95Ms != r.Page.UnlimitedMs.P95 || c.Feels != "Nobody notices the limits." || m.After == nil || len(m.After.Waterfalls) != 2 {
		t.Errorf("%+v, after it %+v", c, m.After)
	}
	kinds := map[string]bool{}
	for i, c := range m.Tried {
		kinds[c.Kind] = true
		if c.After.Pages != 43 || c.Title == "" || len(c.Edits) == 0 || i > 0 && m.Tried[i-1].Cost > c.Cost {
			t.Errorf("%+v", c)
		}
		if c.Mends && c.Cost < m.Change.Cost {
			t.Errorf("%s costs less than %s", c.Title, m.Change.Title)
		}
	}
	for _, kind := range []string{"nodelay", "burst", "burst+nodelay", "rate", "exempt", "key"} {
		if !kinds[kind] {
			t.Errorf("%s was not tried", kind)
		}
	}
	in, err := tree.Input.Edited(c.Spans)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range in.Documents {
		if strings.HasSuffix(d.File.Path, "portal.conf") && !strings.Contains(d.File.Text, "limit_req zone=per_ip burst=") {
			t.Errorf("%s", d.File.Text)
		}
	}
	if m, _ := find(t, treeOf(t, fixture(t, "trustline", "after.dump")), o); m != nil {
		t.Errorf("nobody suffers, and %+v is offered", m)
	}
}

// TestBalancer has the proxies trusted before anything else is changed: what is counted in their place is nobody.
func TestBalancer(t *testing.T) {
	o := simulate.Options{Crowds: []simulate.Crowd{{Fan: fan(t, "block-editor"), Clients: 9}}}
	for _, node := range []string{"10.0.1.7/22", "10.0.5.7/22", "10.0.9.7/22"} {
		o.Via = append(o.Via, chain.Way{chain.Adding(netip.MustParsePrefix(node), "X-Forwarded-For")})
	}
	m, _ := find(t, treeOf(t, fixture(t, "alb", "before.dump")), o)
	if m == nil || len(m.Tried) < 5 {
		t.Fatalf("%+v", m)
	}
	trust := m.Tried[0]
	if trust.Kind != "trust" || trust.Title != "trust the proxies in 10.0.4.0/22 and 10.0.8.0/22" || trust.After.BrokenPages != 0 || m.Before.BrokenPages != 6 {
		t.Errorf("%+v before %+v", trust, m.Before)
	}
	for _, c := range m.Tried {
		if !strings.HasPrefix(c.Kind, "trust") {
			t.Errorf("%s leaves the proxies counted", c.Title)
		}
	}
	if m.Change == nil || m.Change.Kind != "trust+burst+nodelay" && m.Change.Kind != "trust+nodelay" {
		t.Errorf("%+v", m.Change)
	}
}

// TestKinds has each kind of change found where it is the smallest one.
func TestKinds(t *testing.T) {
	for _, c := range []struct {
		name, http, server string
		clients            int
		want               string
		text               string // in the configuration after it
	}{
		{
			"nodelay", `limit_req_zone $binary_remote_addr zone=z:1m rate=5r/s;`,
			`location / { limit_req zone=z burst=40; proxy_pass http://127.0.0.1:1; }`, 1, "nodelay", "limit_req zone=z burst=40 nodelay;",
		},
		{
			"delay", `limit_req_zone $binary_remote_addr zone=z:1m rate=5r/s;`,
			`location / { limit_req zone=z burst=40 delay=3; proxy_pass http://127.0.0.1:1; }`, 1, "nodelay", "limit_req zone=z burst=40 nodelay;",
		},
		{
			"burst", `limit_req_zone $binary_remote_addr zone=z:1m rate=5r/s;`,
			`location / { limit_req zone=z burst=9 nodelay; proxy_pass http://127.0.0.1:1; }`, 1, "burst", "limit_req zone=z burst=21 nodelay;",
		},
		{
			"no burst", `limit_req_zone $binary_remote_addr zone=z:1m rate=5r/s;`,
			`location / { limit_req zone=z; proxy_pass http://127.0.0.1:1; }`, 1, "burst+nodelay", "limit_req zone=z burst=21 nodelay;",
		},
		{
			"two limits", `limit_req_zone $binary_remote_addr zone=y:1m rate=5r/s; limit_req_zone $scheme zone=z:1m rate=9r/s;`,
			`location / { limit_req zone=y burst=40; limit_req zone=z burst=40; proxy_pass http://127.0.0.1:1; }`, 1, "nodelay",
			"limit_req zone=y burst=40 nodelay; limit_req zone=z burst=40 nodelay;",
		},
		{
			"connections", `limit_conn_zone $binary_remote_addr zone=c:1m;`,
			`location / { limit_conn c 4; proxy_pass http://127.0.0.1:1; }`, 1, "conn", "limit_conn c 14;",
		},
		{
			"two gates", `limit_req_zone $binary_remote_addr zone=y:1m rate=1r/s; limit_req_zone $binary_remote_addr zone=z:1m rate=5r/s;`,
			`location = / { limit_req zone=y; proxy_pass http://127.0.0.1:1; } location / { limit_req zone=z burst=30; proxy_pass http://127.0.0.1:1; }`,
			3, "burst+nodelay", "limit_req zone=y burst=2 nodelay;",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree := treeOfText(t, "events {}\nhttp {\n"+c.http+"\nserver { listen 80; "+c.server+" }\n}\n")
			m, _ := find(t, tree, simulate.Options{
				Protocol: simulate.HTTP2, Crowds: []simulate.Crowd{{Fan: fan(t, "portal"), Clients: c.clients, PerAddress: []int{c.clients}}},
			})
			if m == nil || m.Change == nil || m.Change.Kind != c.want {
				t.Fatalf("%+v", m)
			}
			in, err := tree.Input.Edited(m.Change.Spans)
			if err != nil || !strings.Contains(in.Main.File.Text, c.text) {
				t.Errorf("%v, %s", err, in.Main.File.Text)
			}
		})
	}
}

// TestAttack has no change taken that lets an attack through: counted together with it, people are let through only by
// counting each address alone.
func TestAttack(t *testing.T) {
	tree := treeOfText(t, `events {}
http {
    limit_req_zone $scheme zone=all:1m rate=10r/s;
    server { listen 80; location / { limit_req zone=all burst=30 nodelay; proxy_pass http://127.0.0.1:1; } }
}
`)
	flood := &traffic.Fan{
		Name: "flood", Role: traffic.Attack,
		Streams: []traffic.Stream{{Requests: []traffic.FanRequest{{Method: "GET", Path: "/", Kind: "html"}}, RatePerS: 300, DurationS: 20}},
	}
	m, r := find(t, tree, simulate.Options{Crowds: []simulate.Crowd{{Fan: fan(t, "portal")}, {Fan: flood}}})
	if r.Page.BrokenPages != 1 || m == nil || m.Change == nil || m.Change.Kind != "key" {
		t.Fatalf("%+v, %+v", r.Page, m)
	}
	if a := m.Change.After; a.AttackAll-a.AttackThrough < 5000 || a.Rejected != 0 {
		t.Errorf("%+v", a)
	}
}

// TestAccepted has the installed nginx take every change that is offered.
func TestAccepted(t *testing.T) {
	nginxtest.Binary(t)
	tree := treeOfText(t, `events {}
http {
    limit_req_zone $binary_remote_addr zone=z:1m rate=5r/s;
    server { listen 8080; location / { limit_req zone=z burst=9; proxy_pass http://127.0.0.1:1; } }
}
`)
	m, _ := find(t, tree, simulate.Options{
		Via: []chain.Way{{
			chain.Adding(netip.MustParsePrefix("192.0.2.9/32"), "X-Forwarded-For"), chain.Adding(netip.MustParsePrefix("10.0.0.5/24"), "X-Forwarded-For"),
		}},
		Crowds: []simulate.Crowd{{Fan: fan(t, "block-editor"), Clients: 4}},
	})
	if m == nil || len(m.Tried) < 8 {
		t.Fatalf("%+v", m)
	}
	for _, c := range m.Tried {
		in, err := tree.Input.Edited(c.Spans)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "nginx.conf")
		if err := os.WriteFile(path, []byte(in.Main.File.Text), 0o600); err != nil {
			t.Fatal(err)
		}
		if said := nginxtest.Check(t, filepath.Dir(path), path); !said.Accepted {
			t.Errorf("%s: %s\n%s", c.Title, said.Output, in.Main.File.Text)
		}
	}
	if !slices.ContainsFunc(m.Tried, func(c simulate.Change) bool { return strings.Contains(c.Kind, "exempt") }) {
		t.Error("no path was left out")
	}
}

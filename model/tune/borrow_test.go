package tune

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/load"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/analyzer/route"
)

const two = `events {}
http {
    limit_req_zone $binary_remote_addr zone=ip:1m rate=5r/s;
    server {
        listen 80;
        server_name a.example;
        location /api/ { limit_req zone=ip; proxy_pass http://127.0.0.1:1; }
        location /search/ { limit_req zone=ip; proxy_pass http://127.0.0.1:1; }
        location / { root /srv; }
    }
}`

func planOf(t *testing.T, people, attacked []string) *Plan {
	t.Helper()
	return planFor(t, two, people, attacked)
}

// planFor tunes for visits of people, four requests each to a path, and of an attacker, a hundred each.
func planFor(t *testing.T, conf string, people, attacked []string) *Plan {
	t.Helper()
	inputs, err := load.Load([]string{"-"}, load.Options{Stdin: strings.NewReader(conf)})
	if err != nil {
		t.Fatal(err)
	}
	tree := config.Resolve(inputs[0], config.Options{})
	c := NewCollector(tree, route.New(tree), Options{
		Share: 1, Login: func(uri string) bool { return strings.HasSuffix(uri, "login") }, Static: func(string) bool { return false },
		Attackers: func(client string) bool { return client == "198.51.100.9" },
	})
	add := func(at int64, client, path string) {
		addr, _ := request.ParseAddr(client)
		req := &request.Request{Method: "POST", Host: "a.example", Target: path, Peer: addr}
		if err := c.Add(&Visit{At: at, Request: req, Status: 200}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 4 {
		for who := range 3 {
			for _, path := range people {
				add(int64(i*10), fmt.Sprintf("203.0.113.%d", who+1), path)
			}
		}
	}
	for i := range 100 {
		for _, path := range attacked {
			add(int64(i*10), "198.51.100.9", path)
		}
	}
	plan, err := c.Plan()
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// A place where only an attacker goes is limited too, by what is known of people elsewhere.
func TestOnlyAttackers(t *testing.T) {
	for name, c := range map[string]struct {
		people, attacked []string
		want             []string // label, rate, burst, and what it rests on
	}{
		"as its neighbour":    {[]string{"/api/x"}, []string{"/search/x"}, []string{"/api/ 1r/s 3 ", "/search/ 1r/s 3 the limit is that of /api/"}},
		"as another login":    {[]string{"/login"}, []string{"/x/login"}, []string{"= /login 1r/m 3 ", "= /x/login 1r/m 3 the limit is that of = /login"}},
		"by custom":           {[]string{"/api/x"}, []string{"/login"}, []string{"= /login 10r/m 5 a custom, and not measured", "/api/ 1r/s 3 "}},
		"as elsewhere":        {[]string{"/a.html"}, []string{"/search/x"}, []string{"/search/ 1r/s 3 all that 3 clients who are people ask for"}},
		"where nobody is":     {nil, []string{"/search/x"}, nil},
		"a login and nothing": {nil, []string{"/login"}, []string{"= /login 10r/m 5 not measured"}},
	} {
		t.Run(name, func(t *testing.T) {
			plan := planOf(t, c.people, c.attacked)
			var got []string
			for _, g := range plan.Groups {
				if g.Kind != Total {
					chosen := g.Frontier[g.Chosen]
					got = append(got, fmt.Sprintf("%s %s %d %s", g.Label(), chosen.Text, chosen.Burst, g.Basis))
					if g.Basis != "" && (g.Attack != 100 || chosen.AttackRefused < 80) {
						t.Errorf("%s refuses %d of %d", g.Label(), chosen.AttackRefused, g.Attack)
					}
				}
			}
			if len(got) != len(c.want) {
				t.Fatalf("%q, want %q; %q", got, c.want, plan.Notes)
			}
			for i, want := range c.want {
				words := strings.SplitN(want, " ", 4)
				if strings.HasPrefix(want, "= ") {
					words = strings.SplitN(want, " ", 5)
				}
				head, rest := strings.Join(words[:len(words)-1], " "), words[len(words)-1]
				if !strings.HasPrefix(got[i], head+" ") || !strings.Contains(got[i], rest) || rest == "" && !strings.HasSuffix(got[i], " ") {
					t.Errorf("%q, want %q", got[i], want)
				}
			}
			if c.want == nil && !strings.Contains(strings.Join(plan.Notes, "\n"), "stays without a limit") {
				t.Errorf("%q", plan.Notes)
			}
		})
	}
}

// A place to which nobody can come counts nothing, and one whose key no request has is not taken for one of attackers.
func TestNobodyCounts(t *testing.T) {
	const conf = `events {}
http {
    limit_req_zone $binary_remote_addr zone=ip:1m rate=5r/s;
    limit_req_zone $http_x_api_key zone=key:1m rate=5r/s;
    server {
        listen 80;
        server_name a.example;
        location /api/ { limit_req zone=ip; proxy_pass http://127.0.0.1:1; }
        location /keyed/ { limit_req zone=key; proxy_pass http://127.0.0.1:1; }
        location /inner/ { internal; limit_req zone=ip; proxy_pass http://127.0.0.1:1; }
    }
}`
	plan := planFor(t, conf, []string{"/api/x", "/keyed/x", "/inner/x"}, nil)
	var labels []string
	for _, g := range plan.Groups {
		labels = append(labels, g.Label())
		if want := map[string]string{"/keyed/": "no request there has a key that is known and not empty: the limit is that of /api/"}[g.Label()]; !strings.HasPrefix(g.Basis, want) || want == "" && g.Basis != "" {
			t.Errorf("%s rests on %q, want %q", g.Label(), g.Basis, want)
		}
	}
	if got := strings.Join(labels, " "); got != "/api/ /keyed/ all together" {
		t.Errorf("there are limits for %s", got)
	}
	if plan.Other != 12 {
		t.Errorf("%d requests need no limit, want those of the place within nginx", plan.Other)
	}
}

package simulate

import (
	"testing"
	"time"

	"github.com/ngxlimit/ngxlimit/analyzer/route"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
)

// TestSharedPlans compares plans that are made once for all clients with plans that are made for each, on
// configurations where keys, access and routing depend on the client in every way that is told apart.
func TestSharedPlans(t *testing.T) {
	for _, c := range []struct {
		name, http, server string
		shared             bool // the first request's plan holds for all clients
	}{
		{"address", `limit_req_zone $binary_remote_addr zone=z:1m rate=5r/s;`, `location / { limit_req zone=z burst=10; proxy_pass http://127.0.0.1:1; }`, true},
		{"text and path", `limit_req_zone $remote_addr$uri zone=z:1m rate=1r/s;`, `location / { limit_req zone=z; proxy_pass http://127.0.0.1:1; }`, true},
		{"server", `limit_req_zone $server_name zone=z:1m rate=50r/s;`, `location / { limit_req zone=z burst=100; proxy_pass http://127.0.0.1:1; }`, true},
		{"map of the path", `map $uri $key { default $binary_remote_addr; ~\.css$ ""; } limit_req_zone $key zone=z:1m rate=5r/s;`, `location / { limit_req zone=z burst=10 nodelay; proxy_pass http://127.0.0.1:1; }`, true},
		{"map of the address", `map $remote_addr $key { default $binary_remote_addr; 203.0.113.2 ""; } limit_req_zone $key zone=z:1m rate=5r/s;`, `location / { limit_req zone=z burst=2; proxy_pass http://127.0.0.1:1; }`, false},
		{"geo", `geo $office { default 0; 203.0.113.0/30 1; } map $office $key { 0 $binary_remote_addr; 1 ""; } limit_req_zone $key zone=z:1m rate=5r/s;`, `location / { limit_req zone=z burst=2; proxy_pass http://127.0.0.1:1; }`, false},
		{"map of a map", `geo $office { default 0; 203.0.113.0/30 1; } map $office $o { default $office; } map $o$uri $key { default $binary_remote_addr; 1/ ""; } limit_req_zone $key zone=z:1m rate=5r/s;`, `location / { limit_req zone=z burst=2; proxy_pass http://127.0.0.1:1; }`, false},
		{"if", `limit_req_zone $binary_remote_addr zone=z:1m rate=5r/s;`, `location / { if ($remote_addr = 203.0.113.3) { return 204; } limit_req zone=z burst=2; proxy_pass http://127.0.0.1:1; }`, false},
		{"set", `limit_req_zone $k zone=z:1m rate=5r/s;`, `set $k $remote_addr; location / { limit_req zone=z burst=2; proxy_pass http://127.0.0.1:1; }`, false},
		{"access", `limit_req_zone $binary_remote_addr zone=z:1m rate=5r/s; limit_req_zone $arg_x zone=y:1m rate=1r/s;`, `error_page 403 /e; location / { deny 203.0.113.1; proxy_pass http://127.0.0.1:1; } location = /e { limit_req zone=z; proxy_pass http://127.0.0.1:1; }`, false},
		{"realip", `limit_req_zone $binary_remote_addr zone=z:1m rate=5r/s;`, `set_real_ip_from 203.0.113.0/31; real_ip_header User-Agent; location / { limit_req zone=z burst=2; proxy_pass http://127.0.0.1:1; }`, false},
		{"after the refusal", `limit_req_zone $binary_remote_addr zone=z:1m rate=1r/s; limit_conn_zone $remote_addr zone=c:1m;`, `error_page 503 @busy; location / { limit_req zone=z; proxy_pass http://127.0.0.1:1; } location @busy { if ($remote_addr = 203.0.113.2) { return 204; } limit_conn c 1; proxy_pass http://127.0.0.1:1; }`, false},
		{"connections", `limit_conn_zone $binary_remote_addr zone=c:1m;`, `location / { limit_conn c 3; proxy_pass http://127.0.0.1:1; }`, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree := treeOfText(t, "events {}\nhttp {\n"+c.http+"\nserver { listen 80; server_name a.example; "+c.server+" } }\n")
			router := route.New(tree)
			o, err := Options{
				Crowds: []Crowd{{
					Fan: fan(t, "portal"), Clients: 12, PerAddress: []int{2}, Repeat: 2, Every: time.Second,
					Arrival: Arrival{Kind: Poisson, Span: 3 * time.Second},
				}},
				KeepRequests: true,
			}.normal()
			if err != nil {
				t.Fatal(err)
			}
			at, _, err := newTarget(tree, router, &o)
			if err != nil {
				t.Fatal(err)
			}
			var results [2]string
			for i := range results {
				s := newSimulation(pipeline.New(tree, router), at, &o)
				if i == 1 {
					for r := range s.crowds[0].bound {
						s.crowds[0].bound[r] = true
					}
				}
				s.run()
				if i == 0 && (s.crowds[0].shared[0] != nil) != c.shared {
					t.Errorf("the plan is shared: %t", !c.shared)
				}
				results[i] = show(s.result())
			}
			if results[0] != results[1] {
				t.Errorf("with shared plans\n%s\nwithout\n%s", results[0], results[1])
			}
		})
	}
}

package pipeline

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/limitreq"
)

// limitedServers are servers whose limits stand in several phases, and lead on to error pages and subrequests.
var limitedServers = []string{
	`location / { limit_req zone=one; limit_conn conn 1; proxy_pass http://127.0.0.1:1; }`,
	`location / { limit_req zone=one; limit_req_status 429; try_files $uri /b; } location /b { limit_conn conn 1; proxy_pass http://127.0.0.1:1; }`,
	`location / { limit_req zone=key; limit_req zone=one; error_page 500 /e; rewrite ^/x /y; set $a $upstream_addr; proxy_pass http://127.0.0.1:1; }`,
	`location / { error_page 404 /e; try_files $uri =404; } location /e { limit_req zone=one; error_page 503 /f; limit_conn conn 2; empty_gif; }`,
	`set_real_ip_from 203.0.113.0/24; location / { limit_req zone=one; if ($arg_k) { set $b 1; } auth_request /auth; index x.php; } location /auth { limit_conn conn 1; proxy_pass http://127.0.0.1:1; } location ~ php$ { limit_conn conn 3; fastcgi_pass 127.0.0.1:1; }`,
	`location / { limit_req zone=one; limit_req_status 444; proxy_pass http://127.0.0.1:1; }`,
}

// TestDoAsPlanned sends random requests twice: followed at once, into one Trace, and by a plan. Both must tell the same.
func TestDoAsPlanned(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 0))
	servers := append([]string{
		`error_page 503 429 /busy; location / { limit_req zone=one burst=2; limit_req zone=two burst=1 delay=1; error_page 404 = @named; try_files $uri =404; } location @named { limit_conn conn 1; return 200 $limit_req_status; } location /busy { limit_conn conn 1; }`,
		`location / { mirror /copy; limit_conn conn 1; limit_conn_dry_run on; proxy_pass http://127.0.0.1:1; } location = /copy { internal; limit_req zone=one burst=3; proxy_pass http://127.0.0.1:1; }`,
		`limit_req_dry_run on; limit_req zone=one; location / { if ($limit_req_status) { return 403; } rewrite ^/x /a.css last; } location ~ (css)$ { set $a $1; return 302 /$a; }`,
	}, limitedServers...)
	for _, server := range servers {
		p := pipelineOfText(t, zones+"server { listen 80; server_name a.example;\n"+server+"\n}")
		planned := p.Fresh()
		now := clock.Up
		var done Trace
		for range 200 {
			now += clock.Msec(rng.IntN(30_000) * rng.IntN(2))
			r := &request.Request{
				Host: "a.example", Target: []string{"/", "/x?k=1", "/a.css", "/b"}[rng.IntN(4)],
				Peer: netip.AddrFrom4([4]byte{203, 0, 113, byte(rng.IntN(2))}), Server: netip.MustParseAddrPort("192.0.2.1:80"),
			}
			p.DoInto(&done, now, r)
			f := planned.Plan(r, nil).Start(now)
			for at := now; !f.Done(); {
				at += f.Wait
				f.Resume(at)
			}
			f.Finish()
			plan := f.Trace()
			got, want := story(&done)+shown(done.Decision)+shown(done.ConnVerdict), story(&plan)+shown(plan.Decision)+shown(plan.ConnVerdict)
			if got != want {
				t.Fatalf("%s\n%s:\n at once %s\n planned %s", server, r.Target, got, want)
			}
		}
		if got, want := uses(p), uses(planned); got != want {
			t.Errorf("%s: zones\n at once %s\n planned %s", server, got, want)
		}
	}
}

func uses(p *Pipeline) string {
	s := ""
	for _, z := range p.Zones() {
		s += fmt.Sprintln(z.Zone.Name, z.Peak, z.PeakKey, z.Keys)
	}
	return s
}

// TestPlainRefusals compares the ends of refusals that are made from where the request stood with those of requests
// that are followed through all phases again.
func TestPlainRefusals(t *testing.T) {
	made := 0
	for _, server := range limitedServers {
		p := pipelineOfText(t, zones+"server { listen 80; server_name a.example;\n"+server+"\n}")
		for _, target := range []string{"/", "/x?k=1", "/a.css"} {
			r := &request.Request{
				Host: "a.example", Target: target, Peer: netip.MustParseAddr("203.0.113.7"), Server: netip.MustParseAddrPort("192.0.2.1:80"),
				Headers: []request.Header{{Name: "X-Real-IP", Value: "198.51.100.4"}},
			}
			pl := p.Plan(r, nil)
			for n := pl.root; n.kind != finished; n = n.passed {
				short := pl.same(n, limitreq.Rejected)
				if short == nil {
					continue
				}
				made++
				long := pl.follow(append(slices.Clip(n.given), limitreq.Rejected))
				a, b := (&Flight{plan: pl, at: short}).Trace(), (&Flight{plan: pl, at: long}).Trace()
				if got, want := story(&a), story(&b); got != want {
					t.Errorf("%s\n%s:\n got %s\nwant %s", server, target, got, want)
				}
			}
		}
	}
	if made < 15 {
		t.Errorf("only %d refusals were plain", made)
	}
}

// story tells everything of a trace that a person could see.
func story(tr *Trace) string {
	s := []any{tr.Location.Label(), tr.If != nil, tr.Path(), tr.EndsIn, tr.Status, tr.Redirect, tr.URI, tr.LimiterRan, tr.LimitedIn.Label(), tr.RejectStatus, tr.DryRun, tr.ConnRejectStatus, tr.Client, append([]string{}, tr.Assumptions...), len(tr.Limits), len(tr.Conns)}
	for _, l := range tr.Limits {
		key, _ := l.Key.Known()
		s = append(s, l.ZoneName, key, l.Key.Reason(), l.Counted)
	}
	for _, l := range tr.Conns {
		key, _ := l.Key.Known()
		s = append(s, l.ZoneName, key, l.Key.Reason(), l.Counted)
	}
	return shown(s)
}

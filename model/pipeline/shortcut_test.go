package pipeline

import (
	"net/netip"
	"slices"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/model/limitreq"
)

// TestPlainRefusals compares the ends of refusals that are made from where the request stood with those of requests
// that are followed through all phases again.
func TestPlainRefusals(t *testing.T) {
	made := 0
	for _, server := range []string{
		`location / { limit_req zone=one; limit_conn conn 1; proxy_pass http://127.0.0.1:1; }`,
		`location / { limit_req zone=one; limit_req_status 429; try_files $uri /b; } location /b { limit_conn conn 1; proxy_pass http://127.0.0.1:1; }`,
		`location / { limit_req zone=key; limit_req zone=one; error_page 500 /e; rewrite ^/x /y; set $a $upstream_addr; proxy_pass http://127.0.0.1:1; }`,
		`location / { error_page 404 /e; try_files $uri =404; } location /e { limit_req zone=one; error_page 503 /f; limit_conn conn 2; empty_gif; }`,
		`set_real_ip_from 203.0.113.0/24; location / { limit_req zone=one; if ($arg_k) { set $b 1; } auth_request /auth; index x.php; } location /auth { limit_conn conn 1; proxy_pass http://127.0.0.1:1; } location ~ php$ { limit_conn conn 3; fastcgi_pass 127.0.0.1:1; }`,
		`location / { limit_req zone=one; limit_req_status 444; proxy_pass http://127.0.0.1:1; }`,
	} {
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
	s := []any{tr.Location.Label(), tr.If != nil, tr.Path, tr.EndsIn, tr.Status, tr.Redirect, tr.URI, tr.LimiterRan, tr.LimitedIn.Label(), tr.RejectStatus, tr.DryRun, tr.ConnRejectStatus, tr.Client, append([]string{}, tr.Assumptions...), len(tr.Limits), len(tr.Conns)}
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

package pipeline

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/model/clock"
)

// TestLikeness sends requests by their own plans, and by the first plan of the same likeness, or of the same way where that
// settles it: limits must do the same.
func TestLikeness(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 0))
	servers := append([]string{
		`location / { limit_req zone=one burst=2; return 200; } location ~ ^/x { limit_req zone=one burst=2; limit_req zone=key; }`,
		`location / { limit_req zone=key burst=3 delay=1; limit_req_dry_run on; if ($arg_k) { return 404; } proxy_pass http://127.0.0.1:1; }`,
		`error_page 503 /b; location / { limit_req zone=one; return 200; } location /b { limit_conn conn 1; }`,
		`limit_req zone=one; location / { return 301 /$limit_req_status; }`,
		`location / { limit_req zone=one burst=1; proxy_pass http://127.0.0.1:1; } location /c { limit_req zone=key; proxy_pass http://127.0.0.1:1; }`,
		`location ~ ^/(?<host_of>.) { limit_req zone=one burst=1; proxy_pass http://127.0.0.1:1; } location = / { limit_conn conn 1; proxy_pass http://127.0.0.1:1; }`,
	}, limitedServers...)
	alike, settled := 0, 0
	for _, server := range servers {
		p := pipelineOfText(t, zones+"server { listen 80; server_name a.example;\n"+server+"\n}")
		p.Resolved = true
		first := p.Fresh()
		first.Resolved = true
		plans, ways := map[Likeness]*Plan{}, map[Way]*Plan{}
		now := clock.Up
		for range 200 {
			now += clock.Msec(rng.IntN(3_000) * rng.IntN(2))
			target := []string{"/", "/x?k=1", "/x", "/a.css", "/b", "/c/d", "/?k=2"}[rng.IntN(7)]
			r := &request.Request{Host: "a.example", Target: target, Peer: netip.MustParseAddr("192.0.2.1"), Server: netip.MustParseAddrPort("192.0.2.1:80")}
			own, shared := p.PlanShared(r, nil)
			other, _ := first.PlanShared(r, nil)
			if !shared {
				continue
			}
			like, ok := other.Likeness()
			way, sure := first.WayOf(r, nil)
			if sure && ways[way] != nil {
				settled++
				if l, _ := ways[way].Likeness(); l != like {
					t.Fatalf("%s\n%s: not like another that comes to the same place", server, target)
				}
			} else if sure {
				ways[way] = other
			}
			if ok && plans[like] != nil {
				alike++
				other = plans[like]
			} else if ok {
				plans[like] = other
			}
			from := netip.AddrFrom4([4]byte{203, 0, 113, byte(rng.IntN(2))})
			if got, want := fate(other, now, from), fate(own, now, from); got != want {
				t.Fatalf("%s\n%s: by a plan that is alike %s, by its own %s", server, target, got, want)
			}
		}
		if got, want := uses(first), uses(p); got != want {
			t.Errorf("%s: zones\n alike %s\n own %s", server, got, want)
		}
	}
	if alike < 200 {
		t.Errorf("%d requests had a plan like another's", alike)
	}
	if settled < 200 {
		t.Errorf("%d requests came by a way that settles what happens to them", settled)
	}
}

// fate is what the limits do to a request.
func fate(pl *Plan, now clock.Msec, from netip.Addr) string {
	f := pl.StartFor(now, NewCaller(from))
	for at := now; !f.Done(); {
		at += f.Wait
		f.Resume(at)
	}
	f.Finish()
	return fmt.Sprint(f.Decision, f.Conn.Verdict, f.Refused(), f.Lost(), f.Status(), f.Place().Label(), f.Place().Line(), zoneName(&f))
}

func zoneName(f *Flight) string {
	if f.Zone == nil {
		return ""
	}
	return f.Zone.Name
}

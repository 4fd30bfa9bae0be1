package simulate

import (
	"net/netip"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/analyzer/route"
	"github.com/ngxlimit/ngxlimit/model/chain"
	"github.com/ngxlimit/ngxlimit/model/traffic"
)

func fixture(t testing.TB, elem ...string) string {
	t.Helper()
	return filepath.Join(append([]string{nginxtest.Root(t), "fixtures"}, elem...)...)
}

func fan(t testing.TB, name string) *traffic.Fan {
	t.Helper()
	f, err := traffic.Builtin(name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func run(t testing.TB, path string, o Options) *Result {
	t.Helper()
	tree := treeOf(t, path)
	r, err := Run(tree, route.New(tree), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestSixRequests is the story of six requests within ten milliseconds at 2r/s.
func TestSixRequests(t *testing.T) {
	for _, c := range []struct {
		file                      string
		passed, delayed, rejected int
		waits                     []int64 // within 10 ms
		status                    int     // of the refusals
	}{
		{"no-burst.conf", 1, 0, 5, nil, 503},
		{"burst.conf", 1, 4, 1, []int64{500, 1000, 1500, 2000}, 503},
		{"burst-nodelay.conf", 5, 0, 1, nil, 503},
		{"status-598.conf", 5, 0, 1, nil, 598},
	} {
		t.Run(c.file, func(t *testing.T) {
			r := run(t, fixture(t, "six-requests", c.file), Options{Crowds: []Crowd{{Fan: fan(t, "six-in-10ms")}}, KeepRequests: true})
			if len(r.Locations) != 1 || len(r.Requests) != 6 {
				t.Fatalf("%d locations, %d requests", len(r.Locations), len(r.Requests))
			}
			l := r.Locations[0]
			if l.Location != "/" || l.Requests != 6 || l.Passed != c.passed || l.Delayed != c.delayed || l.Rejected != c.rejected {
				t.Errorf("%s: %d requests, %d passed, %d delayed, %d rejected", l.Location, l.Requests, l.Passed, l.Delayed, l.Rejected)
			}
			var waits []int64
			for _, row := range r.Requests {
				if row.DelayMs > 0 {
					waits = append(waits, row.DelayMs)
				}
				if row.Outcome == "REJECTED" && (row.Status == nil || *row.Status != c.status) {
					t.Errorf("refused with %v, want %d", row.Status, c.status)
				}
			}
			if len(waits) != len(c.waits) {
				t.Fatalf("waits %v, want %v", waits, c.waits)
			}
			for i, w := range waits {
				if d := c.waits[i] - w; d < 0 || d > 10 {
					t.Errorf("waits %v, want %v less the milliseconds between them", waits, c.waits)
				}
			}
		})
	}
}

// morning is the trust company's: 43 desks behind two addresses, who open the portal within five minutes. The server of
// before.dump offers no HTTP/2.
func morning(t *testing.T) Crowd {
	return Crowd{Fan: fan(t, "portal"), PerAddress: []int{29, 14}, Clients: 43, Arrival: Arrival{Kind: Poisson, Span: 5 * time.Minute}}
}

// TestPortalBefore holds the bands of the trust company's report: p95 of the request time was 2.1 s, 5.8 % of all requests
// were refused, and the upstream was as quick as ever.
func TestPortalBefore(t *testing.T) {
	for seed := range uint64(5) {
		o := of(morning(t))
		o.Seed = seed
		r := run(t, fixture(t, "trustline", "before.dump"), o)
		l := r.Locations[0]
		if len(r.Locations) != 1 || l.ServedMs.P95 < 1700 || l.ServedMs.P95 > 2200 || l.AddedMs.Max > 2000 {
			t.Errorf("seed %d: request time %+v, added %+v", seed, l.ServedMs, l.AddedMs)
		}
		if share := 100 * float64(l.Rejected) / float64(l.Requests); share < 3 || share > 16 {
			t.Errorf("seed %d: %.1f %% refused", seed, share)
		}
		if r.Crowds[0].Addresses != 2 || r.Zones[0].Keys != 2 || r.Page.Pages != 43 || r.Page.BrokenPages == 0 {
			t.Errorf("seed %d: %+v, %+v, %+v", seed, r.Crowds[0], r.Zones[0], r.Page)
		}
	}
}

// TestPortalAfter has the repair of the report hold nobody up, over either protocol, and a flood refused at once while pages
// stay whole.
func TestPortalAfter(t *testing.T) {
	flood := &traffic.Fan{
		Name: "flood", Role: traffic.Attack,
		Streams: []traffic.Stream{{Requests: []traffic.FanRequest{{Method: "GET", Path: "/api/search", Kind: "api"}}, RatePerS: 200, DurationS: 300}},
	}
	for _, protocol := range []Protocol{HTTP1, HTTP2} {
		for _, attacked := range []bool{false, true} {
			o := of(morning(t))
			o.Protocol, o.KeepRequests = protocol, true
			if attacked {
				o.Crowds = append(o.Crowds, Crowd{Fan: flood})
			}
			r := run(t, fixture(t, "trustline", "after.dump"), o)
			people := r.Crowds[0]
			if people.Delayed+people.Rejected > 0 || people.Requests != 43*23 {
				t.Errorf("%s, attacked %t: %d delayed, %d refused of %d", protocol, attacked, people.Delayed, people.Rejected, people.Requests)
			}
			if r.Page.LimitedMs != r.Page.UnlimitedMs || r.Page.BrokenPages != 0 || r.Page.Pages != 43 || r.Feeling != "Nobody notices the limits." {
				t.Errorf("%s, attacked %t: page %+v, %q", protocol, attacked, r.Page, r.Feeling)
			}
			if !attacked {
				continue
			}
			attack := r.Crowds[1]
			if attack.Requests != 60_000 || attack.Delayed > 0 || attack.Rejected < 50_000 || attack.Passed < 30*300 || attack.AddedMs.Max != 0 {
				t.Errorf("%s: attack %+v", protocol, attack)
			}
			for _, row := range r.Requests {
				if row.Outcome == "REJECTED" && (row.Fan != "flood" || row.Status == nil || *row.Status != 429) {
					t.Fatalf("%s: refused %+v", protocol, row)
				}
			}
		}
	}
}

// TestBalancer is the story of the balancer with nodes in three subnets, of which one is trusted: editors behind the others
// are counted as the node that they come through. With all three trusted each is counted alone.
func TestBalancer(t *testing.T) {
	for _, c := range []struct {
		file   string
		broken int // of 9 editors
		keys   int
	}{{"before.dump", 6, 3 + 2}, {"after.dump", 0, 9}} {
		o := of(Crowd{Fan: fan(t, "block-editor"), Clients: 9})
		o.KeepRequests, o.Detail = true, true
		for _, node := range []string{"10.0.1.7/22", "10.0.5.7/22", "10.0.9.7/22"} {
			o.Via = append(o.Via, chain.Way{chain.Adding(netip.MustParsePrefix(node), "X-Forwarded-For")})
		}
		r := run(t, fixture(t, "alb", c.file), o)
		if r.Page.BrokenPages != c.broken || r.Zones[0].Keys != c.keys {
			t.Errorf("%s: %d pages broken, %d keys", c.file, r.Page.BrokenPages, r.Zones[0].Keys)
		}
		for _, row := range r.Requests {
			n := netip.MustParseAddr(row.ClientIP).As4()[3] - 1
			if row.Outcome == "REJECTED" && n%3 == 0 {
				t.Fatalf("%s: an editor behind the trusted node is refused: %+v", c.file, row)
			}
		}
	}
}

// TestPortalTogether has all 23 requests of a page counted, sent or not.
func TestPortalTogether(t *testing.T) {
	r := run(t, fixture(t, "trustline", "before.dump"), Options{Crowds: []Crowd{{Fan: fan(t, "portal")}}, Protocol: HTTP2, KeepRequests: true})
	l := r.Locations[0]
	if l.Requests+l.NotIssued != 23 || l.Requests != len(r.Requests) || l.Passed+l.Delayed+l.Rejected != l.Requests {
		t.Errorf("%+v", l)
	}
	// Before a request is refused 1 + 10 are served, and no more than that and what drains until the last one comes.
	last := r.Requests[len(r.Requests)-1].TMs
	if served := int64(l.Passed + l.Delayed); served < 11 || served > 11+5*(last+999)/1000 {
		t.Errorf("%d served until %d ms", served, last)
	}
	if len(r.Zones) != 1 || r.Zones[0].PeakExcessMilli < 9000 || r.Zones[0].PeakExcessMilli > 10000 || r.Zones[0].PeakKey != "203.0.113.1" {
		t.Errorf("zones %+v", r.Zones)
	}
}

// TestSeeds has the same seed give the same result, and another one another.
func TestSeeds(t *testing.T) {
	o := of(Crowd{
		Fan: fan(t, "portal"), Clients: 20, PerAddress: []int{7},
		Arrival: Arrival{Kind: Poisson, Span: 30 * time.Second}, Repeat: 2, Every: 10 * time.Second,
	})
	o.KeepRequests, o.Protocol = true, HTTP1
	path := fixture(t, "trustline", "before.dump")
	var results []string
	for _, seed := range []uint64{1, 1, 2} {
		o.Seed = seed
		results = append(results, show(run(t, path, o)))
	}
	if results[0] != results[1] || results[0] == results[2] {
		t.Error("a seed does not decide the result")
	}
}

// TestArrivals has clients begin in order, within their span.
func TestArrivals(t *testing.T) {
	for _, kind := range []ArrivalKind{Together, Poisson, Every} {
		c := &Crowd{Clients: 1000, Arrival: Arrival{Kind: kind, Span: time.Second}}
		a := newArrivals(c, 3, -20_000)
		var times []int64
		for {
			at, client, ok := a.next()
			if !ok {
				break
			}
			if int(client) != len(times) {
				t.Fatalf("client %d comes after %d others", client, len(times))
			}
			times = append(times, at)
		}
		if len(times) != 1000 || !slices.IsSorted(times) || times[0] < -20_000 {
			t.Errorf("%d clients from %d on", len(times), times[0])
		}
		last := times[999]
		switch kind {
		case Together:
			if last != -20_000 {
				t.Errorf("together: the last comes at %d", last)
			}
		case Poisson:
			if last > 980_000 || last < 900_000 || times[499] < 380_000 || times[499] > 580_000 {
				t.Errorf("poisson: %d, then %d in the middle, last %d", times[0], times[499], last)
			}
		case Every:
			if last != 999_000_000-20_000 {
				t.Errorf("every: the last comes at %d", last)
			}
		}
	}
}

// TestPages has servers that behave alike share their runs, and names each server's own locations.
func TestPages(t *testing.T) {
	tree := treeOfText(t, `events {}
http {
    limit_req_zone $binary_remote_addr zone=a:1m rate=5r/s;
    limit_req_zone $binary_remote_addr zone=b:1m rate=5r/s;
    limit_req_zone $binary_remote_addr zone=c:1m rate=30r/s;
    server { listen 80; server_name a.example; location / { limit_req zone=a burst=10; proxy_pass http://127.0.0.1:1; } location /never { limit_req zone=c; } }
    server { listen 80; server_name b.example; location / { limit_req zone=b burst=10; proxy_pass http://127.0.0.1:1; } }
    server { listen 80; server_name c.example; location / { proxy_pass http://127.0.0.1:1; } location /api/ { limit_req zone=c burst=60 nodelay; proxy_pass http://127.0.0.1:1; } }
    server { listen 80; server_name d.example; location / { proxy_pass http://127.0.0.1:1; } }
}
`)
	p := NewPages(tree, route.New(tree))
	portal := fan(t, "portal")
	servers := tree.HTTP.Servers
	a, b, c, d := p.Of(servers[0], portal, 29, 29), p.Of(servers[1], portal, 29, 29), p.Of(servers[2], portal, 29, 29), p.Of(servers[3], portal, 29, 29)
	if d != nil {
		t.Error("a page for a server without limits")
	}
	if a == nil || b == nil || c == nil {
		t.Fatal("no page")
	}
	if len(p.known) != 2 {
		t.Errorf("%d runs for two kinds of servers", len(p.known))
	}
	if a.One != b.One || a.Office != b.Office || a.Office.Rejected == 0 || a.Office.Requests < 29 || a.One.Delayed == 0 {
		t.Errorf("a %+v\nb %+v", a, b)
	}
	if len(a.Locations) != 2 || a.Locations[0].One.Server != "a.example" || a.Locations[1].One.Location != "/never" || a.Locations[1].One.Requests != 0 {
		t.Errorf("a has %+v", a.Locations)
	}
	if b.Locations[0].One.Server != "b.example" || b.Locations[0].One.Line == a.Locations[0].One.Line {
		t.Errorf("b has %+v", b.Locations)
	}
	if c.One.Delayed+c.One.Rejected+c.Office.Rejected != 0 || c.One.Stat.LimitedMs != c.One.Stat.UnlimitedMs || len(c.Locations) != 2 {
		t.Errorf("c %+v", c)
	}
	if p.Of(servers[0], portal, 29, 29) != a {
		t.Error("computed again")
	}
}

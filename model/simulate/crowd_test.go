package simulate

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/analyzer/route"
	"github.com/ngxlimit/ngxlimit/model/traffic"
)

// simple is a configuration with one limit.
const simple = `events {}
http {
    limit_req_zone $binary_remote_addr zone=z:1m rate=10r/s;
    server { listen 80; location / { limit_req zone=z burst=5 nodelay; proxy_pass http://127.0.0.1:1; } }
}
`

func runText(t testing.TB, text string, o Options) *Result {
	t.Helper()
	tree := treeOfText(t, text)
	r, err := Run(tree, route.New(tree), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// flood is a stream of requests of one client.
func flood(rate, seconds float64, atOnce int) *traffic.Fan {
	return &traffic.Fan{Name: "flood", Role: traffic.Attack, Streams: []traffic.Stream{{
		Requests: []traffic.FanRequest{{Method: "GET", Path: "/a", Kind: "api"}, {Method: "GET", Path: "/b?n={n}", Kind: "api"}},
		RatePerS: rate, DurationS: seconds, AtOnce: atOnce,
	}}}
}

// TestStreams has the requests of a stream come at its rate, in turn, and no more at once than it says.
func TestStreams(t *testing.T) {
	r := runText(t, simple, Options{Crowds: []Crowd{{Fan: flood(100, 2, 0)}}, KeepRequests: true})
	if len(r.Requests) != 200 || r.Requests[199].TMs != 1990 || r.Requests[2].URL != "http://localhost/a" || r.Requests[3].URL != "http://localhost/b?n=3" {
		t.Errorf("%d requests, %+v", len(r.Requests), r.Requests[len(r.Requests)-1])
	}
	// 1 + 5 at once, then one each 100 ms.
	if c := r.Crowds[0]; c.Role != "attack" || c.Passed < 24 || c.Passed > 26 || c.Passed+c.Rejected != 200 || c.Page.Pages != 1 {
		t.Errorf("%+v", c)
	}
	// One at a time: 50 ms at the server and 40 ms on the way are all that fits between two.
	slow := runText(t, "events {}\nhttp { server { listen 80; location / { proxy_pass http://127.0.0.1:1; } } }\n", Options{
		Crowds: []Crowd{{Fan: flood(100, 1, 1)}}, KeepRequests: true,
	})
	for i, row := range slow.Requests {
		if row.TMs != int64(90*i) {
			t.Fatalf("request %d comes at %d ms", i, row.TMs)
		}
	}
	if len(slow.Requests) != 100 {
		t.Errorf("%d requests", len(slow.Requests))
	}
	random := flood(100, 2, 0)
	random.Streams[0].Spacing = traffic.AtRandom
	r = runText(t, simple, Options{Crowds: []Crowd{{Fan: random}}, KeepRequests: true})
	if n := len(r.Requests); n != 200 || r.Requests[0].TMs != 0 || r.Requests[n-1].TMs >= 2000 || r.Requests[n-1].TMs < 1800 {
		t.Errorf("at random: %d requests, the last %+v", n, r.Requests[n-1])
	}
}

// TestVisit has each page of a visit timed from its own first request on.
func TestVisit(t *testing.T) {
	zero, one := 0, 1
	fan := &traffic.Fan{Name: "visit", Requests: []traffic.FanRequest{
		{Method: "GET", Path: "/", Kind: "html", Page: "start"},
		{Method: "GET", Path: "/list", Kind: "html", Page: "list", DependsOn: &zero, ThinkMs: &traffic.Dist{First: 5000}},
		{Method: "GET", Path: "/list.json", Kind: "api", Page: "list", DependsOn: &one},
	}}
	r := runText(t, simple, Options{Crowds: []Crowd{{Fan: fan}}, Protocol: HTTP2, KeepRequests: true, Detail: true})
	want := Quantiles{P50: 140, P95: 230, P99: 230, Max: 230} // 40 + 100; 40 + 100 + 40 + 50
	if r.Page.Pages != 2 || r.Page.LimitedMs != want || r.Page.UnlimitedMs != want {
		t.Errorf("%+v", r.Page)
	}
	if r.Requests[1].TMs != 5140 {
		t.Errorf("the second page is asked for at %d ms", r.Requests[1].TMs)
	}
	w := r.Waterfalls[1]
	if w.TookMs != 230 || len(w.Entries) != 2 || w.Entries[0].IssuedMs != 0 || w.Entries[1].IssuedMs != 140 {
		t.Errorf("%+v", w)
	}
}

// TestAddresses spreads clients over addresses of several sizes.
func TestAddresses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := crowd{Crowd: &Crowd{
			Clients:    rapid.IntRange(1, 200).Draw(t, "clients"),
			PerAddress: rapid.SliceOfN(rapid.IntRange(1, 40), 1, 5).Draw(t, "per address"),
		}, firstAddress: int32(rapid.IntRange(0, 9).Draw(t, "first"))}
		c.share()
		client, address := 0, c.firstAddress
		for client < c.Clients {
			size := c.PerAddress[int(address-c.firstAddress)%len(c.PerAddress)]
			for range min(size, c.Clients-client) {
				if got := c.addressOf(int32(client)); got != address {
					t.Fatalf("client %d has address %d, want %d", client, got, address)
				}
				client++
			}
			address++
		}
		if c.countAddresses() != address-c.firstAddress {
			t.Fatalf("%d addresses, want %d", c.countAddresses(), address-c.firstAddress)
		}
	})
}

// TestRandomTimes has what is random be the same with limits and without, as long as nobody waits, and follow the seed.
func TestRandomTimes(t *testing.T) {
	o := Options{
		Crowds:     []Crowd{{Fan: fan(t, "portal"), Clients: 50, Arrival: Arrival{Kind: Poisson, Span: time.Minute}}},
		RTTMs:      &traffic.Dist{Shape: traffic.Uniform, First: 10, Second: 200},
		UpstreamMs: &traffic.Dist{Shape: traffic.LogNormal, First: 40, Second: 400},
	}
	open := "events {}\nhttp { server { listen 80; location / { proxy_pass http://127.0.0.1:1; } } }\n"
	r := runText(t, open, o)
	if r.Page.LimitedMs != r.Page.UnlimitedMs || r.Page.LimitedMs.P50 == r.Page.LimitedMs.Max {
		t.Errorf("%+v", r.Page)
	}
	o.Seed = 5
	if other := runText(t, open, o); other.Page.LimitedMs == r.Page.LimitedMs {
		t.Errorf("another seed gives the same: %+v", other.Page)
	}
	served := r.Locations[0].ServedMs
	if served.P50 < 34 || served.P50 > 46 || served.P95 < 330 || served.P95 > 480 {
		t.Errorf("served %+v: the median is 40, the 95th percentile 400", served)
	}
}

// TestPlaceholders has clients of one address told apart by what they send.
func TestPlaceholders(t *testing.T) {
	own := &traffic.Fan{Name: "own"}
	for range 6 {
		own.Requests = append(own.Requests, traffic.FanRequest{
			Method: "GET", Path: "/u/{client}", Kind: "api", Headers: []request.Header{{Name: "X-Api-Key", Value: "key-{client}"}},
		})
	}
	r := runText(t, `events {}
http {
    limit_req_zone $http_x_api_key zone=z:1m rate=10r/s;
    server { listen 80; location / { limit_req zone=z burst=5 nodelay; proxy_pass http://127.0.0.1:1; } }
}
`, Options{Crowds: []Crowd{{Fan: own, Clients: 9, PerAddress: []int{9}}}, Protocol: HTTP2, KeepRequests: true})
	again := &traffic.Fan{Name: "again", Requests: []traffic.FanRequest{{Method: "GET", Path: "/?load={n}", Kind: "html"}}}
	rows := runText(t, simple, Options{Crowds: []Crowd{{Fan: again, Repeat: 2, Every: time.Second}}, KeepRequests: true}).Requests
	if len(rows) != 2 || rows[0].URL != "http://localhost/?load=0" || rows[1].URL != "http://localhost/?load=1" {
		t.Errorf("%+v", rows)
	}
	if r.Crowds[0].Rejected != 0 || r.Zones[0].Keys != 9 || r.Requests[53].URL != "http://localhost/u/8" {
		t.Errorf("%d refused, %d keys, %+v", r.Crowds[0].Rejected, r.Zones[0].Keys, r.Requests[53])
	}
}

// TestZoneCourse has the fullest bucket told with its time, and when it was empty again: also where it was filled again.
func TestZoneCourse(t *testing.T) {
	r := runText(t, simple, Options{
		Crowds: []Crowd{{Fan: flood(100, 0.2, 0), Repeat: 2, Every: 10 * time.Second}}, Detail: true,
	})
	z := r.Zones[0]
	if z.PeakExcessMilli != 5000 || z.PeakKey != "203.0.113.1" || z.Requests != 40 || z.Passed+z.Rejected != 40 || len(z.Limits) != 1 ||
		z.Limits[0].BurstMilli != 5000 || z.Limits[0].DelayMilli != 5000 || z.RateMilli != 10000 {
		t.Fatalf("%+v", z)
	}
	// Charged at 0 to 60 ms and when a tenth of a second has made room; then it drains at 10 a second.
	if z.PeakMs < 50 || z.PeakMs > 200 || z.EmptyMs <= z.PeakMs+400 || z.EmptyMs > 1000 {
		t.Errorf("full at %d, empty at %d ms", z.PeakMs, z.EmptyMs)
	}
	s := z.Series
	var high int64
	refused := 0
	for i, p := range s.Points {
		high = max(high, p.ExcessMilli)
		if i > 0 && p.TMs < s.Points[i-1].TMs {
			t.Errorf("the line goes back: %+v", s.Points)
		}
	}
	for _, c := range s.Refused {
		refused += c.N
	}
	if high != z.PeakExcessMilli || refused != z.Rejected || s.Points[len(s.Points)-1].ExcessMilli != 0 {
		t.Errorf("%+v", s)
	}
}

// TestSeriesIsBounded draws a long run with few points, and keeps the highest one.
func TestSeriesIsBounded(t *testing.T) {
	o := Options{Crowds: []Crowd{{Fan: flood(50, 400, 0)}}, Detail: true}
	z := runText(t, simple, o).Zones[0]
	var high int64
	refused := 0
	for _, p := range z.Series.Points {
		high = max(high, p.ExcessMilli)
	}
	for _, c := range z.Series.Refused {
		refused += c.N
	}
	if n := len(z.Series.Points); n > 4*maxSpans+4 || n < maxSpans/2 || high != z.PeakExcessMilli || refused != z.Rejected || len(z.Series.Refused) > maxSpans {
		t.Errorf("%d points up to %d, %d refused in %d spans; the zone says %d and %d", n, high, refused, len(z.Series.Refused), z.PeakExcessMilli, z.Rejected)
	}
}

// TestBuckets has the histogram of waits hold them all.
func TestBuckets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s sample
		values := rapid.SliceOfN(rapid.Int64Range(0, 100_000), 1, 100).Draw(t, "values")
		times := rapid.SampledFrom([]int{1, 100}).Draw(t, "times")
		for _, v := range values {
			for range times {
				s.add(v)
			}
		}
		buckets := s.buckets()
		if len(buckets) > 26 {
			t.Fatalf("%d buckets", len(buckets))
		}
		total := int64(0)
		for i, b := range buckets {
			total += b.N
			want := int64(0)
			for _, v := range values {
				if v <= b.UpToMs && (i == 0 || v > buckets[i-1].UpToMs) {
					want += int64(times)
				}
			}
			if times == 1 && b.N != want {
				t.Fatalf("up to %d: %d, want %d", b.UpToMs, b.N, want)
			}
		}
		if total != int64(len(values)*times) {
			t.Fatalf("%d of %d", total, len(values)*times)
		}
	})
}

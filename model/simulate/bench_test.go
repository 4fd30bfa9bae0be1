package simulate

import (
	"testing"
	"time"

	"github.com/ngxlimit/ngxlimit/analyzer/route"
)

// BenchmarkRun simulates page loads; the goal is a million requests in a second. ns/request is what counts.
func BenchmarkRun(b *testing.B) {
	for _, c := range []struct {
		name       string
		file       string
		perAddress int
		protocol   Protocol
	}{
		{"shared-addresses", "before.dump", 29, HTTP2},
		{"shared-addresses-after", "after.dump", 29, HTTP2},
		{"own-addresses", "before.dump", 1, HTTP2},
		{"http1", "before.dump", 29, HTTP1},
	} {
		b.Run(c.name, func(b *testing.B) {
			tree := treeOf(b, fixture(b, "trustline", c.file))
			router := route.New(tree)
			const clients = 20_000
			o := Options{
				Crowds: []Crowd{{
					Fan: fan(b, "portal"), Clients: clients, PerAddress: []int{c.perAddress},
					Arrival: Arrival{Kind: Poisson, Span: clients * 500 * time.Millisecond},
				}},
				Protocol: c.protocol,
			}
			b.ReportAllocs()
			requests := 0
			for b.Loop() {
				r, err := Run(tree, router, o)
				if err != nil {
					b.Fatal(err)
				}
				for _, l := range r.Locations {
					requests += l.Requests
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(requests), "ns/request")
		})
	}
}

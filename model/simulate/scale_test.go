package simulate

import (
	"os"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/route"
)

// servers bounds how many servers of it a benchmark looks at.
const servers = 300

// BenchmarkPages computes the pages of servers of a large configuration, named by NGXLIMIT_BENCH_CONF.
func BenchmarkPages(b *testing.B) {
	path := os.Getenv("NGXLIMIT_BENCH_CONF")
	if path == "" {
		b.Skip("NGXLIMIT_BENCH_CONF names no configuration")
	}
	tree := treeOf(b, path)
	portal := fan(b, "portal")
	b.ReportAllocs()
	for b.Loop() {
		p := NewPages(tree, route.New(tree))
		n := 0
		for _, s := range tree.HTTP.Servers[:min(len(tree.HTTP.Servers), servers)] {
			if p.Of(s, portal, 29, 29) != nil {
				n++
			}
		}
		b.ReportMetric(float64(n), "pages")
		b.ReportMetric(float64(len(p.known)), "runs")
	}
}

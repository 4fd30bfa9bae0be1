package compare_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ngxlimit/ngxlimit/analyzer/compare"
)

// drawServer draws a configuration with a few zones and a list of limits on some of them.
func drawServer(t *rapid.T, name string) string {
	var zones, limits strings.Builder
	for i := range rapid.IntRange(1, 3).Draw(t, name+" zones") {
		zone := string(rune('a' + i))
		key := rapid.SampledFrom([]string{"$binary_remote_addr", "$server_name", "$http_x_key"}).Draw(t, "key")
		fmt.Fprintf(&zones, "limit_req_zone %s zone=%s:10m rate=%s;\n", key, zone, rapid.SampledFrom([]string{"1r/s", "60r/m", "5r/s", "30r/m"}).Draw(t, "rate"))
		if !rapid.Bool().Draw(t, "used") {
			continue
		}
		fmt.Fprintf(&limits, "limit_req zone=%s%s;", zone, rapid.SampledFrom([]string{"", " burst=5", " burst=20 nodelay", " nodelay burst=20", " burst=20 delay=5"}).Draw(t, "burst"))
	}
	if rapid.Bool().Draw(t, "dry run") {
		limits.WriteString("limit_req_dry_run on;")
	}
	if rapid.Bool().Draw(t, "status") {
		limits.WriteString("limit_req_status 429;")
	}
	return zones.String() + "server { listen 80; location / { " + limits.String() + " root /srv; } }"
}

// mirrored is what a direction is the other way round.
var mirrored = map[compare.Direction]compare.Direction{
	compare.Lost: compare.Gained, compare.Gained: compare.Lost, compare.Loosened: compare.Tightened, compare.Tightened: compare.Loosened,
	compare.Changed: compare.Changed, compare.Other: compare.Other,
}

// A configuration does not differ from itself, and what is lost on the way there is gained on the way back.
func TestLevelsMirrored(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		old, renewed := drawServer(rt, "old"), drawServer(rt, "new")
		if got := words(compareAt(t, old, old)); got != "" {
			rt.Fatalf("differs from itself:\n%s", got)
		}
		there, back := compareAt(t, old, renewed), compareAt(t, renewed, old)
		var want, got []string
		for _, d := range there {
			want = append(want, d.Subject+" "+string(mirrored[d.Direction]))
		}
		for _, d := range back {
			got = append(got, d.Subject+" "+string(d.Direction))
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(want, got) {
			rt.Fatalf("there:\n%sback:\n%s", words(there), words(back))
		}
	})
}

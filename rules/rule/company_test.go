package rule_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/value"
	"github.com/ngxlimit/ngxlimit/rules/rule"
	"github.com/ngxlimit/ngxlimit/rules/ruletest"
)

// TestHeldAsksOnce: whether the neighbours of a limit hold what it does not is asked of each zone once a list, so that a location
// with thousands of limits takes no thousands of thousands of steps.
func TestHeldAsksOnce(t *testing.T) {
	for _, c := range []struct {
		solid, other int // zones by address, and by an argument
		held         bool
	}{{1, 0, false}, {2, 0, true}, {0, 2, false}, {1, 1, true}, {0, 300, false}, {300, 300, true}} {
		var zones, limits strings.Builder
		for i := range c.solid + c.other {
			key := "$binary_remote_addr"
			if i >= c.solid {
				key = "$arg_k"
			}
			fmt.Fprintf(&zones, "limit_req_zone %s zone=z%d:1m rate=1r/s;\n", key, i)
			fmt.Fprintf(&limits, "limit_req zone=z%d;\n", i)
		}
		f := rule.NewFacts(ruletest.Resolve(t, "events {}\nhttp {\n"+zones.String()+"server { listen 80; location / {\n"+limits.String()+"} } }\n", ""), rule.Settings{})
		asked := 0
		by := func(key value.Template) bool {
			asked++
			return key.Text == "$binary_remote_addr"
		}
		for _, z := range f.Zones() {
			want := c.held
			if c.solid == 1 && c.other > 0 && z.Key.Text == "$binary_remote_addr" {
				want = false
			}
			if got := rule.HeldBy(z, by); got != want {
				t.Errorf("%d and %d zones: %s held: %v", c.solid, c.other, z.Name, got)
			}
		}
		want := c.solid + c.other
		if want == 1 {
			want = 0 // it has no neighbours
		}
		if asked != want {
			t.Errorf("%d zones are asked of %d times", c.solid+c.other, asked)
		}
	}
}

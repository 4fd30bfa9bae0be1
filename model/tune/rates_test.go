package tune

import "testing"

// Traffic in which nobody asks twice says nothing of people who do: no limit is without a burst, for which check would warn.
func TestNoLimitWithoutABurst(t *testing.T) {
	for _, kind := range []Kind{Login, Part, Place} {
		g := Group{Kind: kind}
		g.judge([]series{{1_000}, {2_000}, {3_000}}, nil, 1, reserve{})
		if c := g.Frontier[g.Chosen]; c.Burst != leastBurst || len(g.Frontier) != 1 {
			t.Errorf("%s: burst %d, %d rates", kind, c.Burst, len(g.Frontier))
		}
	}
}

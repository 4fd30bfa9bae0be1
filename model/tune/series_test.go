package tune

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/limitreq"
)

// limited runs a series through the limiter itself.
func limited(t interface{ Fatal(...any) }, s series, rate, burst int64) (refused int) {
	zone, err := limitreq.NewZone("z", rate, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range s {
		d := limitreq.Decide(clock.Up+clock.Msec(at), []limitreq.Limit{{Zone: zone, Key: "k", Burst: burst, Delay: limitreq.NoDelay}}, false)
		if d.Verdict == limitreq.Rejected {
			refused++
		}
	}
	return refused
}

// TestNeedIsTheLeastBurst compares with the limiter: with the burst that is needed nothing is refused, with any less something is.
func TestNeedIsTheLeastBurst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := series(rapid.SliceOfN(rapid.Uint32Range(0, 100_000), 0, 200).Draw(t, "times"))
		s.order()
		rate := rapid.SampledFrom([]int64{16, 166, 1000, 5000, 30_000, 1_000_000}).Draw(t, "rate")
		need := s.need(rate)
		if n := limited(t, s, rate, need); n != 0 {
			t.Fatalf("burst %d at rate %d refuses %d of %v", need, rate, n, s)
		}
		if need > 0 && limited(t, s, rate, need-1) == 0 {
			t.Fatalf("burst %d at rate %d would do for %v", need-1, rate, s)
		}
		burst := rapid.Int64Range(0, 30_000).Draw(t, "burst")
		if got, want := s.refused(rate, burst), limited(t, s, rate, burst); got != want {
			t.Fatalf("burst %d at rate %d refuses %d of %v, want %d", burst, rate, got, s, want)
		}
	})
}

func TestBusiest(t *testing.T) {
	for _, c := range []struct {
		s    series
		want int
	}{{nil, 0}, {series{5}, 1}, {series{0, 999, 1000, 1001}, 3}, {series{0, 1000, 2000}, 1}, {series{7, 7, 7}, 3}} {
		if got := c.s.busiest(1000); got != c.want {
			t.Errorf("busiest second of %v: %d, want %d", c.s, got, c.want)
		}
	}
}

func TestJudgeKeepsTheShareOfPeople(t *testing.T) {
	people := make([]series, 1000)
	for i := range people {
		people[i] = series{0, 10, 20, 30} // needs a burst of three at any rate that is tried
	}
	people[7] = make(series, 100) // one who sends a hundred at once
	flood := make(series, 5000)
	for i := range flood {
		flood[i] = uint32(2 * i)
	}
	g := &Group{Kind: Part}
	g.judge(people, []series{flood}, 0.999, reserve{})
	c := g.Frontier[g.Chosen]
	if c.Burst != 3 || c.Hurt != 1 || c.Refused != 96 || c.Text != "1r/s" {
		t.Errorf("with 99.9 %% of the people: %+v", c)
	}
	if c.AttackRefused != 5000-1-3-9 {
		t.Errorf("%d requests of the flood are refused, want all but those that the burst and ten seconds let through", c.AttackRefused)
	}
	if g.judge(people, nil, 1, reserve{}); g.Frontier[g.Chosen].Hurt != 0 {
		t.Errorf("with all of the people: %+v", g.Frontier[g.Chosen])
	}
	if !slices.IsSortedFunc(g.Frontier, func(a, b Choice) int { return int(b.Burst - a.Burst) }) {
		t.Errorf("a higher rate needs more burst: %+v", g.Frontier)
	}
}

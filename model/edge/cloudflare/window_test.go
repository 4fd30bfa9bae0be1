package cloudflare

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/ngxlimit/ngxlimit/model/clock"
)

// TestWorkedNumber is the example of the published article: 42 in the minute before, 18 in the first quarter of this one.
func TestWorkedNumber(t *testing.T) {
	c := &counter{}
	c.add(Buckets, 30_000, 60_000, 42)
	c.add(Buckets, 70_000, 60_000, 18)
	if got := c.value(Buckets, 75_000, 60_000); got != 50 { // 49.5, rounded up
		t.Errorf("%d", got)
	}
}

// TestWindows compares each window with a slow twin that keeps every request.
func TestWindows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		period := clock.Msec(rapid.IntRange(1, 60).Draw(t, "period s")) * 1000
		var now clock.Msec
		var seen []mark
		counters := map[Window]*counter{Buckets: {}, Sliding: {}, Fixed: {}}
		for range rapid.IntRange(1, 60).Draw(t, "requests") {
			now += clock.Msec(rapid.IntRange(0, 30_000).Draw(t, "gap"))
			n := rapid.Int64Range(1, 100).Draw(t, "n")
			seen = append(seen, mark{now, n})
			for w, c := range counters {
				c.add(w, now, period, n)
				if got, want := c.value(w, now, period), slow(w, seen, now, period); got != want {
					t.Fatalf("%s at %d: %d, want %d", w, now, got, want)
				}
			}
		}
		// Later the counters forget.
		later := now + clock.Msec(rapid.IntRange(0, 200_000).Draw(t, "later"))
		for w, c := range counters {
			if got, want := c.value(w, later, period), slow(w, seen, later, period); got != want {
				t.Fatalf("%s later: %d, want %d", w, got, want)
			}
		}
	})
}

func slow(w Window, seen []mark, now, period clock.Msec) int64 {
	var sliding, current, before int64
	for _, m := range seen {
		if m.at/period == now/period {
			current += m.n
		}
		if m.at/period == now/period-1 {
			before += m.n
		}
		if m.at > now-period {
			sliding += m.n
		}
	}
	switch w {
	case Sliding:
		return sliding
	case Fixed:
		return current
	case Buckets:
	}
	left := int64(period - now%period)
	return (current*int64(period) + before*left + int64(period) - 1) / int64(period)
}

// TestClockGoesBack takes a time that goes back without counting twice or forgetting.
func TestClockGoesBack(t *testing.T) {
	for _, w := range Windows {
		c := &counter{}
		for _, at := range []clock.Msec{50_000, 10_000, -5_000, 50_000} {
			c.add(w, at, 10_000, 1)
		}
		if got := c.value(w, 50_000, 10_000); got != 4 {
			t.Errorf("%s: %d", w, got)
		}
	}
}

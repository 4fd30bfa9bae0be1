package rule_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/limitreq"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// TestClosedFor fills a bucket under one burst and asks the limiter when it is open again to another one: not a millisecond
// earlier, and not one later.
func TestClosedFor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		level := rapid.Int64Range(0, 80).Draw(t, "level") * 1000
		burst := rapid.Int64Range(0, level/1000).Draw(t, "burst") * 1000
		rate := rapid.Int64Range(16, 300_000).Draw(t, "rate")
		closed := clock.Msec(rule.ClosedFor(level, burst, rate))
		for _, wait := range []clock.Msec{closed - 1, closed} {
			zone, err := limitreq.NewZone("z", rate, 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			const start = clock.Msec(1_000_000)
			ask := func(now clock.Msec, burst int64) limitreq.Verdict {
				return limitreq.Decide(now, []limitreq.Limit{{Zone: zone, Key: "k", Burst: burst, Delay: limitreq.NoDelay}}, false).Verdict
			}
			for range level/1000 + 1 {
				ask(start, level)
			}
			if got := ask(start+wait, burst); (got == limitreq.Rejected) != (wait < closed) {
				t.Fatalf("after %d ms: %s, and closed for %d ms", wait, got, closed)
			}
		}
	})
}

package pipeline

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/limitreq"
)

// TestDecideNear compares what is found of the nearest time with what a search through all of them finds.
func TestDecideNear(t *testing.T) {
	moved := 0
	rapid.Check(t, func(t *rapid.T) {
		dryRun := rapid.Bool().Draw(t, "dry run")
		var ours, others []limitreq.Limit
		for range rapid.IntRange(1, 3).Draw(t, "limits") {
			rate := rapid.SampledFrom([]int64{166, 1_000, 5_000, 30_000, 1 << 40}).Draw(t, "rate")
			l := limitreq.Limit{Key: "k", Burst: 1000 * rapid.Int64Range(0, 5).Draw(t, "burst"), Delay: 1000 * rapid.Int64Range(0, 5).Draw(t, "delay")}
			for _, list := range []*[]limitreq.Limit{&ours, &others} {
				z, err := limitreq.NewZone("z", rate, 1<<20)
				if err != nil {
					t.Fatal(err)
				}
				l.Zone = z
				*list = append(*list, l)
			}
		}
		now := clock.Up
		for range rapid.IntRange(1, 40).Draw(t, "requests") {
			now += clock.Msec(rapid.SampledFrom([]int64{0, 1, 10, 30, 200, 1_000, 100_000, -5, -60_010, -59_990, -100_000}).Draw(t, "step"))
			h := Hint{
				Verdict: rapid.SampledFrom([]limitreq.Verdict{limitreq.Passed, limitreq.Delayed, limitreq.Rejected, limitreq.DelayedDryRun, limitreq.RejectedDryRun}).Draw(t, "logged"),
				Slack:   clock.Msec(rapid.IntRange(0, 3).Draw(t, "slack")), Look: clock.Msec(rapid.SampledFrom([]int64{0, 25}).Draw(t, "look")),
			}
			other := h
			got, _ := decideNear(now, ours, dryRun, &h, nil)
			want := searchNear(now, others, dryRun, &other)
			if got != want || h != other {
				t.Fatalf("%+v %+v, want %+v %+v", got, h, want, other)
			}
			if h.Shift != 0 || h.Near != 0 {
				moved++
			}
			for i := range ours {
				a, _ := ours[i].Zone.State("k")
				b, _ := others[i].Zone.State("k")
				if diff := cmp.Diff(b, a); diff != "" {
					t.Fatalf("limit %d: %s", i, diff)
				}
			}
		}
	})
	if moved == 0 {
		t.Error("no decision was moved")
	}
}

// searchNear is decideNear without a thought.
func searchNear(now clock.Msec, limits []limitreq.Limit, dryRun bool, h *Hint) limitreq.Decision {
	held := true
	var saved []limitreq.State
	for i := range limits {
		s, ok := limits[i].Saved()
		saved, held = append(saved, s), held && ok
	}
	at := func(shift clock.Msec) limitreq.Decision {
		for i := range limits {
			if held {
				limits[i].Restore(saved[i])
			}
		}
		return limitreq.Decide(now+shift, limits, dryRun)
	}
	if d := at(0); d.Verdict == h.Verdict || !held {
		return d
	}
	for by := clock.Msec(1); by <= max(h.Slack, h.Look) && h.Near == 0; by++ {
		for _, shift := range []clock.Msec{by, -by} {
			d := at(shift)
			if d.Verdict == h.Verdict && by <= h.Slack {
				h.Shift = shift
				return d
			}
			if d.Verdict == h.Verdict {
				h.Near = shift
			}
		}
	}
	return at(0)
}

package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ngxlimit/ngxlimit/model/simulate"
)

// The steps of an axis are round, few, and within the span.
func TestTimeTicks(t *testing.T) {
	var got []string
	for _, tick := range timeTicks(4020) {
		got = append(got, tick.Text)
	}
	if diff := cmp.Diff([]string{"0", "1 s", "2 s", "3 s", "4 s"}, got); diff != "" {
		t.Error(diff)
	}
	rapid.Check(t, func(t *rapid.T) {
		span := rapid.Int64Range(1, 400*24*3600*1000).Draw(t, "span")
		ticks := timeTicks(span)
		if n := len(ticks); n < 2 || n > 6 {
			t.Fatalf("%d ticks in %d ms", n, span)
		}
		for i, tick := range ticks {
			if tick.Left < 0 || tick.Left > 100 || i > 0 && tick.Left <= ticks[i-1].Left {
				t.Fatalf("tick %d of %d ms stands at %v %%", i, span, tick.Left)
			}
		}
	})
}

// The parts of a request's bar follow each other without a gap from its issue to its end.
func TestFallRow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ms := rapid.Int64Range(0, 5000)
		e := simulate.Entry{Method: "GET", Path: "/", Verdict: rapid.SampledFrom([]string{"PASSED", "DELAYED", "REJECTED"}).Draw(t, "verdict")}
		e.IssuedMs = ms.Draw(t, "issued")
		e.SentMs = e.IssuedMs + ms.Draw(t, "queued")
		if e.Verdict == "DELAYED" {
			e.WaitMs = ms.Draw(t, "wait")
		}
		if e.Verdict != "REJECTED" {
			e.ServiceMs = ms.Draw(t, "service")
		}
		e.EndMs = e.SentMs + e.WaitMs + e.ServiceMs + ms.Draw(t, "network")
		const span = 40_000
		at := percent(e.IssuedMs, span)
		for _, bar := range fallRowOf(&e, span).Bars {
			if d := bar.Left - at; d > 0.01 || d < -0.01 {
				t.Fatalf("%+v begins at %v, the one before ends at %v", bar, bar.Left, at)
			}
			at = bar.Left + bar.Width
		}
		if d := at - percent(e.EndMs, span); d > 0.01 || d < -0.01 {
			t.Fatalf("the last bar ends at %v, the request at %v", at, percent(e.EndMs, span))
		}
	})
}

// What was never sent has no bar, and says so.
func TestFallRowNotSent(t *testing.T) {
	row := fallRowOf(&simulate.Entry{Method: "GET", Path: "/api", Verdict: "NOT_SENT"}, 100)
	if len(row.Bars) != 0 || row.Note != "never sent" || !row.Refused {
		t.Errorf("got %+v", row)
	}
}

// Every wait is counted in exactly one row, and refusals in theirs.
func TestAddedRows(t *testing.T) {
	r := &simulate.Result{Crowds: []simulate.CrowdStat{{Rejected: 4, Added: []simulate.Bucket{{UpToMs: 0, N: 3}, {UpToMs: 51, N: 2}, {UpToMs: 100, N: 1}, {UpToMs: 40_000, N: 5}}}}}
	got := map[string]int64{}
	for _, row := range addedRows([]side{{"as it is", "now", r}}) {
		got[row.Name] = row.Cells[0].N
	}
	want := map[string]int64{"at once": 3, "up to 100 ms": 3, "longer than 30 s": 5, "refused": 4}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

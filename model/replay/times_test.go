package replay

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ngxlimit/ngxlimit/model/accesslog"
)

// Lines of whole seconds are spread over them.
func TestWholeSeconds(t *testing.T) {
	var b strings.Builder
	for n := range 40 {
		fmt.Fprintf(&b, `203.0.113.7 - - [02/Mar/2026:08:00:0%d +0000] "GET /api/x HTTP/1.1" 200 1 "-" "-"`+"\n", n/10)
	}
	format, _ := accesslog.Known("combined")
	r := run(t, limited, Options{}, sourceOf(t, "log", b.String(), format))
	if l := r.Locations[0]; l.Passed != 40 || l.Requests != 40 {
		t.Errorf("ten a second at 10r/s: %+v", l)
	}
	if !r.Logs[0].Coarse || !slices.ContainsFunc(r.Assumptions, func(s string) bool { return strings.Contains(s, "whole seconds") }) {
		t.Errorf("it is not said: %v", r.Assumptions)
	}
	if r.ToMs-r.FromMs != 3900 {
		t.Errorf("from %d to %d", r.FromMs, r.ToMs)
	}
}

// A log is one of whole seconds where nearly all its lines are: what writes JSON anew drops the zeros of a fraction.
func TestWholeSecondsAmongOthers(t *testing.T) {
	const first = int(start / 1000)
	tests := map[string]struct {
		msec    func(n int) string // of the n-th line of 400, ten of them in a second
		coarse  bool
		refused int // of ten at a time, where burst=5 lets six pass
	}{
		"as nginx writes it":     {func(n int) string { return fmt.Sprintf("%d.%03d", first+n/10, n%10) }, false, 160},
		"zeros dropped":          {func(n int) string { return strconv.FormatFloat(float64(first+n/10)+float64(n%10)/1000, 'f', -1, 64) }, false, 160},
		"tenths":                 {func(n int) string { return strconv.FormatFloat(float64(first)+float64(n)/10, 'f', -1, 64) }, false, 0},
		"whole seconds":          {func(n int) string { return strconv.Itoa(first + n/10) }, true, 0},
		"one line with more":     {func(n int) string { return strconv.Itoa(first+n/10) + strings.Repeat(".001", max(0, n-398)) }, true, 0},
		"more in the first line": {func(n int) string { return strconv.Itoa(first+n/10) + strings.Repeat(".000", max(0, 1-n)) }, true, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			for n := range 400 {
				fmt.Fprintf(&b, `{"msec":%s,"remote_addr":"203.0.113.7","host":"a.test","uri":"/api/x","status":200}`+"\n", tt.msec(n))
			}
			r := run(t, limited, Options{}, sourceOf(t, "log", b.String(), accesslog.JSON))
			said := slices.ContainsFunc(r.Assumptions, func(s string) bool { return strings.Contains(s, "whole seconds") })
			if r.Logs[0].Coarse != tt.coarse || said != tt.coarse {
				t.Errorf("whole seconds: %t, said %t", r.Logs[0].Coarse, said)
			}
			if l := r.Locations[0]; l.Requests != 400 || l.Rejected != tt.refused {
				t.Errorf("%+v", l)
			}
			if slices.ContainsFunc(r.Assumptions, func(s string) bool { return strings.Contains(s, "went back") }) || len(r.Faults) > 0 {
				t.Errorf("%v %v", r.Assumptions, r.Faults)
			}
		})
	}
}

// A line of a whole second is given on as soon as the log goes on, and not at its end.
func TestWholeSecondInBetween(t *testing.T) {
	var b strings.Builder
	for n := range 300 {
		at := fmt.Sprintf("%d.005", start/1000+int64(n))
		if n == 10 {
			at = at[:10]
		}
		fmt.Fprintf(&b, `{"msec":%s,"remote_addr":"203.0.113.7","host":"a.test","uri":"/api/x","status":200}`+"\n", at)
	}
	r := run(t, limited, Options{}, sourceOf(t, "log", b.String(), accesslog.JSON))
	if r.Requests != 300 || len(r.Faults) > 0 || slices.ContainsFunc(r.Assumptions, func(s string) bool { return strings.Contains(s, "went back") }) {
		t.Errorf("%d %v %v", r.Requests, r.Faults, r.Assumptions)
	}
}

// A log whose clock is set back for good is followed.
func TestClockBack(t *testing.T) {
	log := logOf(treeOf(t, limited), crowd(2000), 0)
	early := crowd(500)
	for i := range early {
		early[i].at -= 3_600_000
	}
	log = append(log, logOf(treeOf(t, limited), early, 0)...)
	r := run(t, limited, Options{}, sourceOf(t, "log", lines(log), accesslog.JSON))
	if r.Requests < 2480 || r.Skipped != r.Lines-r.Requests || r.Faults[0].Kind != "back" || r.Faults[0].Line != 2001 {
		t.Errorf("%d requests, %+v", r.Requests, r.Faults)
	}
}

// The queue lets requests out as if they had been sorted, whenever what is due is let out, and those that are looked at are
// the next ones.
func TestQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := newQueue()
		q.now, q.from = start, start
		var want, got, seen []int64
		name := func(e *entry) int64 { return e.at*1000 + e.seq }
		out := outlet{
			look: func(all []*entry) {
				if len(seen) != len(got) {
					t.Fatalf("%d looked at, %d let out", len(seen), len(got))
				}
				for _, e := range all {
					seen = append(seen, name(e))
				}
			},
			take: func(all []*entry) {
				for _, e := range all {
					if e.at != all[0].at {
						t.Fatalf("%d and %d at once", e.at, all[0].at)
					}
					got = append(got, name(e))
				}
			},
		}
		at := start
		for seq := range int64(rapid.IntRange(0, 200).Draw(t, "n")) {
			at += rapid.SampledFrom([]int64{0, 0, 1, 50, 3000, 59_000, 200_000}).Draw(t, "step")
			q.now = max(q.now, at-Window)
			if rapid.Bool().Draw(t, "drain") {
				q.drain(out)
				if len(got) > 0 && got[len(got)-1] >= q.now*1000 || q.n > 0 && q.first() < q.now {
					t.Fatalf("not what is due before %d", q.now)
				}
			}
			e := entry{at: at - rapid.Int64Range(0, Window).Draw(t, "took"), seq: seq}
			e.at = max(e.at, q.now)
			want = append(want, name(&e))
			q.put(&e, out)
		}
		q.drainAll(0, out)
		if !slices.Equal(got, seen) {
			t.Fatalf("looked at %v, let out %v", seen, got)
		}
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

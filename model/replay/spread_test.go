package replay

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ngxlimit/ngxlimit/model/accesslog"
)

// wholeLine is a line of whole seconds, so many after start.
func wholeLine(second, client int, path string) string {
	at := time.UnixMilli(start).UTC().Add(time.Duration(second) * time.Second)
	return fmt.Sprintf(`203.0.113.%d - - [%s] "GET %s HTTP/1.1" 200 1 "-" "-"`+"\n", client, at.Format("02/Jan/2006:15:04:05 -0700"), path)
}

// wholeLog is a log of such lines that begins at a second.
func wholeLog(t testing.TB, name string, first int, lines []string) Source {
	t.Helper()
	format, _ := accesslog.Known("combined")
	s := sourceOf(t, name, strings.Join(lines, ""), format)
	s.First = start + int64(first)*1000
	return s
}

var logsSaid = regexp.MustCompile(`the times of (the log|\d+ of \d+ logs)`)

// withoutLogs is a result without what names its logs.
func withoutLogs(t *testing.T, r *Result) string {
	r.Logs, r.URIs = nil, nil
	return logsSaid.ReplaceAllString(asJSON(t, r), "the times of the logs")
}

// However a log of whole seconds is cut into files, and whatever these are called, nothing comes out otherwise.
func TestWholeSecondsCut(t *testing.T) {
	held := 0
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(40, 400).Draw(r, "lines")
		var all []string
		var at []int
		for i, second := 0, 0; i < n; i++ {
			second += rapid.SampledFrom([]int{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 90}).Draw(r, "step")
			all, at = append(all, wholeLine(second, 1+i%5/4, "/x")), append(at, second)
		}
		whole := run(t, limited, Options{}, wholeLog(t, "log", 0, all))
		for _, l := range whole.Locations {
			held += l.Delayed
		}
		var parts []Source
		for from := 0; from < n; {
			to := min(n, from+rapid.IntRange(1, n).Draw(r, "cut"))
			parts = append(parts, wholeLog(t, fmt.Sprint("log.", len(parts)), at[from], all[from:to]))
			from = to
		}
		cut := run(t, limited, Options{}, parts...)
		if diff := cmp.Diff(withoutLogs(t, whole), withoutLogs(t, cut)); diff != "" {
			r.Fatal(diff)
		}
	})
	if held == 0 {
		t.Error("nothing was ever delayed")
	}
}

// Lines of neighbouring seconds may stand mixed, as several workers write them, and be cut apart.
func TestWholeSecondsCutMixed(t *testing.T) {
	var all []string
	var at []int
	for i := range 2000 {
		second := i / 20
		if i%7 == 6 && i%20 < 10 {
			second = max(second-1, 0)
		}
		all, at = append(all, wholeLine(second, 1+i%5/4, "/x")), append(at, second)
	}
	whole := run(t, limited, Options{}, wholeLog(t, "log", 0, all))
	if whole.Locations[0].Delayed == 0 {
		t.Errorf("nothing is delayed: %+v", whole.Locations)
	}
	want := withoutLogs(t, whole)
	for cut := 995; cut < 1015; cut++ {
		r := run(t, limited, Options{}, wholeLog(t, "a", slices.Min(at[cut:cut+20]), all[cut:]), wholeLog(t, "b", 0, all[:cut]))
		if diff := cmp.Diff(want, withoutLogs(t, r)); diff != "" {
			t.Fatalf("cut at %d: %s", cut, diff)
		}
	}
}

// The second half of a log may be named first, as patterns do that find access.log and access.log.1.
func TestWholeSecondsRotated(t *testing.T) {
	var all []string
	for second := range 2000 {
		all = append(all, wholeLine(second, 1, "/x"))
	}
	r := run(t, limited, Options{}, wholeLog(t, "access.log", 1000, all[1000:]), wholeLog(t, "access.log.1", 0, all[:1000]))
	if r.Requests != 2000 || r.Locations[0].Passed != 2000 || strings.Contains(strings.Join(r.Assumptions, "\n"), "went back") || strings.Contains(strings.Join(r.Assumptions, "\n"), "side by side") {
		t.Errorf("%+v %q", r.Locations, r.Assumptions)
	}
}

// Two logs of one nginx share a second; that their order is not known is said, and nothing is diagnosed from it.
func TestWholeSecondsSideBySide(t *testing.T) {
	var a, b, many []string
	for second := range 1000 {
		a, b = append(a, wholeLine(second, 1, "/x")), append(b, wholeLine(second, 1, "/y"))
		for range 8 {
			many = append(many, wholeLine(second, 1, "/z"))
		}
	}
	r := run(t, limited, Options{}, wholeLog(t, "a", 0, a), wholeLog(t, "b", 0, b))
	if r.Locations[0].Passed != 2000 || len(r.Diagnosis) != 0 || r.ToMs != start+999_500 {
		t.Errorf("%+v %+v", r.Locations, r.Diagnosis)
	}
	if !strings.Contains(strings.Join(r.Assumptions, "\n"), "in logs of whole seconds that were written side by side") {
		t.Errorf("it is not said: %q", r.Assumptions)
	}
	r = run(t, limited, Options{}, wholeLog(t, "a", 0, a), wholeLog(t, "b", 0, b), wholeLog(t, "many", 0, many))
	if r.Locations[0].Passed != 10_000 {
		t.Errorf("ten a second at 10r/s: %+v", r.Locations)
	}
	// Two places whose requests share a zone, and wait for each other in a second that is not spread evenly.
	for second := range 1000 {
		if many[second*8] = wholeLine(second, 2, "/z"); second%2 == 0 {
			b[second] = strings.Repeat(wholeLine(second, 1, "/y"), 12)
		}
	}
	r = run(t, limited, Options{}, wholeLog(t, "a", 0, a), wholeLog(t, "b", 0, b), wholeLog(t, "many", 0, many))
	if r.Locations[0].Delayed == 0 || len(kinds(r)[diagSteady])+len(kinds(r)[diagNodelay]) != 0 {
		t.Errorf("%+v %+v", r.Locations, r.Diagnosis)
	}
}

// More lines of a second than are kept are spread in parts.
func TestWholeSecondsMany(t *testing.T) {
	line := wholeLine(0, 1, "/x")
	all := make([]string, mostSpread*2+5)
	for i := range all {
		all[i] = line
	}
	all = append(all, wholeLine(1, 1, "/x"))
	r := run(t, limited, Options{}, wholeLog(t, "log", 0, all))
	if r.Requests != int64(len(all)) || r.FromMs != start || r.ToMs != start+1000 {
		t.Errorf("%d from %d to %d", r.Requests, r.FromMs, r.ToMs)
	}
}

package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/ngxlimit/ngxlimit/analyzer/numeral"
	"github.com/ngxlimit/ngxlimit/model/replay"
)

// A Replay is what replay read, and what came of it.
type Replay struct {
	Result  *replay.Result
	Input   string // the configuration, as the user named it
	Version string // of ngxlimit
}

// How many rows of a table are shown to a person; the JSON form has more.
const (
	textKeys    = 10
	textURIs    = 10
	textWindows = 3 // of each width
	textPages   = 10
)

// WriteReplay writes a replay for a person.
func WriteReplay(w io.Writer, r Replay, o Options) error {
	t := &replayWriter{errWriter{w: &inertWriter{w: w}}, palette{o.Color}, o}
	res := r.Result
	t.head(res)
	t.agreement(&res.Agreement)
	t.edge(res)
	t.locations(res)
	t.keys(res.Keys)
	t.uris(res.URIs)
	t.windows(res.Windows)
	t.pages(res.Pages)
	t.diagnosis(res.Diagnosis)
	if len(res.Assumptions) > 0 {
		t.print("\n")
	}
	for _, a := range res.Assumptions {
		t.print(wrap("assumed: "+clean(a), t.o.width()), "\n")
	}
	return t.err
}

type replayWriter struct {
	errWriter
	p palette
	o Options
}

// moment shows a time of a log.
func moment(ms int64) string {
	return time.UnixMilli(ms).UTC().Format("2006-01-02 15:04:05.000")
}

func (t *replayWriter) head(r *replay.Result) {
	line := fmt.Sprintf("%s of %s, %s", count(int(r.Requests), "request"), count(len(r.Logs), "log"), count(int(r.Lines), "line"))
	t.print(t.p.bold(line), "\n")
	if r.Requests > 0 {
		t.print(moment(r.FromMs), " to ", moment(r.ToMs), " UTC\n")
	}
	if r.Outside > 0 {
		t.print(count(int(r.Outside), "request"), " outside of that time left out\n")
	}
	for _, f := range r.Faults {
		what := "counted all the same"
		if f.Skipped {
			what = "skipped"
		}
		if f.Kind == replay.BrokenLog {
			t.print(wrap(fmt.Sprintf("%s:%d: %s", t.o.shown(f.File), f.Line, clean(f.Message)), t.o.width()), "\n")
			continue
		}
		t.print(fmt.Sprintf("%s %s (first: %s:%d)\n", faulty(f), what, clean(f.File), f.Line))
	}
}

// faulty is how many lines have a fault, as its message says it of several: "lines cut off".
func faulty(f replay.FaultStat) string {
	return count(int(f.Lines), "line") + clean(strings.TrimPrefix(f.Message, "lines"))
}

func (t *replayWriter) agreement(a *replay.Agreement) {
	if a.Logged == 0 {
		return
	}
	t.print("\n", t.p.bold(same(a)), "\n")
	if a.Shifted > 0 {
		t.print(fmt.Sprintf("of these %s with an arrival 1 ms earlier or later, which the log cannot tell\n", numeral.Count(a.Shifted)))
	}
	for _, k := range a.Kinds {
		t.print(wrap(differs(k), t.o.width()), "\n")
	}
}

// same is how much of what a log tells is decided alike here.
func same(a *replay.Agreement) string {
	return fmt.Sprintf("%s of %s logged decisions are the same (%s)", numeral.Count(a.Same), numeral.Count(a.Logged), share(int(a.Same), int(a.Logged)))
}

// differs is how many decisions differ in one way.
func differs(k replay.Disagreeing) string {
	return fmt.Sprintf("%s: %s (first: %s:%d, logged %s, here %s)", numeral.Count(k.N), k.Message, clean(k.File), k.Line, k.Logged, k.Replayed)
}

// on names the nginx in front of a name, where there are several.
func on(nginx, name string) string {
	if nginx == "" {
		return name
	}
	return clean(nginx) + ": " + name
}

func (t *replayWriter) locations(r *replay.Result) {
	if len(r.Locations) == 0 {
		t.print("no request reached a server\n")
		return
	}
	t.print("\n")
	tab := newTable()
	head, left := countHead("location"), t.o.width()-71
	if r.Edge != nil {
		head, left = slices.Insert(head, 1, any("stopped at edge")), left-16
	}
	tab.AppendHeader(head)
	places := make([][2]string, len(r.Locations))
	for i, l := range r.Locations {
		places[i] = [2]string{l.Server, l.Location}
	}
	names := placeNames(places, left)
	for i, l := range r.Locations {
		row := countRow(on(l.Nginx, names[i]), l.Requests, l.Passed, l.Delayed, l.Rejected, l.AddedMs)
		if r.Edge != nil {
			row = slices.Insert(row, 1, any(l.AtEdge))
		}
		tab.AppendRow(row)
	}
	t.print(rendered(tab), "\n")
	for _, l := range r.Locations {
		if l.DryRun > 0 {
			t.print(fmt.Sprintf("%s: %s would have been held up or refused without the dry run\n", on(l.Nginx, placeName(l.Server, l.Location, t.o.width())), count(l.DryRun, "request")))
		}
	}
}

func (t *replayWriter) keys(keys []replay.KeyStat) {
	if len(keys) == 0 {
		return
	}
	t.print("\n")
	tab := newTable()
	tab.AppendHeader(table.Row{"key", "zone", "requests", "delayed", "refused", "most in 1 s", "agents", "paths"})
	for _, k := range keys[:min(len(keys), textKeys)] {
		tab.AppendRow(table.Row{on(k.Nginx, snipText(clean(k.Key), 40)), clean(k.Zone), k.Requests, k.Delayed, k.Rejected, k.MostInSecond, about(k.Agents), about(k.URIs)})
	}
	t.print(rendered(tab), "\n")
	t.more(len(keys), textKeys)
}

// about shows a number that is 0 where nothing is known.
func about(n int64) string {
	if n == 0 {
		return "-"
	}
	return numeral.Count(n)
}

// more says that a table is cut off.
func (t *replayWriter) more(n, shown int) {
	if n > shown {
		t.print(t.p.faint(numeral.Count(n-shown)+" more in --format json"), "\n")
	}
}

func (t *replayWriter) uris(uris []replay.URIStat) {
	if len(uris) == 0 {
		return
	}
	t.print("\n")
	tab := newTable()
	tab.AppendHeader(table.Row{"path", "requests", "passed", "delayed", "refused", "longest"})
	for _, u := range uris[:min(len(uris), textURIs)] {
		tab.AppendRow(table.Row{on(u.Nginx, snipText(clean(u.Path), t.o.width()-50)), u.Requests, u.Passed, u.Delayed, u.Rejected, added(u.LongestMs)})
	}
	t.print(rendered(tab), "\n")
	t.more(len(uris), textURIs)
}

func (t *replayWriter) windows(windows []replay.WindowStat) {
	if len(windows) == 0 {
		return
	}
	t.print("\n")
	tab := newTable()
	tab.AppendHeader(table.Row{"worst windows", "of", "requests", "delayed", "refused", "such windows"})
	places := make([][2]string, len(windows))
	for i, w := range windows {
		places[i] = [2]string{w.Server, w.Location}
	}
	names := placeNames(places, t.o.width()-75)
	shown := map[int64]int{}
	for i, w := range windows {
		if shown[w.WidthMs]++; shown[w.WidthMs] > textWindows {
			continue
		}
		tab.AppendRow(table.Row{
			on(w.Nginx, moment(w.FromMs)+" "+names[i]), duration(w.WidthMs), w.Requests, w.Delayed, w.Rejected, w.Hit,
		})
	}
	t.print(rendered(tab), "\n")
}

func (t *replayWriter) pages(pages []replay.PageStat) {
	if len(pages) == 0 {
		return
	}
	t.print("\n")
	tab := newTable()
	tab.AppendHeader(table.Row{"page", "loads", "requests p50", "p95", "max", "over p50", "p95"})
	for _, p := range pages[:min(len(pages), textPages)] {
		tab.AppendRow(table.Row{
			on(p.Nginx, snipText(clean(p.Path), t.o.width()-60)), p.Loads, p.Requests.P50, p.Requests.P95, p.Requests.Max, duration(p.SpanMs.P50), duration(p.SpanMs.P95),
		})
	}
	t.print(rendered(tab), "\n")
	t.more(len(pages), textPages)
}

func (t *replayWriter) diagnosis(list []replay.Diagnosis) {
	for _, d := range list {
		t.print("\n", wrap(t.p.bold(on(d.Nginx, clean(d.Kind)))+": "+clean(d.Message), t.o.width()), "\n")
		if d.Directive != "" {
			t.print("  ", t.p.faint(fmt.Sprintf("%s:%d:", clean(d.File), d.Line)), " ", clean(d.Directive), "\n")
		}
	}
}

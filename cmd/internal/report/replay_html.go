package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/numeral"
	"github.com/ngxlimit/ngxlimit/model/replay"
)

//go:embed html/replay.html
var replayHTML string

// A replayView is what the template shows. Text in it is clean.
type replayView struct {
	CSS                   template.CSS
	Title, Input, Version string
	Head                  []string
	Timelines             []timelineView
	Bars                  []barsView
	Diagnosis             []diagnosisView
	Tables                []tableView
	Assumptions           []string
}

type diagnosisView struct{ Kind, Message, Place, Directive string }

type tableView struct {
	Title   string
	Columns []string
	Rows    []numbersRow
}

// WriteReplayHTML writes a replay as one page that needs nothing else: no script, no network.
func WriteReplayHTML(w io.Writer, r Replay) error {
	page, err := template.New("replay").Parse(replayHTML)
	if err != nil {
		return fmt.Errorf("parse the page's template: %w", err)
	}
	if err := page.Execute(w, replayViewOf(r)); err != nil {
		return fmt.Errorf("write html: %w", err)
	}
	return nil
}

func replayViewOf(r Replay) replayView {
	res := r.Result
	v := replayView{
		CSS: template.CSS(simulationCSS), Title: "Replay: " + count(int(res.Requests), "request") + " of " + count(len(res.Logs), "log"), //nolint:gosec // our own
		Input: clean(r.Input), Version: clean(r.Version), Assumptions: cleanAll(res.Assumptions),
	}
	v.Head = append(v.Head, fmt.Sprintf("%s, %s skipped; %s to %s UTC", numeral.Of(res.Lines, "line"), numeral.Count(res.Skipped), moment(res.FromMs), moment(res.ToMs)))
	for _, f := range res.Faults {
		what := faulty(f)
		if f.Kind == "broken" {
			what = clean(f.Message) // of the log, not of lines
		}
		v.Head = append(v.Head, fmt.Sprintf("%s (first: %s:%d)", what, clean(f.File), f.Line))
	}
	if a := res.Agreement; a.Logged > 0 {
		v.Head = append(v.Head, same(&a))
		for _, k := range a.Kinds {
			v.Head = append(v.Head, differs(k))
		}
	}
	if res.Edge != nil {
		v.Head = append(v.Head, replayEdgeLines(res)...)
	}
	for _, d := range res.Diagnosis {
		v.Diagnosis = append(v.Diagnosis, diagnosisView{on(d.Nginx, clean(d.Kind)), clean(d.Message), fmt.Sprintf("%s:%d:", clean(d.File), d.Line), clean(d.Directive)})
	}
	v.Timelines = timelines(&res.Series)
	for _, chart := range []*barsView{timesChart(res.Times), keysChart(res.Keys)} {
		if chart != nil {
			v.Bars = append(v.Bars, *chart)
		}
	}
	v.tables(res)
	return v
}

// tables adds the tables that have rows.
func (v *replayView) tables(r *replay.Result) {
	add := func(title string, rows []numbersRow, columns ...string) {
		if len(rows) > 0 {
			v.Tables = append(v.Tables, tableView{title, columns, rows})
		}
	}
	places := []string{"location", "requests", "passed", "delayed", "refused", "added p50", "p95", "longest"}
	if r.Edge != nil {
		places = slices.Insert(places, 1, "stopped at edge")
		add("Edge", edgeRows(r.Edge.Rules), append([]string{clean(r.Edge.Front) + " rule"}, edgeColumns...)...)
	}
	add("Locations", rowsOf(r.Locations, func(l *replay.Location) numbersRow {
		row := replayRow(on(l.Nginx, clean(l.Server+" "+l.Location)), l.Requests, l.Passed, l.Delayed, l.Rejected, added(l.AddedMs.P50), added(l.AddedMs.P95), added(l.AddedMs.Max))
		if r.Edge != nil {
			row.Cells = slices.Insert(row.Cells, 0, numeral.Count(l.AtEdge))
		}
		return row
	}), places...)
	add("Keys", rowsOf(r.Keys, func(k *replay.KeyStat) numbersRow {
		return replayRow(on(k.Nginx, clean(k.Key)), clean(k.Zone), k.Requests, k.Delayed, k.Rejected, k.MostInSecond, about(k.Agents), about(k.URIs))
	}), "key", "zone", "requests", "delayed", "refused", "most in 1 s", "agents", "paths")
	add("Paths", rowsOf(r.URIs, func(u *replay.URIStat) numbersRow {
		return replayRow(on(u.Nginx, clean(u.Path)), u.Requests, u.Passed, u.Delayed, u.Rejected, added(u.LongestMs))
	}), "path", "requests", "passed", "delayed", "refused", "longest")
	add("Worst windows", rowsOf(r.Windows, func(w *replay.WindowStat) numbersRow {
		return replayRow(on(w.Nginx, moment(w.FromMs)+" "+clean(w.Server+" "+w.Location)), duration(w.WidthMs), w.Requests, w.Delayed, w.Rejected, w.Hit)
	}), "from", "of", "requests", "delayed", "refused", "such windows")
	add("Pages", rowsOf(r.Pages, func(p *replay.PageStat) numbersRow {
		return replayRow(on(p.Nginx, clean(p.Path)), p.Loads, p.Requests.P50, p.Requests.P95, p.Requests.Max, duration(p.SpanMs.P50))
	}), "page", "loads", "requests p50", "p95", "max", "over")
}

func rowsOf[T any](list []T, row func(*T) numbersRow) []numbersRow {
	rows := make([]numbersRow, len(list))
	for i := range list {
		rows[i] = row(&list[i])
	}
	return rows
}

// replayRow makes a row of whatever can be printed.
func replayRow(name string, values ...any) numbersRow {
	row := numbersRow{Name: name}
	for _, v := range values {
		row.Cells = append(row.Cells, shown(v))
	}
	return row
}

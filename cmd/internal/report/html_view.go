package report

import (
	"fmt"
	"html/template"

	"github.com/ngxlimit/ngxlimit/analyzer/numeral"
	"github.com/ngxlimit/ngxlimit/model/simulate"
)

// viewOf arranges a simulation for the page.
func viewOf(s Simulation) pageView {
	v := pageView{
		CSS:   template.CSS(simulationCSS), //nolint:gosec // it is part of the program
		Title: s.title(), Input: clean(s.Input), Feeling: s.Result.Feeling, Version: s.Version, Assumptions: cleanAll(s.Result.Assumptions),
	}
	v.Trusting = trustingOf(s.Result.Trusting)
	sides := []side{{"as it is", "now", s.Result}}
	if m := s.Result.Mend; m != nil {
		v.Change = changeOf(m)
		if m.After != nil {
			sides = append(sides, side{"with the change", "after", m.After})
		}
	}
	for _, side := range sides {
		v.Sides = append(v.Sides, side.view())
	}
	for _, t := range s.Result.Tests {
		v.Tests = append(v.Tests, testView{t.Passed, t.Name, clean(t.Message)})
	}
	v.Figures = keyFigures(sides)
	v.Falls = waterfalls(sides)
	v.Charts = excessCharts(sides)
	v.Added = addedRows(sides)
	return v
}

// A side is one result of those that are compared.
type side struct {
	name, id string
	result   *simulate.Result
}

func (s side) view() sideView {
	v := sideView{Name: s.name, EdgeLines: edgeLines(s.result)}
	for _, l := range s.result.Locations {
		numbers := cells(l.Requests, l.Passed, l.Delayed, l.Rejected)
		if s.result.Edge != nil {
			numbers = cells(l.AtEdge, l.Requests, l.Passed, l.Delayed, l.Rejected)
		}
		v.Locations = append(v.Locations, numbersRow{
			placeName(l.Server, l.Location, 80),
			append(numbers, added(l.AddedMs.P50), added(l.AddedMs.P95), added(l.AddedMs.P99), added(l.AddedMs.Max)),
		})
	}
	if e := s.result.Edge; e != nil {
		v.Front = clean(e.Front)
		v.Edge = edgeRows(e.Rules)
	}
	if len(s.result.Crowds) > 1 {
		for _, c := range s.result.Crowds {
			v.Crowds = append(v.Crowds, numbersRow{
				fmt.Sprintf("%s (%s)", clean(c.Fan), clean(c.Role)),
				append(cells(c.Requests, c.Passed, c.Delayed, c.Rejected), added(c.AddedMs.P50), added(c.AddedMs.P95), added(c.AddedMs.P99), added(c.AddedMs.Max)),
			})
		}
	}
	for _, z := range s.result.Zones {
		v.Zones = append(v.Zones, numbersRow{
			clean(z.Zone),
			append(cells(z.Requests, z.Passed, z.Delayed, z.Rejected, z.Keys), milli(z.PeakExcessMilli), duration(z.PeakMs), duration(z.EmptyMs)),
		})
	}
	return v
}

func cells(numbers ...int) []string {
	out := make([]string, len(numbers))
	for i, n := range numbers {
		out[i] = numeral.Count(n)
	}
	return out
}

// keyFigures are what a reader looks for first.
func keyFigures(sides []side) []figureRow {
	var rows []figureRow
	row := func(name, id string, of func(*simulate.Result) (value int64, text string, bad bool)) {
		r := figureRow{Name: name}
		for _, s := range sides {
			value, text, bad := of(s.result)
			r.Cells = append(r.Cells, figureCell{s.id + "-" + id, text, value, bad})
		}
		rows = append(rows, r)
	}
	if sides[0].result.Page != nil {
		time := func(name, id string, of func(*simulate.PageStat) (ms, without int64)) {
			row(name, id, func(r *simulate.Result) (int64, string, bool) {
				ms, without := of(r.Page)
				return ms, duration(ms), ms > without
			})
		}
		time("page without limits, p50", "unlimited-p50", func(p *simulate.PageStat) (int64, int64) { return p.UnlimitedMs.P50, p.UnlimitedMs.P50 })
		time("page without limits, p95", "unlimited-p95", func(p *simulate.PageStat) (int64, int64) { return p.UnlimitedMs.P95, p.UnlimitedMs.P95 })
		time("page with limits, p50", "limited-p50", func(p *simulate.PageStat) (int64, int64) { return p.LimitedMs.P50, p.UnlimitedMs.P50 })
		time("page with limits, p95", "limited-p95", func(p *simulate.PageStat) (int64, int64) { return p.LimitedMs.P95, p.UnlimitedMs.P95 })
		row("broken pages", "broken", func(r *simulate.Result) (int64, string, bool) {
			n := r.Page.BrokenPages
			return int64(n), numeral.Count(n) + " of " + numeral.Count(r.Page.Pages), n > 0
		})
	}
	number := func(name, id string, of func(simulate.Figures) (part, all int)) {
		row(name, id, func(r *simulate.Result) (int64, string, bool) {
			part, all := of(r.Figures())
			return int64(part), numeral.Count(part) + " of " + numeral.Count(all), part > 0
		})
	}
	number("requests held up", "delayed", func(f simulate.Figures) (int, int) { return f.Delayed, f.Requests })
	number("requests refused", "rejected", func(f simulate.Figures) (int, int) { return f.Rejected, f.Requests })
	row("longest wait in the limiter", "longest", func(r *simulate.Result) (int64, string, bool) {
		longest := r.Figures().AddedMaxMs
		return longest, duration(longest), longest > 0
	})
	if sides[0].result.Figures().AttackAll > 0 {
		number("requests of the attack that come through", "attack", func(f simulate.Figures) (int, int) { return f.AttackThrough, f.AttackAll })
	}
	return rows
}

// addedSteps are the waits that the page tells apart, in milliseconds; the last takes all beyond.
var addedSteps = []int64{0, 50, 100, 250, 500, 1000, 2000, 5000, 10_000, 30_000}

// addedRows says how long the people's requests waited, as a row for each span of times that occurs.
func addedRows(sides []side) []addedRow {
	if len(sides[0].result.Crowds) == 0 {
		return nil
	}
	counts := make([][]int64, len(sides))
	refused := make([]int64, len(sides))
	var most int64
	for i, s := range sides {
		counts[i] = make([]int64, len(addedSteps)+1)
		for j := range s.result.Crowds {
			c := &s.result.Crowds[j]
			if !s.result.Tells(c) {
				continue
			}
			refused[i] += int64(c.Rejected)
			for _, b := range c.Added {
				counts[i][stepOf(b.UpToMs)] += b.N
			}
		}
		for _, n := range append(counts[i], refused[i]) {
			most = max(most, n)
		}
	}
	var rows []addedRow
	row := func(name, class string, of func(side int) int64) {
		r := addedRow{Name: name, Refused: class == "refused"}
		var all int64
		for i := range sides {
			n := of(i)
			all += n
			r.Cells = append(r.Cells, addedCell{class, percent(n, most), n})
		}
		if all > 0 {
			rows = append(rows, r)
		}
	}
	for step := range len(addedSteps) + 1 {
		name, class := "at once", "upstream"
		switch {
		case step == len(addedSteps):
			name, class = "longer than "+duration(addedSteps[step-1]), "limiter"
		case step > 0:
			name, class = "up to "+duration(addedSteps[step]), "limiter"
		}
		row(name, class, func(side int) int64 { return counts[side][step] })
	}
	row("refused", "refused", func(side int) int64 { return refused[side] })
	return rows
}

// stepOf returns the first step that a time does not exceed.
func stepOf(ms int64) int {
	for i, step := range addedSteps {
		if ms <= step {
			return i
		}
	}
	return len(addedSteps)
}

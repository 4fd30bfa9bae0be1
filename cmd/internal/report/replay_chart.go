package report

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/ngxlimit/ngxlimit/analyzer/numeral"
	"github.com/ngxlimit/ngxlimit/model/replay"
)

// How many rows the charts of places and keys have.
const chartRows = 12

// A timelineView is what happened over time: a column for each span, in the units of a drawing.
type timelineView struct {
	Caption string
	Most    string // what the highest column stands for
	Columns []columnView
	Ticks   []tickView
}

// A columnView is one span of time: what lies at the bottom, and what lies above it.
type columnView struct {
	X, Width float64
	Parts    []columnPart
	Title    string
}

type columnPart struct {
	Class     string
	Y, Height float64
}

// A barsView is a chart of rows.
type barsView struct {
	Caption string
	Legend  []legendView
	Rows    []barRow
}

type legendView struct{ Class, Text string }

type barRow struct {
	Name, Note string
	Bars       []shareView
}

type shareView struct {
	Class       string
	Left, Width float64 // percent
}

// timelines shows the requests over time, and those that were held up or refused below, on scales of their own: beside all
// requests they could often not be seen.
func timelines(s *replay.Series) []timelineView {
	if len(s.Spans) == 0 {
		return nil
	}
	all := timeline(s, "requests, by spans of "+duration(s.WidthMs), func(n *replay.Span) []int64 { return []int64{n.Requests} }, "requests")
	held := timeline(s, "of these refused and, on top of that, delayed", func(n *replay.Span) []int64 { return []int64{n.Rejected, n.Delayed} }, "refused", "delayed")
	if held == nil {
		return []timelineView{*all}
	}
	return []timelineView{*all, *held}
}

// timeline draws the counts of each span, one class above the other; nil where all are zero.
func timeline(s *replay.Series, caption string, counts func(*replay.Span) []int64, classes ...string) *timelineView {
	most := int64(0)
	sum := func(n *replay.Span) (sum int64) {
		for _, v := range counts(n) {
			sum += v
		}
		return sum
	}
	for i := range s.Spans {
		most = max(most, sum(&s.Spans[i]))
	}
	if most == 0 {
		return nil
	}
	begin := s.Spans[0].FromMs
	span := s.Spans[len(s.Spans)-1].FromMs + s.WidthMs - begin
	v := &timelineView{Caption: caption, Most: "up to " + numeral.Count(most), Ticks: momentTicks(begin, span)}
	scale := chartHeight * 0.9 / float64(most)
	for i := range s.Spans {
		n := &s.Spans[i]
		if sum(n) == 0 {
			continue
		}
		c := columnView{X: chartWidth * float64(n.FromMs-begin) / float64(span), Width: chartWidth * float64(s.WidthMs) / float64(span)}
		c.Title = fmt.Sprintf("%s: %s, %s delayed, %s refused", moment(n.FromMs), numeral.Of(n.Requests, "request"), numeral.Count(n.Delayed), numeral.Count(n.Rejected))
		top := float64(chartHeight)
		for j, value := range counts(n) {
			if height := float64(value) * scale; value > 0 {
				top -= height
				c.Parts = append(c.Parts, columnPart{classes[j], top, height})
			}
		}
		v.Columns = append(v.Columns, c)
	}
	return v
}

// momentTicks are five times along an axis; the days where there are several.
func momentTicks(begin, span int64) []tickView {
	layout := "15:04:05"
	switch {
	case span > 2*24*3600*1000:
		layout = "Jan 2 15:04"
	case span > 2*3600*1000:
		layout = "15:04"
	}
	list := make([]tickView, 0, 5)
	for i := range int64(5) {
		at := span * i / 4
		list = append(list, tickView{percent(at, span), time.UnixMilli(begin + at).UTC().Format(layout)})
	}
	return list
}

// timesChart sets how long requests took beside how long their upstreams did, by place, those with the greatest difference
// first.
func timesChart(times []replay.TimesStat) *barsView {
	times = slices.Clone(times)
	beside := func(t *replay.TimesStat) int64 { return max(t.RequestMs.P95-t.UpstreamMs.P95, 0) }
	slices.SortStableFunc(times, func(a, b replay.TimesStat) int { return cmp.Compare(beside(&b), beside(&a)) })
	times = times[:min(len(times), chartRows)]
	longest := int64(0)
	for _, t := range times {
		longest = max(longest, t.RequestMs.P95, t.UpstreamMs.P95)
	}
	if longest == 0 {
		return nil
	}
	v := &barsView{
		Caption: "the time that 95 of 100 requests did not exceed, and that of their upstreams",
		Legend:  []legendView{{"upstream", "upstream"}, {"limiter", "the rest of the request: where it is long, something before the upstream holds requests, such as a limit"}},
	}
	for i := range times {
		t := &times[i]
		v.Rows = append(v.Rows, barRow{
			on(t.Nginx, placeName(clean(t.Server), clean(t.Location), 60)),
			fmt.Sprintf("%s, upstream %s", duration(t.RequestMs.P95), duration(t.UpstreamMs.P95)),
			[]shareView{{"upstream", 0, percent(t.UpstreamMs.P95, longest)}, {"limiter", percent(t.UpstreamMs.P95, longest), percent(beside(t), longest)}},
		})
	}
	return v
}

// keysChart shows what the keys that met most met.
func keysChart(keys []replay.KeyStat) *barsView {
	keys = keys[:min(len(keys), chartRows)]
	most := int64(0)
	for _, k := range keys {
		most = max(most, k.Requests)
	}
	if most == 0 {
		return nil
	}
	v := &barsView{
		Caption: "requests of the keys that were refused and delayed most",
		Legend:  []legendView{{"network", "passed at once"}, {"limiter", "delayed"}, {"refused", "refused"}},
	}
	for _, k := range keys {
		row := barRow{Name: on(k.Nginx, clean(k.Key)) + " (" + clean(k.Zone) + ")", Note: numeral.Count(k.Rejected) + " of " + numeral.Count(k.Requests) + " refused"}
		at := int64(0)
		for _, part := range []struct {
			class string
			n     int64
		}{{"network", k.Passed}, {"limiter", k.Delayed}, {"refused", k.Rejected}} {
			if part.n > 0 {
				row.Bars = append(row.Bars, shareView{part.class, percent(at, most), percent(part.n, most)})
			}
			at += part.n
		}
		v.Rows = append(v.Rows, row)
	}
	return v
}

package report

import (
	"fmt"
	"strconv"

	"github.com/ngxlimit/ngxlimit/model/simulate"
)

// A fallView is one page load as a browser's developer tools show it.
type fallView struct {
	Side, Caption string
	Rows          []fallRow
	Ticks         []tickView
	LeftOut       string
}

type fallRow struct {
	What, Note string
	Refused    bool
	Bars       []barView
}

// A barView is a while of a request; places are in percent of the width.
type barView struct {
	Class, Title string
	Left, Width  float64
}

// waterfalls shows the median and the worst page of each side over the same span of time, so that the sides compare.
func waterfalls(sides []side) [][]fallView {
	var out [][]fallView
	for _, which := range []string{"median", "worst"} {
		falls := make([]*simulate.Waterfall, len(sides))
		var span int64
		for i, s := range sides {
			for j := range s.result.Waterfalls {
				if w := &s.result.Waterfalls[j]; w.Which == which {
					falls[i] = w
					span = max(span, lasts(w))
				}
			}
		}
		var row []fallView
		for i, w := range falls {
			if w != nil {
				row = append(row, fallOf(sides[i].name, w, max(span, 1)))
			}
		}
		if len(row) > 0 && (which != "worst" || !samePages(sides)) {
			out = append(out, row)
		}
	}
	return out
}

// samePages says whether the worst page of every side is its median page, as where there is one page only.
func samePages(sides []side) bool {
	for _, s := range sides {
		first := s.result.Waterfalls
		for i := range first {
			if first[i].Client != first[0].Client || first[i].Load != first[0].Load || first[i].StartMs != first[0].StartMs {
				return false
			}
		}
	}
	return true
}

func lasts(w *simulate.Waterfall) int64 {
	span := w.TookMs
	for i := range w.Entries {
		span = max(span, w.Entries[i].EndMs)
	}
	return span
}

func fallOf(side string, w *simulate.Waterfall, span int64) fallView {
	state := ""
	if w.Broken {
		state = ", broken"
	}
	v := fallView{
		Side: side, Ticks: timeTicks(span),
		Caption: fmt.Sprintf("the %s page of %s took %s%s", w.Which, strconv.Quote(clean(w.Fan)), duration(w.TookMs), state),
	}
	for i := range w.Entries {
		v.Rows = append(v.Rows, fallRowOf(&w.Entries[i], span))
	}
	if w.LeftOut > 0 {
		v.LeftOut = fmt.Sprintf("%s more are left out", count(w.LeftOut, "request"))
	}
	return v
}

func fallRowOf(e *simulate.Entry, span int64) fallRow {
	r := fallRow{What: clean(e.Method + " " + e.Path)}
	if e.Try > 0 {
		r.What = fmt.Sprintf("%s (try %d)", r.What, e.Try+1)
	}
	at := e.IssuedMs
	bar := func(class, what string, ms int64) {
		if ms > 0 {
			r.Bars = append(r.Bars, barView{class, what + " " + duration(ms), percent(at, span), percent(ms, span)})
			at += ms
		}
	}
	switch e.Verdict {
	case "NOT_SENT":
		r.Refused, r.Note = true, "never sent"
		return r
	case "REJECTED":
		bar("queued", "waits for a connection", e.SentMs-e.IssuedMs)
		bar("refused", "refused after", e.EndMs-e.SentMs)
		r.Refused, r.Note = true, "refused"
		if e.Status != nil {
			r.Note = strconv.Itoa(*e.Status) + " refused"
		}
		return r
	}
	network := max(e.EndMs-e.SentMs-e.WaitMs-e.ServiceMs, 0)
	bar("queued", "waits for a connection", e.SentMs-e.IssuedMs)
	bar("network", "network", network/2)
	bar("limiter", "held up by the limiter for", e.WaitMs)
	bar("upstream", "upstream", e.ServiceMs)
	bar("network", "network", network-network/2)
	r.Note = duration(e.EndMs - e.IssuedMs)
	if e.WaitMs > 0 {
		r.Note += ", held " + duration(e.WaitMs)
	}
	return r
}

package replay

import (
	"slices"

	"github.com/ngxlimit/ngxlimit/model/pipeline"
)

// widths are those of the windows in which requests are counted, in milliseconds.
var widths = [...]int64{100, 1_000, 10_000, 60_000}

// numbersAt are the numbers of the windows of each width at a time. The widths stand here once more, as a division by a
// constant is several times as quick.
func numbersAt(at int64) [len(widths)]int64 {
	return [...]int64{at / 100, at / 1_000, at / 10_000, at / 60_000}
}

// worstOf is how many windows of a width are kept for each place: those in which most was refused and delayed, and of
// equal ones those with most requests.
const worstOf = 5

// A span counts the requests of one place within one window.
type span struct {
	at                         int64 // number of the window
	requests, delayed, refused int64
}

func (s *span) worse(o *span) int {
	if d := (o.delayed + o.refused) - (s.delayed + s.refused); d != 0 {
		return int(min(max(d, -1), 1))
	}
	if d := o.requests - s.requests; d != 0 {
		return int(min(max(d, -1), 1))
	}
	return int(min(max(s.at-o.at, -1), 1))
}

// placeWindows are the windows of a place.
type placeWindows struct {
	place pipeline.Place
	open  [len(widths)]span
	worst [len(widths)][]span
	hit   [len(widths)]int64 // windows in which something was refused or delayed
	held  [len(widths)]int64 // likewise delayed
	some  [len(widths)]int64 // windows with any request

	series *Series // of all places
}

// windows count by places. Their size follows the places, not the requests.
type windows struct {
	all pipeline.ByPlace[placeWindows]

	series Series
}

func (w *windows) count(at int64, place pipeline.Place, o outcome) {
	p, made := w.all.Of(place)
	if made {
		p.place, p.series = place, &w.series
	}
	for i, n := range numbersAt(at) {
		s := &p.open[i]
		if n != s.at {
			p.close(i)
			s.at = n
		}
		s.requests++
		switch o {
		case delayed:
			s.delayed++
		case rejected:
			s.refused++
		case passed:
		}
	}
}

// close keeps a window where it is among the worst.
func (p *placeWindows) close(i int) {
	s := p.open[i]
	p.open[i] = span{}
	if s.requests == 0 {
		return
	}
	p.some[i]++
	if widths[i] == leastSpan {
		p.series.add(s.at*leastSpan, s.requests, s.delayed, s.refused)
	}
	if s.delayed > 0 {
		p.held[i]++
	}
	if s.delayed+s.refused > 0 {
		p.hit[i]++
	}
	list := p.worst[i]
	if len(list) == worstOf && list[worstOf-1].worse(&s) <= 0 {
		return
	}
	at, _ := slices.BinarySearchFunc(list, s, func(a, b span) int { return a.worse(&b) })
	if list = slices.Insert(list, at, s); len(list) > worstOf {
		list = list[:worstOf]
	}
	p.worst[i] = list
}

func (w *windows) end() {
	for p := range w.all.All() {
		for i := range widths {
			p.close(i)
		}
	}
}

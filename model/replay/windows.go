package replay

import "slices"

// widths are those of the windows in which requests are counted, in milliseconds. Each is a multiple of the one before.
var widths = [...]int64{100, 1_000, 10_000, 60_000}

// worstOf is how many windows of a width are kept for each place: those in which most was refused and delayed, and of
// equal ones those with most requests.
const worstOf = 5

// A span counts the requests of one place within one window.
type span struct {
	at                         int64 // number of the window
	requests, delayed, refused int64
	spread                     bool // the times of some of them within their second are made up
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

// placeWindows are the windows of a place. Their size does not follow the requests.
type placeWindows struct {
	open  [len(widths)]span // what is closed of a width is in the open one of the next
	worst [len(widths)][]span
	hit   [len(widths)]int64 // windows in which something was refused or delayed
	held  [len(widths)]int64 // likewise delayed
	some  [len(widths)]int64 // windows with any request

	series *Series // of all places
}

// count takes one request that came at a time; spread says that its log knows the second only.
func (p *placeWindows) count(at int64, o outcome, spread bool) {
	n := at / 100 // widths[0]: a division by a constant is several times as quick
	s := &p.open[0]
	if n != s.at {
		p.close(0)
		s.at = n
	}
	s.requests++
	s.spread = s.spread || spread
	switch o {
	case delayed:
		s.delayed++
	case rejected:
		s.refused++
	case passed:
	}
}

// add takes what came within a window of the width before.
func (p *placeWindows) add(i int, o *span) {
	n := o.at * widths[i-1] / widths[i]
	s := &p.open[i]
	if n != s.at {
		p.close(i)
		s.at = n
	}
	s.requests += o.requests
	s.delayed += o.delayed
	s.refused += o.refused
}

// close keeps a window where it is among the worst.
func (p *placeWindows) close(i int) {
	s := p.open[i]
	p.open[i] = span{}
	if s.requests == 0 {
		return
	}
	if i+1 < len(widths) {
		p.add(i+1, &s)
	}
	if s.spread && widths[i] < leastSpan {
		return // what it shows is how the requests of a second were spread, and no burst
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

// end closes all of them.
func (p *placeWindows) end() {
	for i := range widths {
		p.close(i)
	}
}

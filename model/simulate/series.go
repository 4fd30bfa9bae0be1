package simulate

import (
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
)

// maxSpans bounds the spans of time that a series tells apart.
const maxSpans = 512

// A series collects the excess of one key. It begins with spans of a millisecond, and makes them twice as long whenever
// there are too many.
type series struct {
	key   string // as bytes
	text  string
	rate  int64
	width clock.Msec
	spans []span

	charged bool
	last    sampled
}

// A span is what happened in a while: the excess in front of the first request, the highest, and the last.
type span struct {
	from               clock.Msec // a multiple of the width
	charged            bool
	first, high, after sampled
	refused            int
}

type sampled struct {
	at     clock.Msec
	excess int64
}

func newSeries(z pipeline.ZoneUse) *series {
	return &series{key: z.Key, text: z.PeakKey, rate: z.Zone.Rate, width: 1}
}

// take notes what a request of a key found at a time; the excess is the new one where it was charged. A nil series takes
// nothing.
func (s *series) take(key string, now clock.Msec, excess int64, charged bool) {
	if s == nil || key != s.key {
		return
	}
	at := s.spanAt(now)
	if !charged {
		at.refused++
		return
	}
	before := sampled{now, 0}
	if s.charged && emptyAt(s.last, s.rate) > now {
		before.excess = s.last.excess - s.rate*int64(max(now-s.last.at, 0))/1000
	}
	if !at.charged {
		at.charged, at.first, at.high = true, before, before
	}
	at.after = sampled{now, excess}
	if excess > at.high.excess {
		at.high = at.after
	}
	s.charged, s.last = true, at.after
}

// spanAt returns the span of a time, which is never before the last one.
func (s *series) spanAt(now clock.Msec) *span {
	from := now - now%s.width
	if n := len(s.spans); n > 0 && s.spans[n-1].from >= from {
		return &s.spans[n-1]
	}
	for len(s.spans) >= maxSpans {
		s.double()
		from = now - now%s.width
		if n := len(s.spans); s.spans[n-1].from >= from {
			return &s.spans[n-1]
		}
	}
	s.spans = append(s.spans, span{from: from})
	return &s.spans[len(s.spans)-1]
}

// double makes the spans twice as long, and joins those that become one.
func (s *series) double() {
	s.width *= 2
	n := 0
	for _, next := range s.spans {
		next.from -= next.from % s.width
		if n > 0 && s.spans[n-1].from == next.from {
			s.spans[n-1].join(&next)
			continue
		}
		s.spans[n] = next
		n++
	}
	s.spans = s.spans[:n]
}

func (a *span) join(b *span) {
	a.refused += b.refused
	switch {
	case !b.charged:
		return
	case !a.charged:
		a.charged, a.first, a.high = true, b.first, b.high
	case b.high.excess > a.high.excess:
		a.high = b.high
	}
	a.after = b.after
}

// result draws the line.
func (s *series) result() *Series {
	r := &Series{Key: s.text, Points: []Point{}, Refused: []Count{}}
	put := func(p sampled) {
		point := Point{int64(p.at - epoch), p.excess}
		if n := len(r.Points); n == 0 || r.Points[n-1] != point {
			r.Points = append(r.Points, point)
		}
	}
	var last *sampled
	for i := range s.spans {
		at := &s.spans[i]
		if at.refused > 0 {
			r.Refused = append(r.Refused, Count{int64(at.from - epoch), at.refused})
		}
		if !at.charged {
			continue
		}
		if last != nil {
			if empty := emptyAt(*last, s.rate); empty < at.first.at {
				put(sampled{empty, 0})
			}
		}
		put(at.first)
		put(at.high)
		put(at.after)
		last = &at.after
	}
	if last != nil {
		put(sampled{emptyAt(*last, s.rate), 0})
	}
	return r
}

// emptyAt returns when a bucket has drained.
func emptyAt(p sampled, rate int64) clock.Msec {
	return p.at + clock.Msec((p.excess*1000+rate-1)/rate)
}

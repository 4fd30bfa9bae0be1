package replay

import (
	"cmp"
	"slices"
)

const (
	mostSpans = 240  // that a Series has
	leastSpan = 1000 // milliseconds of one
)

// A Series is what happened over time, in spans of one width: a second, or as often twice that as makes all of them few.
// Spans without a request are left out.
type Series struct {
	WidthMs int64  `json:"width_ms"` // 0 where nothing happened
	Spans   []Span `json:"spans"`    // by time
}

// A Span is one span of time.
type Span struct {
	FromMs   int64 `json:"from_ms"` // a multiple of the width
	Requests int64 `json:"requests"`
	Delayed  int64 `json:"delayed"`
	Rejected int64 `json:"rejected"`
}

// add counts requests that came within the second that begins at a time. What comes of a series does not depend on the
// order of its requests.
func (s *Series) add(at, requests, delayed, rejected int64) {
	s.WidthMs = max(s.WidthMs, leastSpan)
	for {
		from := at - at%s.WidthMs
		i, found := slices.BinarySearchFunc(s.Spans, from, func(a Span, at int64) int { return cmp.Compare(a.FromMs, at) })
		if !found {
			first, last := from, from
			if len(s.Spans) > 0 {
				first, last = min(first, s.Spans[0].FromMs), max(last, s.Spans[len(s.Spans)-1].FromMs)
			}
			if (last-first)/s.WidthMs >= mostSpans {
				s.widen(2 * s.WidthMs)
				continue
			}
			s.Spans = slices.Insert(s.Spans, i, Span{FromMs: from})
		}
		n := &s.Spans[i]
		n.Requests += requests
		n.Delayed += delayed
		n.Rejected += rejected
		return
	}
}

// widen makes the spans as wide as a multiple of their width.
func (s *Series) widen(width int64) {
	old := s.Spans
	s.WidthMs, s.Spans = width, nil
	for _, n := range old {
		s.add(n.FromMs, n.Requests, n.Delayed, n.Rejected)
	}
}

// merge adds another series.
func (s *Series) merge(o *Series) {
	if s.WidthMs < o.WidthMs {
		s.widen(o.WidthMs)
	}
	for _, n := range o.Spans {
		s.add(n.FromMs, n.Requests, n.Delayed, n.Rejected)
	}
}

// clone returns a series that shares nothing, with a list of spans even where there is none.
func (s *Series) clone() Series { return Series{s.WidthMs, append([]Span{}, s.Spans...)} }

// valid says whether a series is one that add makes.
func (s *Series) valid() bool {
	if len(s.Spans) == 0 {
		return s.WidthMs == 0
	}
	if s.WidthMs < leastSpan || s.WidthMs%leastSpan != 0 || s.WidthMs/leastSpan&(s.WidthMs/leastSpan-1) != 0 || len(s.Spans) > mostSpans {
		return false
	}
	for i, n := range s.Spans {
		if n.FromMs%s.WidthMs != 0 || i > 0 && n.FromMs <= s.Spans[i-1].FromMs || n.Requests < 1 || n.Delayed < 0 || n.Rejected < 0 || n.Delayed+n.Rejected > n.Requests {
			return false
		}
	}
	return (s.Spans[len(s.Spans)-1].FromMs-s.Spans[0].FromMs)/s.WidthMs < mostSpans
}

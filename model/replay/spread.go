package replay

import (
	"cmp"
	"math"
	"slices"
)

const (
	mostSpread = 1 << 16 // how many lines are kept to be spread over their seconds; more are spread in parts
	mixing     = 1000    // milliseconds by which the lines of a log may stand in another order than that of their seconds
	secondOver = 1000 + mixing
)

// A spread gives the lines of one nginx whose times are whole seconds each a time of its own within the second, evenly and
// in their order, whatever logs they stand in. What happened within a second is not known then.
type spread struct {
	seconds []*second // that are not over, in their order
	n       int       // lines that are kept
	due     int64     // when the first of the seconds is over; math.MaxInt64 where nothing is kept
	spare   []*second
}

// A second keeps its lines, those of each log apart.
type second struct {
	at     int64 // when it begins, in milliseconds
	from   int64 // where in it the next part begins
	shares []share
	n      int
}

// A share is what one log holds of a second, in its order.
type share struct {
	log   *log
	items []item
}

func newSpread() *spread { return &spread{due: math.MaxInt64} }

// add returns room for an entry of a log that is kept until its second is over.
func (s *spread) add(r *replay, l *log, at int64, to *engine) *entry {
	s.pass(r, at)
	if s.n == mostSpread {
		s.give(r, len(s.seconds) == 1)
	}
	s.n++
	return s.of(at).add(l, to)
}

// pass gives on the seconds that are over at a time.
func (s *spread) pass(r *replay, at int64) {
	for s.due <= at {
		s.give(r, false)
	}
}

// flush gives on all that is kept.
func (s *spread) flush(r *replay) {
	for len(s.seconds) > 0 {
		s.give(r, false)
	}
}

// of returns the second that begins at a time.
func (s *spread) of(at int64) *second {
	n := len(s.seconds)
	for n > 0 && s.seconds[n-1].at > at {
		n--
	}
	if n > 0 && s.seconds[n-1].at == at {
		return s.seconds[n-1]
	}
	made := &second{}
	if last := len(s.spare) - 1; last >= 0 {
		made, s.spare = s.spare[last], s.spare[:last]
	}
	made.at, made.from = at, 0
	s.seconds = slices.Insert(s.seconds, n, made)
	s.due = s.seconds[0].at + secondOver
	return made
}

// add returns room for an entry of a log.
func (w *second) add(l *log, to *engine) *entry {
	w.n++
	for i := range w.shares {
		if h := &w.shares[i]; h.log == l {
			h.items = append(h.items, item{to: to})
			return &h.items[len(h.items)-1].e
		}
	}
	if n := len(w.shares); n < cap(w.shares) {
		w.shares = w.shares[:n+1]
	} else {
		w.shares = append(w.shares, share{})
	}
	h := &w.shares[len(w.shares)-1]
	h.log, h.items = l, append(h.items[:0], item{to: to})
	return &h.items[0].e
}

// give gives on what is kept of the first second; more says that more of it may follow.
func (s *spread) give(r *replay, more bool) {
	w := s.seconds[0]
	left := 1000 - w.from
	if more {
		left /= 2
	}
	list, mixed := w.inOrder()
	for i := range list {
		e := &list[i].e
		by := w.from + int64(i)*left/int64(len(list))
		e.logged += by
		e.at += by
		e.coarseTime, e.mixed = true, mixed
		if mixed {
			list[i].to.mixed++
		}
		*r.next(list[i].to) = *e
	}
	s.n -= w.n
	w.clear()
	w.from += left
	if more {
		return
	}
	s.seconds, s.spare, s.due = slices.Delete(s.seconds, 0, 1), append(s.spare, w), math.MaxInt64
	if len(s.seconds) > 0 {
		s.due = s.seconds[0].at + secondOver
	}
}

// clear forgets the lines and keeps their room.
func (w *second) clear() {
	for i := range w.shares {
		clear(w.shares[i].items)
		w.shares[i].log, w.shares[i].items = nil, w.shares[i].items[:0]
	}
	w.shares, w.n = w.shares[:0], 0
}

// inOrder lists the lines of a second. Where a log ends in it and another one begins, as where logs are rotated, one goes
// before the other. Of logs that were written side by side nothing tells the order: they are mixed evenly, and that is said.
func (w *second) inOrder() (list []item, mixed bool) {
	if len(w.shares) == 1 {
		return w.shares[0].items, false
	}
	slices.SortFunc(w.shares, func(a, b share) int { return cmp.Compare(a.log.rank, b.log.rank) })
	var ended, short, begun, beside [][]item
	var last *log
	for _, h := range w.shares {
		ends, begins := h.log.ended && h.log.last < w.at+secondOver, h.log.first >= w.at-mixing
		switch {
		case ends && begins && (last == nil || last.last <= h.log.first+mixing):
			short, last = append(short, h.items), h.log
		case ends && !begins:
			ended = append(ended, h.items)
		case begins && !ends:
			begun = append(begun, h.items)
		default:
			beside = append(beside, h.items)
		}
	}
	chain := mix(ended)
	for _, items := range short {
		chain = append(chain, items...)
	}
	chain = append(chain, mix(begun)...)
	if len(chain) > 0 {
		beside = append([][]item{chain}, beside...)
	}
	return mix(beside), len(ended) > 1 || len(begun) > 1 || len(beside) > 1
}

// mix puts lists together so that each is spread evenly over the whole and keeps its order.
func mix(lists [][]item) []item {
	type place struct{ list, at int }
	var order []place
	for n := range lists {
		for at := range lists[n] {
			order = append(order, place{n, at})
		}
	}
	slices.SortStableFunc(order, func(a, b place) int {
		return cmp.Compare((2*a.at+1)*len(lists[b.list]), (2*b.at+1)*len(lists[a.list]))
	})
	list := make([]item, len(order))
	for i, p := range order {
		list[i] = lists[p.list][p.at]
	}
	return list
}

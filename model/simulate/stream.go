package simulate

import (
	"math"

	"github.com/ngxlimit/ngxlimit/model/traffic"
)

// streaming is how far a load has come with a stream.
type streaming struct {
	begun      bool
	next       int32 // number of the next request that is due
	at, end    float64
	late       int32 // due, but held back by the bound on unanswered ones
	sent       int32
	unanswered int32
}

// stream begins a stream of a load.
func (s *simulation) stream(l *load, n int32, at int64) {
	t, st := &l.crowd.page.streams[n], &l.streams[n]
	at += t.offset
	*st = streaming{begun: true, at: float64(at), end: float64(at + t.length)}
	s.push(event{at: at, load: l.slot, req: n, kind: due})
}

// tick sends a stream's request that is due, or notes that it is late, and schedules the next one.
func (s *simulation) tick(l *load, n int32, at int64) {
	t, st := &l.crowd.page.streams[n], &l.streams[n]
	if t.AtOnce > 0 && int(st.unanswered) >= t.AtOnce {
		st.late++
	} else {
		s.sendNext(l, n, at)
	}
	if st.next++; st.next == t.count {
		return
	}
	if t.Spacing == traffic.AtRandom {
		// Given how many come, the points of a Poisson process are spread evenly over what is left of the time.
		u := s.draw(drawStream, l, int64(t.first), int64(st.next))
		st.at += (st.end - st.at) * (1 - math.Pow(1-u, 1/float64(t.count-st.next)))
	} else {
		st.at += t.gap
	}
	s.push(event{at: int64(st.at), load: l.slot, req: n, kind: due})
}

// sendNext sends the next request of a stream. A program opens as many connections as it needs.
func (s *simulation) sendNext(l *load, n int32, at int64) {
	st := &l.streams[n]
	id := l.crowd.page.streams[n].first + st.sent
	st.sent++
	st.unanswered++
	l.record.issue(id, at)
	s.send(l, id, at)
}

// streamAnswered lets a stream go on that was held back.
func (s *simulation) streamAnswered(l *load, n int32, at int64) {
	st := &l.streams[n]
	st.unanswered--
	if st.late > 0 {
		st.late--
		s.sendNext(l, n, at)
	}
}

package simulate

import (
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
)

// A simulation is loads under way: events in time order, the loads that they belong to, and what is counted. Its memory
// follows the loads that are under way, not those that were or will be.
type simulation struct {
	pipe   *pipeline.Pipeline // nil: every request is answered at once, and nothing is counted but pages
	front  *front             // nil: no edge stands in front of nginx
	target target
	opts   *Options
	crowds []*crowd

	queue
	spareLoads []int32 // of the loads, those to be used again
	begun      int64   // loads so far
	kept       []*kept // by the events' numbers; the first is nobody's
	spareKept  []int32 // of kept

	plans   map[planKey]*pipeline.Plan // of requests that do not hold for all clients, as long as there are not too many
	callers map[int32]*pipeline.Caller // by address, likewise

	stats     *stats
	rows      []Row
	watch     *watch // nil: nobody wants to know the course of anything
	meter     meter
	sightings *sightings
}

// maxPlans bounds how many routed requests are kept; beyond it each request is routed anew.
const maxPlans = 1 << 15

// run lets all clients load their pages.
func (s *simulation) run() {
	for _, c := range s.crowds {
		s.scheduleNext(c)
	}
	for len(s.events) > 0 {
		e := s.pop()
		l := s.loads[e.load]
		l.events--
		s.happen(&e, l)
		if l.left == 0 && l.events == 0 {
			s.finish(l)
		}
	}
}

func (s *simulation) happen(e *event, l *load) {
	switch e.kind {
	case began:
		s.scheduleNext(l.crowd)
		s.repeat(l, e.at)
		s.begin(l, e.at)
	case issued:
		s.issue(l, e.req, e.at)
	case due:
		s.tick(l, e.req, e.at)
	case opened:
		l.opening--
		s.release(l, e.at)
	case answered:
		s.answer(l, e.req, e.at)
	case refused:
		s.free(l, e.req, e.at)
	case arrived:
		s.serve(l, e.req, e.at)
	case resumed:
		s.resume(l, e.req, e.kept, e.at)
	case served:
		s.drop(e.kept)
	}
}

func (s *simulation) push(e event) {
	s.loads[e.load].events++
	s.queue.push(e)
}

// scheduleNext lets the next client of a crowd begin. Clients come one after the other, so that those to come need no
// memory.
func (s *simulation) scheduleNext(c *crowd) {
	if at, client, ok := c.arrive.next(); ok {
		s.schedule(c, at, client, 0)
	}
}

// repeat schedules the client's next load of the page, whether this one ends in time or not.
func (s *simulation) repeat(l *load, at int64) {
	if int(l.round)+1 < l.crowd.Repeat {
		s.schedule(l.crowd, at+l.crowd.Every.Microseconds(), l.client, l.round+1)
	}
}

func (s *simulation) schedule(c *crowd, at int64, client, round int32) {
	var l *load
	if n := len(s.spareLoads); n > 0 {
		l, s.spareLoads = s.loads[s.spareLoads[n-1]], s.spareLoads[:n-1]
	} else {
		l = &load{slot: int32(len(s.loads))}
		s.loads = append(s.loads, l)
	}
	s.begun++
	l.number, l.crowd, l.client, l.round = s.begun, c, client, round
	l.address = c.addressOf(client)
	l.rtt = c.page.rtt.of(s, drawRTT, l, -1, 0)
	l.record = s.watch.recordOf(l)
	if s.pipe != nil {
		l.caller = s.caller(l.address)
	}
	l.left = 1 // until it begins
	s.push(event{at: at, load: l.slot, kind: began})
}

// finish counts the pages of a load whose requests are all done.
func (s *simulation) finish(l *load) {
	for _, k := range l.holds {
		s.drop(k)
	}
	l.holds = l.holds[:0]
	c := l.crowd
	for i := range l.visits {
		v := &l.visits[i]
		c.stats.page(v)
		if c.stats != s.stats && c.people {
			s.stats.page(v)
		}
		if c.people {
			s.watch.page(l, i)
		}
	}
	s.watch.finish(l)
	s.spareLoads = append(s.spareLoads, l.slot)
}

// keep remembers a request that nginx holds, and returns its number.
func (s *simulation) keep(k kept) int32 {
	var n int32
	if spare := len(s.spareKept); spare > 0 {
		n, s.spareKept = s.spareKept[spare-1], s.spareKept[:spare-1]
	} else {
		if len(s.kept) == 0 {
			s.kept = append(s.kept, nil)
		}
		n = int32(len(s.kept))
		s.kept = append(s.kept, new(kept))
	}
	*s.kept[n] = k
	return n
}

// drop lets nginx forget a request.
func (s *simulation) drop(n int32) {
	s.kept[n].flight.Finish()
	s.spareKept = append(s.spareKept, n)
}

func (s *simulation) caller(address int32) *pipeline.Caller {
	if c := s.callers[address]; c != nil {
		return c
	}
	c := pipeline.NewCaller(s.target.clients.address(address))
	if len(s.callers) < maxPlans {
		s.callers[address] = c
	}
	return c
}

// epoch is nginx's clock at the start of a simulation, far enough from 0 that a key which was never charged counts as
// drained: nginx's clock counts from the machine's start.
const epoch = clock.Up

func toClock(at int64) clock.Msec {
	ms := at / 1000
	if at%1000 < 0 {
		ms--
	}
	return epoch + clock.Msec(ms)
}

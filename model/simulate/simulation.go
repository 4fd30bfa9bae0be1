package simulate

import (
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
	"github.com/ngxlimit/ngxlimit/model/traffic"
)

// A simulation is page loads under way: events in time order, the loads that they belong to, and what is counted. Its
// memory follows the loads that are under way, not those that were or will be.
type simulation struct {
	pipe   *pipeline.Pipeline // nil: every request is answered at once, and nothing is counted but pages
	page   *page
	fan    *traffic.Fan
	target target
	opts   *Options

	events queue
	arrive arrivals
	idle   []*load // to be used again
	spare  []*pipeline.Flight
	loads  int64

	shared  []*pipeline.Plan           // by request, those that hold for every client
	bound   []bool                     // by request, those that do not
	plans   map[planKey]*pipeline.Plan // of those that do not, as long as there are not too many
	callers map[int32]*pipeline.Caller // by address, likewise

	stats *stats
	rows  []Row
}

// kept is a request that nginx still holds: it waits in limit_req, or has a place in limit_conn.
type kept struct {
	req    int32
	row    int32
	came   int64 // arrival at nginx
	flight *pipeline.Flight
}

type planKey struct{ address, req int32 }

// maxPlans bounds how many routed requests are kept; beyond it each request is routed anew.
const maxPlans = 1 << 15

// run lets all clients load the page.
func (s *simulation) run() {
	s.scheduleNext()
	for len(s.events) > 0 {
		e := s.events.pop()
		l := e.load
		l.events--
		switch e.kind {
		case began:
			s.scheduleNext()
			s.repeat(l, e.at)
			s.begin(l, e.at)
		case issued:
			s.issue(l, e.req, e.at)
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
			s.resume(l, e.req, e.at)
		case served:
			s.drop(l, e.req)
		}
		if l.left == 0 && l.events == 0 {
			s.finish(l)
		}
	}
}

func (s *simulation) push(e event) {
	e.load.events++
	s.events.push(e)
}

// scheduleNext lets the next client begin. Clients come one after the other, so that those to come need no memory.
func (s *simulation) scheduleNext() {
	if at, client, ok := s.arrive.next(); ok {
		s.schedule(at, client, 0)
	}
}

// repeat schedules the client's next load of the page, whether this one ends in time or not.
func (s *simulation) repeat(l *load, at int64) {
	if int(l.round)+1 < s.opts.Repeat {
		s.schedule(at+s.opts.Every.Microseconds(), l.client, l.round+1)
	}
}

func (s *simulation) schedule(at int64, client, round int32) {
	var l *load
	if n := len(s.idle); n > 0 {
		l, s.idle = s.idle[n-1], s.idle[:n-1]
	} else {
		l = &load{}
	}
	s.loads++
	l.number, l.client, l.round = s.loads, client, round
	l.address = client / int32(s.opts.ClientsPerAddress)
	l.caller = s.caller(l.address)
	l.left = 1 // until it begins
	s.push(event{at: at, load: l, kind: began})
}

// serve is a request's arrival at nginx.
func (s *simulation) serve(l *load, r int32, at int64) {
	if s.pipe == nil {
		s.depart(l, r, at+s.page.requests[r].service, false)
		return
	}
	f := s.plan(l.address, r).StartFor(toClock(at), s.callerOf(l, r))
	row := s.row(l, r, at)
	if f.Wait > 0 {
		s.keep(l, kept{req: r, row: row, came: at}, &f)
		s.push(event{at: at + int64(f.Wait)*1000, load: l, req: r, kind: resumed})
		return
	}
	if s.settle(l, r, row, at, at, &f) {
		s.keep(l, kept{req: r}, &f)
	}
}

// resume lets a request go on that limit_req has held.
func (s *simulation) resume(l *load, r int32, at int64) {
	k := s.find(l, r)
	k.flight.Resume(toClock(at))
	if k.flight.Wait > 0 {
		s.push(event{at: at + int64(k.flight.Wait)*1000, load: l, req: r, kind: resumed})
		return
	}
	if !s.settle(l, r, k.row, k.came, at, k.flight) {
		s.drop(l, r)
	}
}

// settle counts a request that nginx has answered or handed on at a time, and says whether it holds a place in
// limit_conn from now on. A refusal takes no time, everything else takes the kind's service time.
func (s *simulation) settle(l *load, r, row int32, came, at int64, f *pipeline.Flight) (holds bool) {
	q := &s.page.requests[r]
	turned := f.Refused()
	done := at
	if !turned {
		done += q.service
	}
	if f.Counts() && !q.longLived {
		s.push(event{at: done, load: l, req: r, kind: served})
	}
	s.stats.count(f, came, done)
	s.fill(row, f)
	s.depart(l, r, done, turned)
	return f.Counts()
}

// depart sends the answer of a request that nginx was done with at a time.
func (s *simulation) depart(l *load, r int32, done int64, turned bool) {
	q := &s.page.requests[r]
	l.left--
	back := done + s.page.rtt/2
	l.last = max(l.last, back)
	switch {
	case turned:
		l.broken = true
		s.forsake(l, r)
		if s.page.http1 || q.group >= 0 {
			s.push(event{at: back, load: l, req: r, kind: refused})
		}
	case len(q.dependents) > 0 || s.page.http1 || q.group >= 0:
		s.push(event{at: back, load: l, req: r, kind: answered})
	}
}

// finish counts a page whose requests are all done.
func (s *simulation) finish(l *load) {
	for len(l.kept) > 0 {
		s.drop(l, l.kept[0].req)
	}
	s.stats.page(l.last-l.start, l.broken)
	s.idle = append(s.idle, l)
}

// keep remembers a request that nginx holds.
func (s *simulation) keep(l *load, k kept, f *pipeline.Flight) {
	if n := len(s.spare); n > 0 {
		k.flight, s.spare = s.spare[n-1], s.spare[:n-1]
	} else {
		k.flight = new(pipeline.Flight)
	}
	*k.flight = *f
	l.kept = append(l.kept, k)
}

func (s *simulation) find(l *load, r int32) *kept {
	for i := range l.kept {
		if l.kept[i].req == r {
			return &l.kept[i]
		}
	}
	return nil
}

// drop lets nginx forget a request.
func (s *simulation) drop(l *load, r int32) {
	for i := range l.kept {
		if l.kept[i].req == r {
			f := l.kept[i].flight
			f.Finish()
			s.spare = append(s.spare, f)
			l.kept[i] = l.kept[len(l.kept)-1]
			l.kept = l.kept[:len(l.kept)-1]
			return
		}
	}
}

// notIssued counts a request that was never sent.
func (s *simulation) notIssued(l *load, r int32) { s.stats.notIssued(s.plan(l.address, r)) }

// plan returns the routed request of a client: one for all clients where it holds for all, else one for each address.
func (s *simulation) plan(address, r int32) *pipeline.Plan {
	if p := s.shared[r]; p != nil {
		return p
	}
	key := planKey{address, r}
	if p := s.plans[key]; p != nil {
		return p
	}
	req := s.target.request(&s.fan.Requests[r], addressOf(int(address)))
	if !s.bound[r] {
		p, holds := s.pipe.PlanShared(req, s.target.server)
		if holds {
			s.shared[r] = p
			return p
		}
		s.bound[r] = true
	}
	p := s.pipe.Plan(req, s.target.server)
	if len(s.plans) < maxPlans {
		s.plans[key] = p
	}
	return p
}

// callerOf returns who sends a request of a load, for a plan that was made for another client.
func (s *simulation) callerOf(l *load, r int32) *pipeline.Caller {
	if s.bound[r] {
		return nil
	}
	return l.caller
}

func (s *simulation) caller(address int32) *pipeline.Caller {
	if c := s.callers[address]; c != nil {
		return c
	}
	c := pipeline.NewCaller(addressOf(int(address)))
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

package simulate

import (
	"github.com/ngxlimit/ngxlimit/model/edge"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
)

// The server's side of a load: what nginx does with a request that has arrived, and when its answer leaves.

// serve is a request's arrival at nginx.
func (s *simulation) serve(l *load, r int32, at int64) {
	if s.pipe == nil {
		s.depart(l, r, at+s.service(l, r), nil)
		return
	}
	s.meter.tick()
	row := s.row(l, r, at)
	var was *edge.Decision
	if s.front != nil {
		if was = s.pass(l, r, row, at); was == nil {
			return
		}
	}
	if s.opts.Sent != nil {
		s.opts.Sent(toClock(at), s.request(l, r))
	}
	f := s.plan(l, r).StartFor(toClock(at), s.callerOf(l, r))
	if f.Wait > 0 {
		k := s.keep(kept{row: row, came: at, flight: f, was: was})
		s.push(event{at: at + int64(f.Wait)*1000, load: l.slot, req: r, kept: k, kind: resumed})
		return
	}
	s.settle(l, r, kept{row: row, came: at, flight: f, was: was}, at)
}

// resume lets a request go on that limit_req has held.
func (s *simulation) resume(l *load, r, n int32, at int64) {
	k := s.kept[n]
	k.flight.Resume(toClock(at))
	if wait := k.flight.Wait; wait > 0 {
		s.push(event{at: at + int64(wait)*1000, load: l.slot, req: r, kept: n, kind: resumed})
		return
	}
	s.spareKept = append(s.spareKept, n)
	s.settle(l, r, *k, at)
}

// settle counts a request that nginx has answered or handed on at a time, and remembers it where it holds a place in
// limit_conn from now on. A refusal takes no time, everything else takes its service time.
func (s *simulation) settle(l *load, r int32, k kept, at int64) {
	f := &k.flight
	done := at
	if !f.Refused() {
		done += s.service(l, r)
	}
	c := l.crowd
	c.stats.count(f, k.came, done)
	if c.stats != s.stats {
		s.stats.count(f, k.came, done)
	}
	s.sightings.count(l, f)
	s.fill(k.row, f)
	if f.Counts() {
		n := s.keep(k)
		if c.request(r).LongLived {
			l.holds = append(l.holds, n)
		} else {
			s.push(event{at: done, load: l.slot, req: r, kept: n, kind: served})
		}
	}
	if k.was != nil {
		s.front.answered(toClock(done), &edge.Answer{
			Tag: k.row, Request: edge.Of(s.target.clients.address(l.address), s.sent(l, r)),
			Response: edge.Response{Status: f.Status()}, Was: *k.was,
		})
	}
	a := answer{f.Refused(), f.Status(), f.RetryAfter(), f}
	s.depart(l, r, done, &a)
}

func (s *simulation) service(l *load, r int32) int64 {
	d := &l.crowd.request(r).service
	if d.dist == nil {
		return d.fixed
	}
	return d.of(s, drawService, l, int64(r), int64(l.triesOf(r)))
}

// depart sends the answer of a request that was done with at a time; nil where nobody looks at it.
func (s *simulation) depart(l *load, r int32, done int64, a *answer) {
	q := l.crowd.request(r)
	back := done + l.rtt/2
	v := &l.visits[q.visit]
	if q.stream < 0 || l.crowd.page.own == 0 {
		v.last = max(v.last, back)
	}
	l.record.done(r, done, back, a)
	if a == nil || !a.refused {
		l.left--
		l.forgetTries(r)
		if s.waited(l, q) {
			s.push(event{at: back, load: l.slot, req: r, kind: answered})
		}
		return
	}
	again := s.retry(l, r, q, back, a)
	if !again {
		l.left--
		if q.stream < 0 {
			v.broken = true
			v.lost++
		}
		l.forgetTries(r)
		s.forsake(l, r)
	}
	if s.waited(l, q) && (!again || q.stream < 0) {
		s.push(event{at: back, load: l.slot, req: r, kind: refused})
	}
}

// retry issues a refused request once more, where the client's code does so.
func (s *simulation) retry(l *load, r int32, q *pageRequest, back int64, a *answer) bool {
	if q.retry == nil || !q.retry.Again(a.status, int(l.triesOf(r))+1) {
		return false
	}
	n := l.again(r)
	wait := q.retry.WaitMs(int(n), s.draw(drawRetry, l, int64(r), int64(n)), a.retryAfter)
	l.crowd.stats.retries++
	at := back + microseconds(wait)
	l.record.issue(r, at)
	s.push(event{at: at, load: l.slot, req: r, kind: issued})
	return true
}

// notIssued counts a request that was never sent, or n of a stream.
func (s *simulation) notIssued(l *load, r int32, n int64) {
	l.left -= n
	c := l.crowd
	if q := c.request(r); q.stream < 0 {
		v := &l.visits[q.visit]
		v.broken = true
		v.lost++
	}
	l.record.notSent(r)
	plan := s.plan(l, r)
	c.stats.notIssued(plan, n)
	if c.stats != s.stats {
		s.stats.notIssued(plan, n)
	}
}

// A planKey is a request of somebody: of an address and the way that it comes, or of a client, where requests differ
// from client to client.
type planKey struct{ crowd, who, request int32 }

// plan returns the routed request of a load: one for all clients where it holds for all, else one for each.
func (s *simulation) plan(l *load, r int32) *pipeline.Plan {
	c := l.crowd
	t := c.page.template(r)
	if p := c.shared[t]; p != nil {
		return p
	}
	q := &c.page.requests[t]
	key := planKey{c.number, l.address, t}
	if q.byClient {
		key.who = c.firstClient + l.client
	} else if n := int32(len(s.opts.Via)); n > 0 {
		key.who = l.address*n + s.wayOf(l)
	}
	if p := s.plans[key]; p != nil && !q.byNumber {
		return p
	}
	req := s.request(l, r)
	if !c.bound[t] {
		p, holds := s.pipe.PlanShared(req, s.target.server)
		if holds {
			c.shared[t] = p
			return p
		}
		c.bound[t] = true
	}
	p := s.pipe.Plan(req, s.target.server)
	if len(s.plans) < maxPlans && !q.byNumber {
		s.plans[key] = p
	}
	return p
}

// callerOf returns who sends a request of a load, for a plan that was made for another client.
func (s *simulation) callerOf(l *load, r int32) *pipeline.Caller {
	if l.crowd.bound[l.crowd.page.template(r)] {
		return nil
	}
	return l.caller
}

// eachPlan returns the routed requests of the first client of the only crowd, each once.
func (s *simulation) eachPlan() []*pipeline.Plan {
	c := s.crowds[0]
	l := &load{crowd: c, address: c.firstAddress}
	plans := make([]*pipeline.Plan, 0, len(c.page.requests))
	for id := range c.page.own {
		plans = append(plans, s.plan(l, id))
	}
	for i := range c.page.streams {
		st := &c.page.streams[i]
		for n := range min(int32(len(st.Requests)), st.count) {
			plans = append(plans, s.plan(l, st.first+n))
		}
	}
	return plans
}

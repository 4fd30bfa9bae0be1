package simulate

// The client's side of a load: when each request is issued, and when it is sent. Sending is the last thing known here;
// what nginx does with the request is the server's side.

// begin opens the page: what depends on nothing is issued at its offset.
func (s *simulation) begin(l *load, at int64) {
	p := l.crowd.page
	l.reset(p, at)
	for _, r := range p.roots {
		s.issueAfter(l, r, at)
	}
	for n := range p.streams {
		if p.streams[n].DependsOn == nil {
			s.stream(l, int32(n), at)
		}
	}
}

// issueAfter issues a request when what it waits for is there: after its offset, and the time that somebody thinks.
func (s *simulation) issueAfter(l *load, r int32, at int64) {
	q := &l.crowd.page.requests[r]
	at += q.offset + q.think.of(s, drawThink, l, int64(r), 0)
	v := &l.visits[q.visit]
	if !v.begun || at < v.start {
		*v = visit{begun: true, start: at, last: max(at, v.last), broken: v.broken}
	}
	s.issueAt(l, r, at)
}

// issueAt lets the client want a request at a time. Where nothing stands between the wish and the sending, it is sent.
func (s *simulation) issueAt(l *load, r int32, at int64) {
	p := l.crowd.page
	l.record.issue(r, at)
	if r >= p.own || p.slots == 0 && p.requests[r].group < 0 {
		s.send(l, r, at)
		return
	}
	s.push(event{at: at, load: l.slot, req: r, kind: issued})
}

// issue passes a request through the client's own queue. What a program sends again needs none.
func (s *simulation) issue(l *load, r int32, at int64) {
	p := l.crowd.page
	if r >= p.own {
		s.send(l, r, at)
		return
	}
	if g := p.requests[r].group; g >= 0 {
		if l.unanswered[g] >= p.groups[g] {
			l.held[g] = append(l.held[g], r)
			return
		}
		l.unanswered[g]++
	}
	s.connect(l, r, at)
}

// connect finds a slot for a request. Over HTTP/1.1 that is a connection: an idle one, else it waits for one, and another
// is opened as long as more requests wait than connections are being opened. Over HTTP/2 it is one of the requests that
// the one connection takes at once.
func (s *simulation) connect(l *load, r int32, at int64) {
	p := l.crowd.page
	switch {
	case p.slots == 0:
		s.send(l, r, at)
	case l.idle > 0:
		l.idle--
		s.send(l, r, at)
	case !p.http1 && l.open < p.slots:
		l.open++
		s.send(l, r, at)
	default:
		l.waiting = append(l.waiting, r)
		if p.http1 && len(l.waiting) > l.opening && l.open < p.slots {
			l.opening++
			l.open++
			s.push(event{at: at + 2*l.rtt, load: l.slot, req: int32(l.open), kind: opened})
		}
	}
}

// release gives a slot to the request that has waited longest.
func (s *simulation) release(l *load, at int64) {
	if len(l.waiting) == 0 {
		l.idle++
		return
	}
	r := l.waiting[0]
	l.waiting = append(l.waiting[:0], l.waiting[1:]...)
	s.send(l, r, at)
}

func (s *simulation) send(l *load, r int32, at int64) {
	l.record.send(r, at)
	s.push(event{at: at + l.rtt/2, load: l.slot, req: r, kind: arrived})
}

// answer takes an answer at the client: its connection is free, the client's queue moves on, and what depends on it is
// issued.
func (s *simulation) answer(l *load, r int32, at int64) {
	s.free(l, r, at)
	q := l.crowd.request(r)
	for _, d := range q.dependents {
		s.issueAfter(l, d, at)
	}
	for _, n := range q.starts {
		s.stream(l, n, at)
	}
}

// free lets go of what a request occupies at the client.
func (s *simulation) free(l *load, r int32, at int64) {
	p := l.crowd.page
	q := l.crowd.request(r)
	if q.stream >= 0 {
		s.streamAnswered(l, q.stream, at)
		return
	}
	if q.LongLived {
		return
	}
	if p.slots > 0 {
		s.release(l, at)
	}
	if q.group < 0 {
		return
	}
	g := q.group
	l.unanswered[g]--
	if len(l.held[g]) > 0 {
		next := l.held[g][0]
		l.held[g] = append(l.held[g][:0], l.held[g][1:]...)
		l.unanswered[g]++
		s.connect(l, next, at)
	}
}

// waited says whether the client does anything when an answer comes.
func (s *simulation) waited(l *load, q *pageRequest) bool {
	return len(q.dependents) > 0 || len(q.starts) > 0 || l.crowd.page.slots > 0 || q.group >= 0 ||
		q.stream >= 0 && l.crowd.page.streams[q.stream].AtOnce > 0
}

// forsake counts everything that hangs on a refused request as never sent. Fans are trees, so nothing is met twice.
func (s *simulation) forsake(l *load, r int32) {
	q := l.crowd.request(r)
	if len(q.dependents)+len(q.starts) == 0 {
		return
	}
	stack := []int32{r}
	for len(stack) > 0 {
		q := &l.crowd.page.requests[stack[len(stack)-1]]
		stack = append(stack[:len(stack)-1], q.dependents...)
		for _, d := range q.dependents {
			s.notIssued(l, d, 1)
		}
		for _, n := range q.starts {
			s.notIssued(l, l.crowd.page.streams[n].first, int64(l.crowd.page.streams[n].count))
		}
	}
}

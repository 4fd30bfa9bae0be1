package simulate

// The browser's side of a page load: when each request is issued, and when it is sent. Sending is the last thing known
// here; what nginx does with the request is the server's side.

// begin opens the page: what depends on nothing is issued at its offset.
func (s *simulation) begin(l *load, at int64) {
	l.start = at
	l.reset(s.page)
	for _, r := range s.page.roots {
		s.issueAt(l, r, at+s.page.requests[r].offset)
	}
}

// issueAt lets the client want a request at a time. Over HTTP/2 nothing stands between the wish and the sending, unless
// the client's own queue does.
func (s *simulation) issueAt(l *load, r int32, at int64) {
	if !s.page.http1 && s.page.requests[r].group < 0 {
		s.send(l, r, at)
		return
	}
	s.push(event{at: at, load: l, req: r, kind: issued})
}

// issue passes a request through the client's own queue.
func (s *simulation) issue(l *load, r int32, at int64) {
	if g := s.page.requests[r].group; g >= 0 {
		if l.unanswered[g] >= s.page.groups[g] {
			l.held[g] = append(l.held[g], r)
			return
		}
		l.unanswered[g]++
	}
	s.connect(l, r, at)
}

// connect finds a connection for a request: an idle one, else it waits for one, and another is opened as long as more
// requests wait than connections are being opened.
func (s *simulation) connect(l *load, r int32, at int64) {
	switch {
	case !s.page.http1:
		s.send(l, r, at)
	case l.idle > 0:
		l.idle--
		s.send(l, r, at)
	default:
		l.waiting = append(l.waiting, r)
		if len(l.waiting) > l.opening && l.open < perHost {
			l.opening++
			l.open++
			s.push(event{at: at + 2*s.page.rtt, load: l, req: int32(l.open), kind: opened})
		}
	}
}

// release gives a connection to the request that has waited longest.
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
	s.push(event{at: at + s.page.rtt/2, load: l, req: r, kind: arrived})
}

// answer takes an answer at the client: its connection is free, the client's queue moves on, and what depends on it is
// issued after its offset.
func (s *simulation) answer(l *load, r int32, at int64) {
	q := &s.page.requests[r]
	s.free(l, r, at)
	for _, d := range q.dependents {
		s.issueAt(l, d, at+s.page.requests[d].offset)
	}
}

// free lets go of what a request occupies at the client.
func (s *simulation) free(l *load, r int32, at int64) {
	q := &s.page.requests[r]
	if s.page.http1 && !q.longLived {
		s.release(l, at)
	}
	if q.group < 0 || q.longLived {
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

// forsake counts everything that hangs on a refused request as never sent. Fans are trees, so nothing is met twice.
func (s *simulation) forsake(l *load, r int32) {
	stack := append([]int32(nil), s.page.requests[r].dependents...)
	for len(stack) > 0 {
		d := stack[len(stack)-1]
		stack = append(stack[:len(stack)-1], s.page.requests[d].dependents...)
		l.left--
		s.notIssued(l, d)
	}
}

package simulate

// An eventKind says what happens. At one instant events happen in this order: what frees something comes before what
// wants it.
type eventKind uint8

const (
	served   eventKind = iota // the server is done with a request: limit_conn lets go
	answered                  // the client has the whole answer
	refused                   // the client has the answer of a limiter that refused
	opened                    // a new connection is usable
	began                     // a client opens the page
	issued                    // the client wants to send a request
	due                       // a stream's next request is to be sent
	resumed                   // limit_req lets a request go on
	arrived                   // a request is at nginx
)

// An event is something that happens to one request of a load. It holds no pointer, so that the garbage collector does
// not look through those that are to come.
type event struct {
	at   int64 // microseconds
	load int32 // index into queue.loads
	req  int32 // a stream's number where one is due
	kept int32 // of a request that nginx holds: index into the simulation's kept; else 0
	kind eventKind
}

// A queue is events in order of time, and the loads that they belong to. It is a heap with four children a node, which
// needs half the levels of a binary one.
type queue struct {
	events []event
	loads  []*load
}

// before orders events: by time, then kind, then the load's number, then the request's. No two events of one kind and
// request are under way at once, so that the order is total and a seed gives one result.
func (q *queue) before(e, f *event) bool {
	switch {
	case e.at != f.at:
		return e.at < f.at
	case e.kind != f.kind:
		return e.kind < f.kind
	case e.load != f.load:
		return q.loads[e.load].number < q.loads[f.load].number
	}
	return e.req < f.req
}

func (q *queue) push(e event) {
	q.events = append(q.events, e)
	h := q.events
	i := len(h) - 1
	for i > 0 {
		parent := (i - 1) / 4
		if !q.before(&e, &h[parent]) {
			break
		}
		h[i] = h[parent]
		i = parent
	}
	h[i] = e
}

func (q *queue) pop() event {
	h := q.events
	top := h[0]
	last := len(h) - 1
	e := h[last]
	h = h[:last]
	q.events = h
	if last == 0 {
		return top
	}
	i := 0
	for {
		first := 4*i + 1
		if first >= last {
			break
		}
		least := first
		for c := first + 1; c < min(first+4, last); c++ {
			if q.before(&h[c], &h[least]) {
				least = c
			}
		}
		if !q.before(&h[least], &e) {
			break
		}
		h[i] = h[least]
		i = least
	}
	h[i] = e
	return top
}

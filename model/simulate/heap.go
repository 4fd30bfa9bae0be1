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
	resumed                   // limit_req lets a request go on
	arrived                   // a request is at nginx
)

// An event is something that happens to one request of a page load.
type event struct {
	at   int64 // microseconds
	load *load
	req  int32
	kind eventKind
}

// before orders events: by time, then kind, then the load's number, then the request's. No two events of one kind and
// request are under way at once, so that the order is total and a seed gives one result.
func (e *event) before(f *event) bool {
	switch {
	case e.at != f.at:
		return e.at < f.at
	case e.kind != f.kind:
		return e.kind < f.kind
	case e.load != f.load:
		return e.load.number < f.load.number
	}
	return e.req < f.req
}

// A queue is a heap with four children a node, which needs half the levels of a binary one.
type queue []event

func (q *queue) push(e event) {
	h := append(*q, e)
	i := len(h) - 1
	for i > 0 {
		parent := (i - 1) / 4
		if !e.before(&h[parent]) {
			break
		}
		h[i] = h[parent]
		i = parent
	}
	h[i] = e
	*q = h
}

func (q *queue) pop() event {
	h := *q
	top := h[0]
	last := len(h) - 1
	e := h[last]
	h[last].load = nil
	h = h[:last]
	*q = h
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
			if h[c].before(&h[least]) {
				least = c
			}
		}
		if !h[least].before(&e) {
			break
		}
		h[i] = h[least]
		i = least
	}
	h[i] = e
	return top
}

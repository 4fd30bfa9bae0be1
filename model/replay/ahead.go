package replay

import "math/bits"

// What a request needs of its class, its client and its key lies anywhere in memory, and to wait for each of these places one
// after the other takes longer than all the rest. So they are looked at some requests ahead, for many requests at a time:
// a processor then waits for them all at once. Nothing but time depends on it.
const (
	lookEvery = 8  // requests
	lookAt    = 12 // requests, of which some were looked at before
)

// A lookout is what looks ahead.
type lookout struct {
	entries [lookAt]*entry
	sum     int64 // of what was looked at, so that it is looked at
}

// lookAhead looks at the requests that will be decided next, and at where those will wait that come.
func (e *engine) lookAhead(coming []item) {
	a := &e.ahead
	list := e.queue.next(a.entries[:0])
	sum := int64(0)
	for _, n := range list {
		sum += int64(n.class.kind) + n.who.first.last
	}
	for i := range coming {
		sum += int64(e.queue.heads[coming[i].e.at&(slots-1)])
	}
	for _, n := range list {
		if n.class.uri != nil {
			sum += n.class.uri.Requests
		}
		sum += n.who.caller.Look(e.pipe)
		if row := n.who.keys[0].row; row != nil {
			sum += row.Requests + row.kinds[0] + row.statuses[2] + int64(row.uris.a)
		}
	}
	a.sum += sum
}

// next lists the requests that wait longest, as many as the list has room for, in their order by milliseconds.
func (q *queue) next(list []*entry) []*entry {
	if q.n == 0 {
		return list
	}
	from := q.now & (slots - 1)
	word := from / 64
	w := q.filled[word] >> (from % 64) << (from % 64)
	for range slots / 64 {
		for ; w != 0; w &= w - 1 {
			slot := word*64 + int64(bits.TrailingZeros64(w))
			for n := q.heads[slot]; n != noEntry; n = q.entries[n].next {
				if len(list) == cap(list) {
					return list
				}
				list = append(list, &q.entries[n])
			}
		}
		word = (word + 1) & (slots/64 - 1)
		w = q.filled[word]
	}
	return list
}

// lookAhead looks at where the classes and clients of the records of a log stand that are given on next.
func (l *log) lookAhead(e *engine) {
	for _, m := range l.job.marks[l.at:min(l.at+lookAt, len(l.job.marks))] {
		l.looked += e.classes.look(m.class) + e.whos.look(m.from)
	}
}

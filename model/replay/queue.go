package replay

import (
	"math/bits"
	"slices"
)

// Window is how long a request may have taken, in milliseconds, so that it is still decided in the order of arrival.
// Lines stand in the order in which requests ended.
const Window = 60_000

// mostWaiting bounds how many requests are kept to be put in order. Where more than that are logged within Window, the
// window is shorter.
const mostWaiting = 1 << 19

const (
	slots   = 1 << 16 // milliseconds that the queue spans; more than Window
	noEntry = -1
)

// A queue puts requests in the order in which they arrived: a ring with one slot for each millisecond.
type queue struct {
	now     int64 // everything before it has been let out
	heads   []int32
	filled  [slots / 64]uint64 // which slots hold something
	groups  [slots / 64 / 64]uint64
	entries []entry
	spare   int32
	n       int
	sorted  []int32
	going   []*entry // out
}

func newQueue() *queue {
	q := &queue{heads: make([]int32, slots), spare: noEntry, now: -1}
	for i := range q.heads {
		q.heads[i] = noEntry
	}
	return q
}

// put keeps an entry whose time is not before now, and less than the ring after it.
func (q *queue) put(e *entry) {
	n := q.spare
	if n == noEntry {
		n = int32(len(q.entries))
		q.entries = append(q.entries, entry{})
	} else {
		q.spare = q.entries[n].next
	}
	slot := e.at & (slots - 1)
	q.entries[n] = *e
	q.entries[n].next = q.heads[slot]
	q.heads[slot] = n
	q.filled[slot/64] |= 1 << (slot % 64)
	q.groups[slot/4096] |= 1 << (slot / 64 % 64)
	q.n++
}

// drain lets out everything before a time, in order.
func (q *queue) drain(until int64, out func([]*entry)) {
	for q.n > 0 {
		at := q.first()
		if at >= until {
			break
		}
		q.release(at, out)
	}
	q.now = max(q.now, until)
}

// drainOne lets out the requests of the earliest millisecond.
func (q *queue) drainOne(out func([]*entry)) {
	at := q.first()
	q.release(at, out)
	q.now = at + 1
}

// first returns the earliest time that something waits for. There is something.
func (q *queue) first() int64 {
	from := q.now & (slots - 1)
	if w := q.filled[from/64] >> (from % 64); w != 0 {
		return q.now + int64(bits.TrailingZeros64(w))
	}
	// The words behind, by groups of 64, once round the ring.
	word := from/64 + 1
	for word < from/64+1+slots/64 {
		at := word & (slots/64 - 1)
		g := q.groups[at/64] >> (at % 64)
		if g == 0 {
			word += 64 - at%64
			continue
		}
		word += int64(bits.TrailingZeros64(g))
		slot := word&(slots/64-1)*64 + int64(bits.TrailingZeros64(q.filled[word&(slots/64-1)]))
		return q.now + (slot-from)&(slots-1)
	}
	return q.now
}

// release lets out the requests of one millisecond. Nothing may be put in meanwhile.
func (q *queue) release(at int64, out func([]*entry)) {
	slot := at & (slots - 1)
	n := q.heads[slot]
	q.heads[slot] = noEntry
	if q.filled[slot/64] &^= 1 << (slot % 64); q.filled[slot/64] == 0 {
		q.groups[slot/4096] &^= 1 << (slot / 64 % 64)
	}
	q.sorted, q.going = q.sorted[:0], q.going[:0]
	if first := &q.entries[n]; first.next == noEntry { // mostly there is one
		q.going = append(q.going, first)
		out(q.going)
		first.next, q.spare = q.spare, n
		q.n--
		return
	}
	for ; n != noEntry; n = q.entries[n].next {
		q.sorted = append(q.sorted, n)
	}
	q.sort()
	for _, n := range q.sorted {
		q.going = append(q.going, &q.entries[n])
	}
	out(q.going)
	for _, n := range q.sorted {
		q.entries[n].next = q.spare
		q.spare = n
	}
	q.n -= len(q.sorted)
}

// sort orders the requests of a millisecond: what the log says passed before what it says was held, and that before what
// was refused, since within one millisecond a bucket only fills; then as they were logged. There are few of them, and
// they come nearly in the reverse order.
func (q *queue) sort() {
	s := q.sorted
	for i, j := 0, len(s)-1; i < j; i, j = i+1, j-1 {
		s[i], s[j] = s[j], s[i]
	}
	if len(s) > 32 {
		slices.SortFunc(s, func(a, b int32) int {
			if q.before(a, b) {
				return -1
			}
			return 1 // no two are equal
		})
		return
	}
	for i := 1; i < len(s); i++ {
		for j := i; j > 0 && q.before(s[j], s[j-1]); j-- {
			s[j], s[j-1] = s[j-1], s[j]
		}
	}
}

func (q *queue) before(a, b int32) bool {
	x, y := &q.entries[a], &q.entries[b]
	if x.rank() != y.rank() {
		return x.rank() < y.rank()
	}
	return x.seq < y.seq
}

package replay

import (
	"math"
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

// A queue puts requests in the order in which they arrived: a ring with one slot for each millisecond. What is due is let
// out many at a time: see outlet.
type queue struct {
	now     int64 // everything before it is due, and nothing is put there any more
	from    int64 // nothing before it is left
	heads   []int32
	filled  [slots / 64]uint64 // which slots hold something
	groups  [slots / 64 / 64]uint64
	entries []entry
	spare   int32
	n       int
	going   batch
}

// A batch is requests that are let out together, in order.
type batch struct {
	numbers []int32 // of entries
	entries []*entry
	ends    []int32 // of the milliseconds
}

// atOnce is how many requests are let out together, but for those of one millisecond.
const atOnce = 32

// An outlet is where requests go that are let out: take gets those of one millisecond, behind look, which got all that are
// let out together.
type outlet struct {
	look, take func([]*entry)
}

func newQueue() *queue {
	q := &queue{heads: make([]int32, slots), spare: noEntry, now: -1, from: -1}
	for i := range q.heads {
		q.heads[i] = noEntry
	}
	return q
}

// put keeps an entry whose time is not before now, and at most Window after it.
func (q *queue) put(e *entry, out outlet) {
	if e.at-q.from >= slots {
		q.drain(out)
	}
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

// drain lets out what is due.
func (q *queue) drain(out outlet) {
	for q.n > 0 && q.gather() {
		out.look(q.going.entries)
		from := int32(0)
		for _, end := range q.going.ends {
			out.take(q.going.entries[from:end])
			from = end
		}
		q.n -= len(q.going.numbers)
		for _, n := range q.going.numbers {
			q.entries[n].next = q.spare
			q.spare = n
		}
	}
	q.from = max(q.from, q.now)
}

// drainAll lets out all, and begins again at a time.
func (q *queue) drainAll(now int64, out outlet) {
	q.now = math.MaxInt64
	q.drain(out)
	q.now, q.from = now, now
}

// drainOne makes the requests of the earliest millisecond due, and lets out what is.
func (q *queue) drainOne(out outlet) {
	q.now = max(q.now, q.first()+1)
	q.drain(out)
}

// first returns the earliest time that something waits for. There is something.
func (q *queue) first() int64 {
	from := q.from & (slots - 1)
	if w := q.filled[from/64] >> (from % 64); w != 0 {
		return q.from + int64(bits.TrailingZeros64(w))
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
		return q.from + (slot-from)&(slots-1)
	}
	return q.from
}

// gather takes the next requests that are due out of the ring; it reports false where none is.
func (q *queue) gather() bool {
	b := &q.going
	b.numbers, b.entries, b.ends = b.numbers[:0], b.entries[:0], b.ends[:0]
	for left := q.n; left > 0 && len(b.numbers) < atOnce; left = q.n - len(b.numbers) {
		at := q.first()
		if at >= q.now {
			break
		}
		q.from = at + 1
		begin := len(b.numbers)
		slot := at & (slots - 1)
		for n := q.heads[slot]; n != noEntry; n = q.entries[n].next {
			b.numbers = append(b.numbers, n)
		}
		q.heads[slot] = noEntry
		if q.filled[slot/64] &^= 1 << (slot % 64); q.filled[slot/64] == 0 {
			q.groups[slot/4096] &^= 1 << (slot / 64 % 64)
		}
		if len(b.numbers) > begin+1 { // mostly there is one
			q.sort(b.numbers[begin:])
		}
		b.ends = append(b.ends, int32(len(b.numbers)))
	}
	for _, n := range b.numbers {
		b.entries = append(b.entries, &q.entries[n])
	}
	return len(b.numbers) > 0
}

// sort orders the requests of a millisecond: what the log says passed before what it says was held, and that before what
// was refused, since within one millisecond a bucket only fills; then as they were logged. There are few of them, and
// they come nearly in the reverse order.
func (q *queue) sort(s []int32) {
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

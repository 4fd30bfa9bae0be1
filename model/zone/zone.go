// Package zone is nginx's shared memory zone with entries in it: what fits (pages, slots of powers of two, what the
// zone itself takes), the table of keys, and the order in which entries were last used. What an entry means, when it
// may be dropped and what a request is answered are the business of the limiters. It reads no clock.
package zone

import "strings"

// A Ref names an entry of one zone. It is good as long as the entry is there, which Holds tells; it never comes to name
// another one.
type Ref struct {
	slot int32
	born uint64 // the use at which the entry came in; 0 for None
}

// None is the Ref of no entry.
var None Ref

// A Zone holds entries with a state S under keys. A key is a string of bytes: nginx keeps an address as 4 or 16.
type Zone[S any] struct {
	layout Layout
	size   int64
	name   int // its length
	slab   *slab
	states []state[S]
	keys   []key   // in the same slots
	places []place // likewise
	table  table
	order  order
	uses   uint64 // so far
	count  int
	spare  int32 // first slot whose entry was removed, linked by page
	hasher hasher
}

// A state is what a decision needs of an entry whose Ref is known. With a limiter's state of 16 bytes two of them fill a
// cache line; that everything else lies elsewhere makes decisions about many keys several times as fast.
type state[S any] struct {
	own  S
	used uint64 // number of the latest use
	born uint64 // 0 where the entry was removed
}

// A key is what a look-up needs to find it.
type key struct {
	short packed // the bytes where there are few, so that an address is compared without another look-up
	text  string
}

// A place is the rest.
type place struct {
	page   int32
	queued bool // the slot stands in the order
}

// New returns an empty zone of size bytes. It fails for a size that nginx would refuse (below MinSize), above MaxSize,
// or without room for its name.
func New[S any](layout Layout, size int64, name string) (*Zone[S], error) {
	s, err := layout.slab(size, len(name))
	if err != nil {
		return nil, err
	}
	return &Zone[S]{
		layout: layout, size: size, name: len(name), slab: s, table: newTable(), spare: none, hasher: newHasher(),
	}, nil
}

// Reset makes the zone as new. It holds no Ref of before.
func (z *Zone[S]) Reset() {
	s, err := z.layout.slab(z.size, z.name)
	if err != nil {
		return // New has seen that there is none
	}
	*z = Zone[S]{
		layout: z.layout, size: z.size, name: z.name, slab: s, table: newTable(), spare: none, hasher: z.hasher,
		uses: z.uses,
	}
}

// Len returns the number of entries.
func (z *Zone[S]) Len() int { return z.count }

// Find returns the entry of a key, or None. It does not count as use.
func (z *Zone[S]) Find(text string) Ref {
	short := pack(text)
	hash := z.hasher.hash(text, short)
	address := named(0, text)
	for i := hash & z.table.mask; ; i = (i + 1) & z.table.mask {
		c := z.table.cells[i]
		if c.ref == none {
			return None
		}
		if c.hash != hash {
			continue
		}
		if c.ref&fourBytes != address {
			continue
		}
		if address != 0 {
			slot := c.ref &^ fourBytes
			return Ref{slot, z.states[slot].born}
		}
		k := &z.keys[c.ref]
		if k.short == short && len(k.text) == len(text) && (len(text) <= shortKey || k.text == text) {
			return Ref{c.ref, z.states[c.ref].born}
		}
	}
}

// Holds says whether the entry is there. For None it is false.
func (z *Zone[S]) Holds(r Ref) bool {
	return r.born != 0 && int(r.slot) < len(z.states) && z.states[r.slot].born == r.born
}

// At returns the state of an entry. The pointer is good until the next Add.
func (z *Zone[S]) At(r Ref) *S { return &z.states[r.slot].own }

// Use is At, and makes the entry the most recently used.
func (z *Zone[S]) Use(r Ref) *S {
	s := &z.states[r.slot]
	z.uses++
	s.used = z.uses
	return &s.own
}

// Key returns the key of an entry.
func (z *Zone[S]) Key(r Ref) string { return z.keys[r.slot].text }

// Oldest returns the entry that was used least recently, or None.
func (z *Zone[S]) Oldest() Ref {
	for len(z.order.heap) > 0 {
		first := z.order.heap[0]
		switch s := &z.states[first.slot]; {
		case s.born == 0:
			z.places[first.slot].queued = false
			z.order.drop()
		case s.used != first.number:
			z.order.renew(s.used)
		default:
			return Ref{first.slot, s.born}
		}
	}
	return None
}

// Add puts in an entry with the zero state for a key that is not there, as the most recently used. It reports false
// where the zone has no room for it; nothing is dropped.
func (z *Zone[S]) Add(text string) (Ref, bool) {
	page, ok := z.slab.alloc(z.layout.Entry + len(text))
	if !ok {
		return None, false
	}
	slot := z.spare
	if slot != none {
		z.spare = z.places[slot].page
	} else {
		slot = int32(len(z.states))
		z.states = append(z.states, state[S]{})
		z.keys = append(z.keys, key{})
		z.places = append(z.places, place{})
	}
	z.uses++
	z.states[slot] = state[S]{used: z.uses, born: z.uses}
	if !z.places[slot].queued {
		z.order.add(z.uses, slot)
	}
	// The key may be cut out of a long line that need not be kept for its sake.
	short := pack(text)
	z.keys[slot] = key{short, strings.Clone(text)}
	z.places[slot] = place{page: page, queued: true}
	z.table.insert(z.hasher.hash(text, short), named(slot, text))
	z.count++
	return Ref{slot, z.uses}, true
}

// Remove takes an entry out and gives back its room.
func (z *Zone[S]) Remove(r Ref) {
	k, p := &z.keys[r.slot], &z.places[r.slot]
	z.slab.free(p.page)
	z.table.remove(z.hasher.hash(k.text, k.short), named(r.slot, k.text))
	z.states[r.slot] = state[S]{}
	*k, p.page = key{}, z.spare
	z.spare = r.slot
	z.count--
}

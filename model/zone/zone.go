// Package zone is nginx's shared memory zone with entries in it: what fits (pages, slots of powers of two, what the
// zone itself takes), the table of keys, and the order in which entries were last used. What an entry means, when it
// may be dropped and what a request is answered are the business of the limiters. It reads no clock.
package zone

import "strings"

// A Ref names an entry while it is in the zone. After Remove it may name another one.
type Ref int32

// None is the Ref of no entry.
const None Ref = Ref(none)

// A Zone holds entries with a state S under keys. A key is a string of bytes: nginx keeps an address as 4 or 16.
type Zone[S any] struct {
	layout  Layout
	slab    *slab
	entries []entry[S]
	table   table
	order   order
	count   int
	spare   int32 // first entry that was removed, linked by page
	hasher  hasher
}

// An entry with a limiter's state of 16 bytes fills one cache line.
type entry[S any] struct {
	state S
	short packed // the key's bytes where there are few, so that an address is compared without another look-up
	key   string
	hash  uint32
	used  int32 // place of the latest use
	page  int32
}

// New returns an empty zone of size bytes. It fails for a size that nginx would refuse (below MinSize), above MaxSize,
// or without room for its name.
func New[S any](layout Layout, size int64, name string) (*Zone[S], error) {
	s, err := layout.slab(size, len(name))
	if err != nil {
		return nil, err
	}
	return &Zone[S]{
		layout: layout, slab: s, table: newTable(), spare: none, hasher: newHasher(),
	}, nil
}

// Len returns the number of entries.
func (z *Zone[S]) Len() int { return z.count }

// Find returns the entry of key, or None. It does not count as use.
func (z *Zone[S]) Find(key string) Ref {
	short := pack(key)
	hash := z.hasher.hash(key, short)
	for i := hash & z.table.mask; ; i = (i + 1) & z.table.mask {
		c := z.table.cells[i]
		if c.ref == none {
			return None
		}
		if c.hash != hash {
			continue
		}
		e := &z.entries[c.ref]
		if e.short == short && len(e.key) == len(key) && (len(key) <= shortKey || e.key == key) {
			return Ref(c.ref)
		}
	}
}

// At returns the state of an entry. The pointer is good until the next Add.
func (z *Zone[S]) At(r Ref) *S { return &z.entries[r].state }

// Key returns the key of an entry.
func (z *Zone[S]) Key(r Ref) string { return z.entries[r].key }

// Oldest returns the entry that was used least recently, or None.
func (z *Zone[S]) Oldest() Ref {
	if z.count == 0 {
		return None
	}
	for ; ; z.order.first++ {
		if r := z.order.uses[z.order.first]; z.entries[r].used == int32(z.order.first) {
			return Ref(r)
		}
	}
}

// Touch makes an entry the most recently used.
func (z *Zone[S]) Touch(r Ref) {
	e := &z.entries[r]
	if int(e.used) == len(z.order.uses)-1 {
		return
	}
	e.used = z.order.use(int32(r))
	if z.order.full(z.count) {
		z.sweep()
	}
}

// sweep keeps the latest use of each entry.
func (z *Zone[S]) sweep() {
	n := 0
	for i := z.order.first; i < len(z.order.uses); i++ {
		r := z.order.uses[i]
		if e := &z.entries[r]; e.used == int32(i) {
			e.used = int32(n)
			z.order.uses[n] = r
			n++
		}
	}
	z.order.uses, z.order.first = z.order.uses[:n], 0
}

// Add puts in an entry with the zero state for a key that is not there, as the most recently used. It reports false
// where the zone has no room for it; nothing is dropped.
func (z *Zone[S]) Add(key string) (Ref, bool) {
	page, ok := z.slab.alloc(z.layout.Entry + len(key))
	if !ok {
		return None, false
	}
	r := z.spare
	if r != none {
		z.spare = z.entries[r].page
	} else {
		r = int32(len(z.entries))
		z.entries = append(z.entries, entry[S]{})
	}
	// The key may be cut out of a long line that need not be kept for its sake.
	short := pack(key)
	hash := z.hasher.hash(key, short)
	z.entries[r] = entry[S]{short: short, key: strings.Clone(key), hash: hash, page: page, used: z.order.use(r)}
	z.table.insert(hash, r)
	if z.count++; z.order.full(z.count) {
		z.sweep()
	}
	return Ref(r), true
}

// Remove takes an entry out and gives back its room.
func (z *Zone[S]) Remove(r Ref) {
	e := &z.entries[r]
	z.slab.free(e.page)
	z.table.remove(e.hash, int32(r))
	*e = entry[S]{used: none, page: z.spare}
	z.spare = int32(r)
	z.count--
}

package replay

// A table is a cache by hashes that are worked out elsewhere, and that stand for the keys: open addressing, at most half full,
// so that a look-up is mostly one place in memory. It keeps what was used lately:
// between one and two times as many as it is meant to hold, in two generations of which the older one is forgotten when the
// younger one is full.
type table[V any] struct {
	cells []cell[V]
	used  int
	most  int
	young int    // values of the generation at hand
	now   uint32 // its number
}

type cell[V any] struct {
	value *V // nil: nothing
	hash  uint64
	last  uint32 // the generation that used it last
}

func newTable[V any](most int) *table[V] {
	return &table[V]{cells: make([]cell[V], 64), most: most, now: 1}
}

// get returns the value of a hash; nil for none.
func (t *table[V]) get(hash uint64) *V {
	mask := uint64(len(t.cells) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		c := &t.cells[i]
		switch {
		case c.value == nil:
			return nil
		case c.hash != hash:
		case c.last == t.now:
			return c.value
		default:
			v := c.value
			t.use(c)
			return v
		}
	}
}

// look looks at where a hash most likely is, so that it is at hand soon after; what it returns means nothing.
func (t *table[V]) look(hash uint64) uint64 { return t.cells[hash&uint64(len(t.cells)-1)].hash }

// use takes a value of the older generation into the younger one.
func (t *table[V]) use(c *cell[V]) {
	if t.young < t.most {
		c.last = t.now
		t.young++
		return
	}
	c.last = t.now + 1
	t.turn()
	t.young = 1
}

// put keeps a value that is not there.
func (t *table[V]) put(hash uint64, v *V) {
	if t.young >= t.most {
		t.turn()
	}
	if 2*(t.used+1) > len(t.cells) {
		t.fill(2 * len(t.cells))
	}
	t.insert(cell[V]{v, hash, t.now})
	t.young++
}

// turn begins a generation, and forgets the one before the last.
func (t *table[V]) turn() {
	t.now++
	t.young = 0
	t.fill(len(t.cells))
}

// fill moves what is kept to new cells.
func (t *table[V]) fill(n int) {
	old := t.cells
	t.cells, t.used = make([]cell[V], n), 0
	for _, c := range old {
		if c.value != nil && c.last+1 >= t.now {
			t.insert(c)
		}
	}
}

func (t *table[V]) insert(c cell[V]) {
	mask := uint64(len(t.cells) - 1)
	i := c.hash & mask
	for t.cells[i].value != nil {
		i = (i + 1) & mask
	}
	t.cells[i] = c
	t.used++
}

// each calls do for all that is kept, in no order.
func (t *table[V]) each(do func(*V)) {
	for i := range t.cells {
		if v := t.cells[i].value; v != nil {
			do(v)
		}
	}
}

package zone

// A table leads from hashes to entries: open addressing with linear probing, at most half full, so that a look-up is
// mostly one cache line before the entry itself.
type table struct {
	cells []cell
	mask  uint32
	used  int
}

type cell struct {
	hash uint32
	ref  int32 // see named
}

// fourBytes marks the entry of a key of four bytes, an IPv4 address: such keys have the same hash only if they are the same, so
// that the key itself need not be looked at.
const fourBytes int32 = 1 << 30

// named is how a cell names the entry of a key, by its slot.
func named(slot int32, key string) int32 {
	if len(key) == 4 {
		return slot | fourBytes
	}
	return slot
}

func newTable() table { return sized(64) }

func sized(n int) table {
	t := table{cells: make([]cell, n), mask: uint32(n - 1)}
	for i := range t.cells {
		t.cells[i].ref = none
	}
	return t
}

func (t *table) insert(hash uint32, ref int32) {
	if 2*(t.used+1) > len(t.cells) {
		grown := sized(2 * len(t.cells))
		for _, c := range t.cells {
			if c.ref != none {
				grown.put(c)
			}
		}
		*t = grown
	}
	t.put(cell{hash, ref})
}

func (t *table) put(c cell) {
	i := c.hash & t.mask
	for t.cells[i].ref != none {
		i = (i + 1) & t.mask
	}
	t.cells[i] = c
	t.used++
}

// remove empties the cell of ref and moves later cells of its cluster forward, so that no probe meets a gap before its
// goal.
func (t *table) remove(hash uint32, ref int32) {
	i := hash & t.mask
	for t.cells[i].ref != ref {
		i = (i + 1) & t.mask
	}
	for j := (i + 1) & t.mask; t.cells[j].ref != none; j = (j + 1) & t.mask {
		home := t.cells[j].hash & t.mask
		if (j-home)&t.mask >= (j-i)&t.mask {
			t.cells[i] = t.cells[j]
			i = j
		}
	}
	t.cells[i].ref = none
	t.used--
}

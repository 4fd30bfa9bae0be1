package hostname

import "hash/maphash"

// exact finds the value of a name that is compared as a whole. It does what a map does with fewer waits for memory: a
// short name lies beside its value, so that a look-up among many thousand names reads one slot and one entry.
type exact[T any] struct {
	seed    maphash.Seed
	slots   []slot // their number is a power of two, at most half of them taken
	entries []entry[T]
	long    []string // the names that are too long for an entry
}

// A slot leads to an entry.
type slot struct {
	hash uint32
	at   uint32 // the number of the entry, from 1; 0 where the slot is free
}

// shortName is how long a name in an entry may be: with the three pointers of a server's name an entry is as long as a
// line of a processor's cache.
const shortName = 39

type entry[T any] struct {
	name   [shortName]byte // where it is not long, the first length bytes; else its number in long
	length uint8           // over shortName: the name is long
	value  T
}

func (x *exact[T]) find(name string) (v T, ok bool) {
	if len(x.slots) == 0 {
		return v, false
	}
	_, e := x.look(name, uint32(maphash.String(x.seed, name)))
	if e == nil {
		return v, false
	}
	return e.value, true
}

// look returns the entry of a name, or the free slot where it would stand.
func (x *exact[T]) look(name string, hash uint32) (free int, e *entry[T]) {
	mask := len(x.slots) - 1
	for i := int(hash) & mask; ; i = (i + 1) & mask {
		s := x.slots[i]
		if s.at == 0 {
			return i, nil
		}
		if e := &x.entries[s.at-1]; s.hash == hash && x.is(e, name) {
			return i, e
		}
	}
}

func (x *exact[T]) is(e *entry[T], name string) bool {
	if len(name) <= shortName {
		return int(e.length) == len(name) && string(e.name[:len(name)]) == name
	}
	return e.length > shortName && x.long[e.number()] == name
}

// number is which of the long names an entry has.
func (e *entry[T]) number() int {
	return int(e.name[0]) | int(e.name[1])<<8 | int(e.name[2])<<16 | int(e.name[3])<<24
}

// add adds a name; it is not ok where the name is there already.
func (x *exact[T]) add(name string, v T) (ok bool) {
	if len(x.entries) >= len(x.slots)/2 {
		x.grow()
	}
	hash := uint32(maphash.String(x.seed, name))
	free, there := x.look(name, hash)
	if there != nil {
		return false
	}
	e := entry[T]{length: uint8(min(len(name), shortName+1)), value: v}
	if len(name) <= shortName {
		copy(e.name[:], name)
	} else {
		n := len(x.long)
		x.long = append(x.long, name)
		e.name[0], e.name[1], e.name[2], e.name[3] = byte(n), byte(n>>8), byte(n>>16), byte(n>>24)
	}
	x.entries = append(x.entries, e)
	x.slots[free] = slot{hash, uint32(len(x.entries))}
	return true
}

// grow makes room for more names.
func (x *exact[T]) grow() {
	if len(x.slots) == 0 {
		x.seed = maphash.MakeSeed()
	}
	old := x.slots
	x.slots = make([]slot, max(8, 2*len(old)))
	mask := len(x.slots) - 1
	for _, s := range old {
		if s.at == 0 {
			continue
		}
		i := int(s.hash) & mask
		for x.slots[i].at != 0 {
			i = (i + 1) & mask
		}
		x.slots[i] = s
	}
}

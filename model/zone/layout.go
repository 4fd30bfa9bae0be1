package zone

import "fmt"

// The sizes of nginx's slab allocator on 64-bit systems with pages of 4096 bytes, where a host of another kind would
// differ (a 32-bit host holds about twice as many states).
const (
	pageSize  = 4096
	pageEntry = 24                   // one record of the page table
	header    = 200 + slotClasses*56 // the pool's own record, its slot lists and their statistics
	minShift  = 3                    // the smallest slot has 8 bytes
	maxShift  = 11                   // the largest has 2048; above it whole pages are taken

	slotClasses = maxShift - minShift + 1
)

// MinSize is the smallest zone that nginx takes: eight pages.
const MinSize int64 = 8 * pageSize

// MaxSize is the largest zone that is modelled here, 1 TiB. nginx would need that much memory to start.
const MaxSize int64 = 1 << 40

// A Layout says what a module keeps in its zones, in bytes. nginx's own structures decide it, so it is a constant of
// each module.
type Layout struct {
	Own   int // the module's own record, one for each zone
	Text  int // a text for the error log; the zone's name is added to it
	Entry int // the part of an entry before its key
}

// Capacity returns how many entries with keys of keyLen bytes a new zone holds, all of one length. It is exact for
// nginx on 64-bit systems, and zero for a size that nginx refuses.
func (l Layout) Capacity(size int64, nameLen, keyLen int) int {
	s, err := l.slab(size, nameLen)
	if err != nil || keyLen < 0 {
		return 0
	}
	return s.room(l.Entry + keyLen)
}

// slab returns the pages of a new zone, with what nginx puts there at the start.
func (l Layout) slab(size int64, nameLen int) (*slab, error) {
	if size < MinSize {
		return nil, fmt.Errorf("zone of %d bytes is smaller than %d bytes", size, MinSize)
	}
	if size > MaxSize {
		return nil, fmt.Errorf("zone of %d bytes is larger than %d bytes", size, MaxSize)
	}
	s := newSlab(size)
	for _, bytes := range [...]int{l.Own, l.Text + nameLen} {
		if _, ok := s.alloc(bytes); !ok {
			return nil, fmt.Errorf("zone of %d bytes has no room for a name of %d bytes", size, nameLen)
		}
	}
	return s, nil
}

// pagesOf returns how many pages a zone of size bytes has for entries. The page table is sized first, and pages that
// no longer fit behind it (the first page starts at a multiple of 4096) are given up.
func pagesOf(size int64) int32 {
	pages := (size - header) / (pageSize + pageEntry)
	start := (header + pages*pageEntry + pageSize - 1) / pageSize * pageSize
	return int32(min(pages, (size-start)/pageSize))
}

// shiftOf returns the slot class of an allocation as a power of two, for at most 2048 bytes.
func shiftOf(bytes int) uint8 {
	shift := uint8(minShift)
	for 1<<shift < bytes {
		shift++
	}
	return shift
}

// slotsIn returns how many slots of 1<<shift bytes a page offers. Slots below 64 bytes are too many for the page
// table's own bit map; such a page spends its first slots on one.
func slotsIn(shift uint8) uint16 {
	slots := uint16(pageSize >> shift)
	if shift >= 6 {
		return slots
	}
	return slots - max(1, slots/(8<<shift))
}

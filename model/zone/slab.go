package zone

import "math"

// none marks the absence of a page or an entry.
const none int32 = -1

// A page's part in the pool.
const (
	busy    uint8 = iota // inside of an allocation of whole pages, or of a free run
	free                 // first page of a free run
	tail                 // last page of a free run of several
	whole                // first page of an allocation of whole pages
	slotted              // divided into slots
)

// A page is one record of the page table.
type page struct {
	part  uint8
	shift uint8  // slotted: the slots' size as a power of two
	used  uint16 // slotted: slots taken
	run   int32  // free and whole: length in pages; tail: the run's first page
	prev  int32  // free: neighbour in the list of runs; slotted with room: neighbour in its class
	next  int32
}

// A slab hands out slots and whole pages as ngx_slab_alloc_locked does. Which page is taken, and which free run
// grows when one is given back, decides whether a later request for another size finds room, so lists are kept in
// nginx's order. Pages behind the first that was never touched are not recorded.
type slab struct {
	total   int32
	pages   []page
	runs    int32              // first free run
	partial [slotClasses]int32 // first page with room, for each class
}

func newSlab(size int64) *slab {
	s := &slab{total: pagesOf(size), runs: none}
	for i := range s.partial {
		s.partial[i] = none
	}
	if s.total > 0 {
		s.pages = append(s.pages, page{part: free, run: s.total, prev: none, next: none})
		s.runs = 0
	}
	return s
}

// alloc takes room for bytes and returns the page it lies in, by which it is given back.
func (s *slab) alloc(bytes int) (int32, bool) {
	if bytes > 1<<maxShift {
		n := (int64(bytes) + pageSize - 1) / pageSize
		if n > int64(s.total) {
			return none, false
		}
		return s.take(int32(n))
	}
	shift := shiftOf(bytes)
	list := &s.partial[shift-minShift]
	if p := *list; p != none {
		s.pages[p].used++
		if s.pages[p].used == slotsIn(shift) {
			s.unlink(p, list)
		}
		return p, true
	}
	p, ok := s.take(1)
	if !ok {
		return none, false
	}
	s.pages[p] = page{part: slotted, shift: shift, used: 1}
	s.push(p, list)
	return p, true
}

// free gives back one allocation in page p. A page whose last slot is given back becomes a free page again.
func (s *slab) free(p int32) {
	pg := &s.pages[p]
	if pg.part == whole {
		s.give(p, pg.run)
		return
	}
	list := &s.partial[pg.shift-minShift]
	if pg.used == slotsIn(pg.shift) {
		s.push(p, list)
	}
	pg.used--
	if pg.used == 0 {
		s.unlink(p, list)
		s.give(p, 1)
	}
}

// take removes n pages from the front of the first free run that is long enough. What is left of the run keeps its
// place in the list.
func (s *slab) take(n int32) (int32, bool) {
	p := s.runs
	for p != none && s.pages[p].run < n {
		p = s.pages[p].next
	}
	if p == none {
		return none, false
	}
	run, prev, next := s.pages[p].run, s.pages[p].prev, s.pages[p].next
	s.reach(min(p+n, s.total-1))
	rest := next
	if run > n {
		rest = p + n
		s.pages[rest] = page{part: free, run: run - n, prev: prev, next: next}
		s.mark(rest)
	} else if next != none {
		s.pages[next].prev = prev
	}
	if run > n && next != none {
		s.pages[next].prev = rest
	}
	if prev == none {
		s.runs = rest
	} else {
		s.pages[prev].next = rest
	}
	s.pages[p] = page{part: whole, run: n}
	for i := p + 1; i < p+n; i++ {
		s.pages[i] = page{part: busy}
	}
	return p, true
}

// give returns n pages from p on, joined with the free runs that touch them; the result becomes the first run.
func (s *slab) give(p, n int32) {
	if after := p + n; after < s.total && s.pages[after].part == free {
		n += s.pages[after].run
		s.unlink(after, &s.runs)
		s.pages[after].part = busy
	}
	if before := s.runBefore(p); before != none {
		n += s.pages[before].run
		s.unlink(before, &s.runs)
		s.pages[p].part = busy
		p = before
	}
	s.pages[p] = page{part: free, run: n}
	s.mark(p)
	s.push(p, &s.runs)
}

// runBefore returns the free run that ends before page p.
func (s *slab) runBefore(p int32) int32 {
	if p == 0 {
		return none
	}
	switch before := s.pages[p-1]; before.part {
	case free:
		return p - 1
	case tail:
		return before.run
	default:
		return none
	}
}

// mark lets the last page of the free run at p lead back to p. Behind a last page that was never reached lies the end
// of the pool, so nobody will ask it.
func (s *slab) mark(p int32) {
	if last := p + s.pages[p].run - 1; last > p && last < int32(len(s.pages)) {
		s.pages[last] = page{part: tail, run: p}
	}
}

// reach records pages up to p.
func (s *slab) reach(p int32) {
	if missing := int(p) + 1 - len(s.pages); missing > 0 {
		s.pages = append(s.pages, make([]page, missing)...)
	}
}

// push puts page p in front of a list.
func (s *slab) push(p int32, list *int32) {
	s.pages[p].prev, s.pages[p].next = none, *list
	if *list != none {
		s.pages[*list].prev = p
	}
	*list = p
}

// unlink takes page p out of the list.
func (s *slab) unlink(p int32, list *int32) {
	prev, next := s.pages[p].prev, s.pages[p].next
	if next != none {
		s.pages[next].prev = prev
	}
	if prev != none {
		s.pages[prev].next = next
	} else {
		*list = next
	}
}

// room returns how many allocations of bytes a pool without gaps still takes.
func (s *slab) room(bytes int) int {
	left := int64(0)
	if s.runs != none {
		left = int64(s.pages[s.runs].run)
	}
	if bytes > 1<<maxShift {
		return int(left / ((int64(bytes) + pageSize - 1) / pageSize))
	}
	shift := shiftOf(bytes)
	n := left * int64(slotsIn(shift))
	if p := s.partial[shift-minShift]; p != none {
		n += int64(slotsIn(shift) - s.pages[p].used)
	}
	return int(min(n, math.MaxInt))
}

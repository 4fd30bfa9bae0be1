package zone

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A plainSlab is the allocator told as a story, without links: free runs and pages with room stand in lists, and
// neighbours are found by looking through all of them.
type plainSlab struct {
	runs    []plainRun // in the order in which they are tried
	partial [slotClasses][]int32
	used    map[int32]int   // slots taken in a page
	class   map[int32]uint8 // of a page with slots
	whole   map[int32]int32 // pages of an allocation of whole pages
}

type plainRun struct{ start, pages int32 }

func newPlainSlab(size int64) *plainSlab {
	return &plainSlab{
		runs: []plainRun{{0, pagesOf(size)}},
		used: map[int32]int{}, class: map[int32]uint8{}, whole: map[int32]int32{},
	}
}

func (s *plainSlab) alloc(bytes int) (int32, bool) {
	if bytes > 2048 {
		n := int32((bytes + pageSize - 1) / pageSize)
		p, ok := s.take(n)
		if ok {
			s.whole[p] = n
		}
		return p, ok
	}
	shift := shiftOf(bytes)
	list := &s.partial[shift-minShift]
	if len(*list) == 0 {
		p, ok := s.take(1)
		if !ok {
			return none, false
		}
		s.class[p] = shift
		*list = []int32{p}
	}
	p := (*list)[0]
	s.used[p]++
	if s.used[p] == int(slotsIn(shift)) {
		*list = (*list)[1:]
	}
	return p, true
}

func (s *plainSlab) take(n int32) (int32, bool) {
	for i := range s.runs {
		r := &s.runs[i]
		if r.pages < n {
			continue
		}
		p := r.start
		if r.start, r.pages = r.start+n, r.pages-n; r.pages == 0 {
			s.runs = slices.Delete(s.runs, i, i+1)
		}
		return p, true
	}
	return none, false
}

func (s *plainSlab) free(p int32) {
	if n, ok := s.whole[p]; ok {
		delete(s.whole, p)
		s.give(plainRun{p, n})
		return
	}
	shift := s.class[p]
	list := &s.partial[shift-minShift]
	if s.used[p] == int(slotsIn(shift)) {
		*list = slices.Insert(*list, 0, p)
	}
	if s.used[p]--; s.used[p] == 0 {
		*list = slices.DeleteFunc(*list, func(q int32) bool { return q == p })
		delete(s.class, p)
		delete(s.used, p)
		s.give(plainRun{p, 1})
	}
}

func (s *plainSlab) give(r plainRun) {
	s.runs = slices.DeleteFunc(s.runs, func(q plainRun) bool {
		if q.start == r.start+r.pages {
			r.pages += q.pages
			return true
		}
		return false
	})
	s.runs = slices.DeleteFunc(s.runs, func(q plainRun) bool {
		if q.start+q.pages == r.start {
			r = plainRun{q.start, q.pages + r.pages}
			return true
		}
		return false
	})
	s.runs = slices.Insert(s.runs, 0, r)
}

// TestSlabTwin compares the pages that both hand out for the same requests of all sizes.
func TestSlabTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.Int64Range(MinSize, 40*pageSize).Draw(t, "size")
		s, plain := newSlab(size), newPlainSlab(size)
		var held []int32
		steps := rapid.IntRange(1, 400).Draw(t, "steps")
		for range steps {
			if len(held) > 0 && rapid.IntRange(0, 9).Draw(t, "op") < 4 {
				i := rapid.IntRange(0, len(held)-1).Draw(t, "which")
				s.free(held[i])
				plain.free(held[i])
				held = slices.Delete(held, i, i+1)
				continue
			}
			bytes := rapid.OneOf(
				rapid.IntRange(1, 3000), rapid.SampledFrom([]int{8, 32, 64, 128, 256, 1024, 2048, 4096, 12_000}),
			).Draw(t, "bytes")
			p, ok := s.alloc(bytes)
			q, fine := plain.alloc(bytes)
			if p != q || ok != fine {
				t.Fatalf("%d bytes: page %d %v, plainly %d %v", bytes, p, ok, q, fine)
			}
			if ok {
				held = append(held, p)
			}
		}
		for _, p := range held {
			s.free(p)
			plain.free(p)
		}
		if got := s.room(pageSize); got != int(pagesOf(size)) || s.pages[s.runs].next != none {
			t.Errorf("%d of %d pages are free after all", got, pagesOf(size))
		}
	})
}

// A large zone costs nothing before it is filled.
func TestSlabReachesOnlyWhatIsUsed(t *testing.T) {
	s := newSlab(MaxSize)
	for range 10 {
		if _, ok := s.alloc(2048); !ok {
			t.Fatal("no room")
		}
	}
	if len(s.pages) > 10 {
		t.Errorf("%d pages recorded", len(s.pages))
	}
}

func TestSlotsIn(t *testing.T) {
	for shift, want := range map[uint8]uint16{3: 504, 4: 254, 5: 127, 6: 64, 7: 32, 11: 2} {
		if got := slotsIn(shift); got != want {
			t.Errorf("slots of %d: %d, want %d", 1<<shift, got, want)
		}
	}
}

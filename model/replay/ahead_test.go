package replay

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// What is looked at ahead is what is let out next, if nothing else comes.
func TestNext(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := newQueue()
		q.now = start
		n := rapid.IntRange(0, 60).Draw(t, "n")
		for seq := range int64(n) {
			q.put(&entry{at: start + rapid.SampledFrom([]int64{0, 1, 63, 64, 5000, Window}).Draw(t, "at"), seq: seq})
		}
		var room [lookAt]*entry
		var ahead, out []int64
		for _, e := range q.next(room[:0]) {
			ahead = append(ahead, e.at)
		}
		q.drain(1<<62, func(all []*entry) {
			for _, e := range all {
				out = append(out, e.at)
			}
		})
		if want := out[:min(n, lookAt)]; !slices.Equal(ahead, want) {
			t.Fatalf("%v, want %v", ahead, want)
		}
	})
}

func TestInsertBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOf(rapid.IntRange(0, 50)).Draw(t, "all")
		most := rapid.IntRange(1, 20).Draw(t, "most")
		var best []int
		for _, v := range all {
			best = insertBest(best, most, v, cmp.Compare[int])
		}
		slices.Sort(all)
		if want := all[:min(len(all), most)]; !slices.Equal(best, want) {
			t.Fatalf("%v, want %v", best, want)
		}
	})
}

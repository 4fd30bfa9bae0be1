package replay

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

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

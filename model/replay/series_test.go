package replay

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// A series is the same in whatever order its requests come, and in however many series they were counted first; nothing is
// lost.
func TestSeries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var whole Series
		parts := make([]Series, 3)
		at, n := start/1000*1000, int64(0)
		for range rapid.IntRange(0, 300).Draw(t, "n") {
			at += rapid.SampledFrom([]int64{0, 1, 1, 3, 600, -2, 100_000, -40_000}).Draw(t, "step") * 1000
			whole.add(at, 2, 1, 1)
			parts[rapid.IntRange(0, 2).Draw(t, "part")].add(at, 2, 1, 1)
			n += 2
		}
		var joined Series
		for _, i := range rapid.Permutation([]int{0, 1, 2}).Draw(t, "order") {
			joined.merge(&parts[i])
		}
		if diff := cmp.Diff(whole.clone(), joined.clone()); diff != "" {
			t.Fatal(diff)
		}
		for _, s := range whole.Spans {
			n -= s.Requests
		}
		if n != 0 || !whole.valid() {
			t.Fatalf("%d requests are missing: %+v", n, whole)
		}
	})
}

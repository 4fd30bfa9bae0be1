package replay

import (
	"testing"

	"pgregory.net/rapid"
)

// A table keeps and forgets what a cache does, whatever the hashes.
func TestTable(t *testing.T) {
	type value struct{ key int }
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(1, 40).Draw(t, "most")
		spread := rapid.SampledFrom([]uint64{1, 64, golden, 1 << 32, 1 << 50}).Draw(t, "spread")
		tab, model := newTable[value](most), newCache[int, value](most)
		for range rapid.IntRange(0, 500).Draw(t, "steps") {
			key := rapid.IntRange(0, 3*most).Draw(t, "key")
			hash := uint64(key) * spread
			got := tab.get(hash)
			if want := model.get(key); got != want {
				t.Fatalf("%d: %v, want %v", key, got, want)
			}
			if got == nil {
				v := &value{key}
				tab.put(hash, v)
				model.put(key, v)
			}
		}
		kept := map[*value]bool{}
		model.each(func(v *value) { kept[v] = true })
		tab.each(func(v *value) {
			if !kept[v] {
				t.Fatalf("%d is still kept", v.key)
			}
			delete(kept, v)
		})
		if len(kept) > 0 {
			t.Fatalf("%d values are lost", len(kept))
		}
	})
}

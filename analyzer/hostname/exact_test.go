package hostname

import (
	"strings"
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

// TestExact: it finds what a map finds.
func TestExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.Custom(func(t *rapid.T) string {
			return strings.Repeat(rapid.StringMatching(`[a-c.]?`).Draw(t, "letter"), rapid.IntRange(0, 45).Draw(t, "times")) + rapid.StringN(0, 2, 4).Draw(t, "end")
		})
		twin := map[string]int{}
		var x exact[int]
		for i, n := range rapid.SliceOfN(name, 0, 60).Draw(t, "names") {
			_, there := twin[n]
			if x.add(n, i) == there {
				t.Fatalf("add %q: there already: %t", n, there)
			}
			if !there {
				twin[n] = i
			}
			ask := name.Draw(t, "asked")
			for _, q := range []string{n, ask} {
				want, ok := twin[q]
				if got, found := x.find(q); got != want || found != ok {
					t.Fatalf("find %q: %d %t, want %d %t", q, got, found, want, ok)
				}
			}
		}
	})
	if size := unsafe.Sizeof(entry[[3]*int]{}); unsafe.Sizeof(uintptr(0)) == 8 && size != 64 {
		t.Errorf("an entry with three pointers has %d bytes", size)
	}
}

package zone

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Two short keys of one length are packed alike only if they are the same.
func TestPackTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, shortKey).Draw(t, "length")
		one := rapid.SliceOfN(rapid.SampledFrom([]byte("\x00a\xff")), n, n)
		a, b := string(one.Draw(t, "a")), string(one.Draw(t, "b"))
		if (pack(a) == pack(b)) != (a == b) {
			t.Fatalf("%q and %q are packed as %v and %v", a, b, pack(a), pack(b))
		}
	})
}

// Neighbouring addresses, and keys that differ in length only, are spread over a table without long clusters.
func TestHashSpreads(t *testing.T) {
	h := newHasher()
	const n = 1 << 16
	for name, key := range map[string]func(i int) string{
		"addresses":  func(i int) string { return string([]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}) },
		"high bytes": func(i int) string { return string([]byte{byte(i >> 8), byte(i), 0, 0, 0, 0, 0, 0}) },
		"IPv6":       func(i int) string { return strings.Repeat("\x20", 14) + string([]byte{byte(i >> 8), byte(i)}) },
		"text":       func(i int) string { return strings.Repeat("x", 20) + string([]byte{byte(i >> 8), byte(i)}) },
	} {
		var load [n / 16]int
		most := 0
		for i := range n {
			k := key(i)
			at := h.hash(k, pack(k)) % uint32(len(load))
			load[at]++
			most = max(most, load[at])
		}
		// Thrown at random, 16 balls a bin, more than 60 in one of 4096 bins happens less than once in 10^12 tables.
		if most > 60 {
			t.Errorf("%s: %d of %d keys in one of %d bins", name, most, n, len(load))
		}
	}
}

// Four bytes can be told by their hash.
func TestHash4(t *testing.T) {
	h := newHasher()
	undo := func(n uint32, shift int) uint32 { // n ^ n>>shift, undone
		for out := n; ; out = n ^ out>>shift {
			if out^out>>shift == n {
				return out
			}
		}
	}
	inverse := func(odd uint32) uint32 {
		x := odd
		for range 5 {
			x *= 2 - odd*x
		}
		return x
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Uint32().Draw(t, "key")
		got := undo(h.hash4(n), 16) * inverse(uint32(h.second>>32)|1)
		got = undo(got, 15) * inverse(uint32(h.second)|1)
		got = undo(got, 16)*inverse(uint32(h.first>>32)|1) ^ uint32(h.first)
		if got != n {
			t.Fatalf("%08x became %08x", n, got)
		}
	})
}

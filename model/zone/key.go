package zone

import (
	"hash/maphash"
	"math/bits"
)

// shortKey is the length up to which a key's bytes lie in the entry itself: every address, as bytes or as IPv4 text.
const shortKey = 16

// A packed key is one of at most 16 bytes as two numbers, or nothing for a longer one. Two keys of one length up to 16
// are the same where their packed forms are.
type packed struct{ low, high uint64 }

func pack(key string) packed {
	switch n := len(key); {
	case n == 4:
		return packed{low: uint64(key[0]) | uint64(key[1])<<8 | uint64(key[2])<<16 | uint64(key[3])<<24}
	case n < 8:
		return packed{low: word(key)}
	case n <= shortKey:
		// The halves overlap where the key has fewer than 16 bytes.
		return packed{low: word8(key[:8]), high: word8(key[n-8:])}
	}
	return packed{}
}

// word reads fewer than 8 bytes.
func word(s string) uint64 {
	var w uint64
	for i := range len(s) {
		w |= uint64(s[i]) << (8 * i)
	}
	return w
}

// word8 reads 8 bytes.
func word8(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// A hasher spreads keys over a table. Its secrets are drawn anew for each zone, so that no list of keys is slow by
// intent; no decision depends on them.
type hasher struct {
	seed   maphash.Seed
	first  uint64
	second uint64
}

func newHasher() hasher {
	seed := maphash.MakeSeed()
	return hasher{seed, maphash.String(seed, "first"), maphash.String(seed, "second")}
}

// hash4 mixes four bytes. Each step can be undone, so that no two have the same hash.
func (h *hasher) hash4(n uint32) uint32 {
	n ^= uint32(h.first)
	n *= uint32(h.first>>32) | 1
	n ^= n >> 16
	n *= uint32(h.second) | 1
	n ^= n >> 15
	n *= uint32(h.second>>32) | 1
	return n ^ n>>16
}

// hash is two multiplications for a short key. One would leave patterns of neighbouring addresses.
func (h *hasher) hash(key string, p packed) uint32 {
	switch {
	case len(key) > shortKey:
		return uint32(maphash.String(h.seed, key))
	case len(key) == 4:
		return h.hash4(uint32(p.low))
	}
	high, low := bits.Mul64(p.low^h.first, p.high^h.second^uint64(len(key)))
	high, low = bits.Mul64(low^h.second, high^h.first)
	return uint32(high ^ low ^ low>>32)
}

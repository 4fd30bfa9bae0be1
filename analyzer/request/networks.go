package request

import (
	"encoding/binary"
	"net/netip"
	"slices"
)

// Networks is a list of networks that many addresses are looked up in. It answers as Contains does, in a time that
// hardly grows with the list.
type Networks struct {
	four []span4 // ascending, with gaps between them
	six  []span6
}

type span4 struct{ first, last uint32 }

type span6 struct{ first, last netip.Addr }

// NewNetworks takes a list; networks that are not valid count for nothing.
func NewNetworks(list []netip.Prefix) *Networks {
	n := &Networks{}
	for _, p := range list {
		p = p.Masked()
		switch {
		case !p.IsValid():
		case p.Addr().Is4():
			first := number4(p.Addr())
			n.four = append(n.four, span4{first, first | uint32(uint64(1)<<(32-p.Bits())-1)})
		default:
			n.six = append(n.six, span6{p.Addr(), last6(p)})
		}
	}
	slices.SortFunc(n.four, func(a, b span4) int { return int(int64(a.first) - int64(b.first)) })
	slices.SortFunc(n.six, func(a, b span6) int { return a.first.Compare(b.first) })
	n.four = merged(n.four, func(a *span4, b span4) bool {
		if b.first > a.last && b.first-a.last > 1 { // neighbours without a gap are one span
			return false
		}
		a.last = max(a.last, b.last)
		return true
	})
	n.six = merged(n.six, func(a *span6, b span6) bool {
		if a.last.Less(b.first) {
			return false
		}
		if a.last.Less(b.last) {
			a.last = b.last
		}
		return true
	})
	return n
}

// merged joins spans that follow each other, where join says that the second was added to the first.
func merged[S any](spans []S, join func(*S, S) bool) []S {
	var out []S
	for _, s := range spans {
		if len(out) == 0 || !join(&out[len(out)-1], s) {
			out = append(out, s)
		}
	}
	return out
}

// Contains says whether an address lies in one of the networks: see the function of that name.
func (n *Networks) Contains(a netip.Addr) bool {
	a = a.Unmap()
	if a.Is4() {
		return n.contains4(number4(a))
	}
	a = a.WithZone("")
	low, high := 0, len(n.six) // the spans before low end before the address
	for low < high {
		mid := int(uint(low+high) >> 1)
		if n.six[mid].last.Less(a) {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low < len(n.six) && !a.Less(n.six[low].first)
}

func (n *Networks) contains4(a uint32) bool {
	low, high := 0, len(n.four)
	for low < high {
		mid := int(uint(low+high) >> 1)
		if n.four[mid].last < a {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low < len(n.four) && n.four[low].first <= a
}

func number4(a netip.Addr) uint32 {
	b := a.As4()
	return binary.BigEndian.Uint32(b[:])
}

// last6 is the last address of a network of IPv6.
func last6(p netip.Prefix) netip.Addr {
	b := p.Addr().As16()
	for i := p.Bits(); i < 128; i++ {
		b[i/8] |= 0x80 >> (i % 8)
	}
	return netip.AddrFrom16(b)
}

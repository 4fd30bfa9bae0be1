package value

import (
	"encoding/binary"
	"net/netip"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
)

// geoRanges are the ranges of one geo block. nginx cuts them into blocks of 65,536 addresses and compares within each:
// what lies inside another range divides it, what reaches over its edge is refused.
type geoRanges struct {
	blocks [1 << 8]*[1 << 8][]piece // by the first and the second byte of the addresses
	work   int                      // pieces touched; see maxPieces
}

// block returns the list of pieces of one block, in order.
func (g *geoRanges) block(n int) *[]piece {
	half := &g.blocks[n>>8]
	if *half == nil {
		*half = &[1 << 8][]piece{}
	}
	return &(*half)[n&0xff]
}

// piece is a range within one block of 65,536 addresses.
type piece struct {
	from, to uint16
	value    string
}

// maxPieces bounds the pieces that all ranges of a geo block together may touch: a range over the whole address space
// has 65,536 of them, so that a file of such ranges would never end.
const maxPieces = 1 << 26

func parseRange(text string) (from, to uint32, ok bool) {
	left, right, cut := strings.Cut(text, "-")
	if !cut {
		return 0, 0, false
	}
	a, ok1 := request.ParseAddr(left)
	b, ok2 := request.ParseAddr(right)
	if !ok1 || !ok2 || !a.Is4() || !b.Is4() {
		return 0, 0, false
	}
	from, to = bits4(a), bits4(b)
	return from, to, from <= to
}

func bits4(a netip.Addr) uint32 {
	b := a.As4()
	return binary.BigEndian.Uint32(b[:])
}

// each calls f for each block that a range touches, with the part of the range that lies within it, while f says so.
func (g *geoRanges) each(from, to uint32, f func(block int, p piece) bool) {
	for n := uint64(from); n <= uint64(to); n = (n + 0x10000) &^ 0xffff {
		p := piece{from: uint16(n), to: 0xffff}
		if n|0xffff > uint64(to) {
			p.to = uint16(to)
		}
		g.work++
		if !f(int(n>>16), p) {
			return
		}
	}
}

func (g *geoRanges) add(p *problems, entry int, text string, from, to uint32, v string) {
	if g.work > maxPieces {
		p.refuse(entry, "range \"%s\" is beyond the %d pieces that are read of one geo block", text, maxPieces)
		return
	}
	duplicate := false
	g.each(from, to, func(block int, n piece) bool {
		n.value = v
		dup, conflict := g.insert(block, n)
		if dup != nil && !duplicate {
			duplicate = true
			p.warn(entry, "duplicate range \"%s\", value: \"%s\", old value: \"%s\"", text, v, *dup)
		}
		if conflict == nil {
			return true
		}
		p.refuse(entry, "range \"%s\" overlaps \"%s-%s\"", text, address(block, conflict.from), address(block, conflict.to))
		return false
	})
}

func address(block int, low uint16) netip.Addr { return request.Addr4(uint32(block)<<16 | uint32(low)) }

// insert puts a piece into its block. It returns the value that it replaces, or the piece that it conflicts with.
func (g *geoRanges) insert(block int, n piece) (replaced *string, conflict *piece) {
	at := g.block(block)
	list := *at
	i := len(list)
	for i > 0 && n.to < list[i-1].from {
		i--
	}
	g.work += len(list) - i
	if i == 0 || n.from > list[i-1].to {
		*at = splice(list, i, i, n)
		return nil, nil
	}
	old := list[i-1]
	switch {
	case n.from == old.from && n.to == old.to:
		list[i-1] = n
		return &old.value, nil
	case n.from < old.from || n.to > old.to:
		return nil, &old
	}
	var parts []piece
	if n.from > old.from {
		parts = append(parts, piece{old.from, n.from - 1, old.value})
	}
	parts = append(parts, n)
	if n.to < old.to {
		parts = append(parts, piece{n.to + 1, old.to, old.value})
	}
	*at = splice(list, i-1, i, parts...)
	return nil, nil
}

func splice(list []piece, from, to int, parts ...piece) []piece {
	if from == len(list) {
		return append(list, parts...)
	}
	out := make([]piece, 0, len(list)+len(parts))
	out = append(out, list[:from]...)
	out = append(out, parts...)
	return append(out, list[to:]...)
}

// remove takes a range away and says whether every piece of it was there as such.
func (g *geoRanges) remove(from, to uint32) bool {
	whole := true
	g.each(from, to, func(block int, n piece) bool {
		at := g.block(block)
		list := *at
		for i := range list {
			g.work++
			if list[i].from == n.from && list[i].to == n.to {
				*at = splice(list, i, i+1)
				return true
			}
		}
		whole = false
		return g.work <= maxPieces
	})
	return whole
}

// spans divide the IPv4 addresses; what lies in no range has the value otherwise. A nil receiver has no ranges.
func (g *geoRanges) spans(otherwise string) spans {
	out := spans{{all4.Addr(), otherwise}}
	if g == nil {
		return out
	}
	for high, half := range g.blocks {
		if half == nil {
			continue
		}
		for low, list := range half {
			for _, p := range list {
				out = out.piece(address(high<<8|low, p.from), address(high<<8|low, p.to), p.value, otherwise)
			}
		}
	}
	return out
}

// piece adds a range behind the last one; what follows it has the value otherwise until more is added.
func (s spans) piece(from, to netip.Addr, v, otherwise string) spans {
	if n := len(s); s[n-1].from == from && n > 1 && s[n-2].value == v {
		s = s[:n-1] // it continues the range before
	} else {
		s = s.append(from, v)
	}
	if next := to.Next(); next.IsValid() {
		s = s.append(next, otherwise)
	}
	return s
}

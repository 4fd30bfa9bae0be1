package value

import (
	"cmp"
	"net/netip"
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
)

// geoBuilder reads the entries of a geo block, which replace and delete each other in their order.
type geoBuilder struct {
	problems
	geo          *geo
	networks     map[netip.Prefix]string
	inRanges     bool
	ranges       *geoRanges
	otherwise    string // default of a block with ranges
	hasOtherwise bool
}

func (b *geoBuilder) add(i int, words []string) {
	if len(words) == 1 && words[0] == "ranges" {
		if b.networks != nil {
			b.refuse(i, "the \"ranges\" directive must be the first directive inside \"geo\" block")
			return
		}
		b.inRanges = true
		return
	}
	if len(words) == 1 && words[0] == "proxy_recursive" {
		b.geo.recursive = true
		return
	}
	switch {
	case len(words) != 2:
		b.refuse(i, "invalid number of the geo parameters")
	case words[0] == "proxy":
		if n, ok := b.network(i, words[1]); ok {
			b.geo.proxies = append(b.geo.proxies, n)
		}
	case b.inRanges:
		b.addRange(i, words[0], words[1])
	default:
		b.addNetwork(i, words[0], words[1])
	}
}

// network reads a network as nginx does within geo.
func (b *geoBuilder) network(i int, text string) (netip.Prefix, bool) {
	if text == "255.255.255.255" {
		return netip.PrefixFrom(nowhere, 32), true
	}
	n, lowBits, ok := request.ParseNetwork(text)
	if !ok {
		b.refuse(i, "invalid network \"%s\"", text)
		return n, false
	}
	if lowBits {
		b.warn(i, "low address bits of %s are meaningless", text)
	}
	return n, true
}

var (
	all4 = netip.PrefixFrom(netip.IPv4Unspecified(), 0)
	all6 = netip.PrefixFrom(netip.IPv6Unspecified(), 0)
)

func (b *geoBuilder) addNetwork(i int, key, v string) {
	if b.networks == nil {
		b.networks = map[netip.Prefix]string{}
	}
	switch key {
	case "default":
		b.put(i, all4, key, v)
		b.put(i, all6, key, v)
	case "delete":
		n, ok := b.network(i, v)
		if !ok {
			return
		}
		if _, there := b.networks[n]; !there {
			b.warn(i, "no network \"%s\" to delete", v)
		}
		delete(b.networks, n)
	default:
		if n, ok := b.network(i, key); ok {
			b.put(i, n, key, v)
		}
	}
}

func (b *geoBuilder) put(i int, n netip.Prefix, text, v string) {
	if _, dup := b.networks[n]; dup {
		b.warn(i, "duplicate network \"%s\", value: \"%s\", old value: \"%s\"", text, v, b.longest(n.Addr()))
	}
	b.networks[n] = v
}

// longest returns the value of the longest network so far that holds an address. nginx names it as the old value.
func (b *geoBuilder) longest(a netip.Addr) string {
	for bits := a.BitLen(); bits >= 0; bits-- {
		if v, ok := b.networks[netip.PrefixFrom(a, bits).Masked()]; ok {
			return v
		}
	}
	return ""
}

func (b *geoBuilder) addRange(i int, key, v string) {
	if key == "default" {
		if b.hasOtherwise {
			b.warn(i, "duplicate default geo range value: \"%s\", old value: \"%s\"", v, b.otherwise)
		}
		b.otherwise, b.hasOtherwise = v, true
		return
	}
	if b.ranges == nil {
		b.ranges = &geoRanges{}
	}
	remove := key == "delete"
	if remove {
		key = v
	}
	from, to, ok := parseRange(key)
	switch {
	case !ok:
		b.refuse(i, "invalid range \"%s\"", key)
	case remove:
		if !b.ranges.remove(from, to) {
			b.warn(i, "no address range \"%s\" to delete", key)
		}
	default:
		b.ranges.add(&b.problems, i, key, from, to, v)
	}
}

// finish divides the address space once all entries are known.
func (b *geoBuilder) finish() {
	b.divideAll()
	b.geo.starts = make([]uint32, len(b.geo.v4))
	for i, s := range b.geo.v4 {
		b.geo.starts[i] = number(s.from)
	}
}

func (b *geoBuilder) divideAll() {
	if b.inRanges {
		b.geo.v4 = b.ranges.spans(b.otherwise)
		b.geo.v6 = spans{{all6.Addr(), b.geo.v4.find(nowhere)}} // a range holds no IPv6 address; nginx looks up nowhere
		return
	}
	var v4, v6 []netip.Prefix
	for n := range b.networks {
		if n.Addr().Is4() {
			v4 = append(v4, n)
		} else {
			v6 = append(v6, n)
		}
	}
	b.geo.v4 = b.divide(v4, all4)
	b.geo.v6 = b.divide(v6, all6)
}

// divide turns networks that lie within each other into spans side by side, the innermost network deciding.
func (b *geoBuilder) divide(networks []netip.Prefix, all netip.Prefix) spans {
	slices.SortFunc(networks, func(x, y netip.Prefix) int {
		if c := x.Addr().Compare(y.Addr()); c != 0 {
			return c
		}
		return cmp.Compare(x.Bits(), y.Bits())
	})
	out := spans{{all.Addr(), b.networks[all]}}
	var open []netip.Prefix // the networks around the place reached, outermost first
	closeUpTo := func(a netip.Addr) {
		for len(open) > 0 && (!a.IsValid() || !open[len(open)-1].Contains(a)) {
			after := behind(open[len(open)-1])
			open = open[:len(open)-1]
			v := b.networks[all]
			if len(open) > 0 {
				v = b.networks[open[len(open)-1]]
			}
			if after.IsValid() {
				out = out.append(after, v)
			}
		}
	}
	for _, n := range networks {
		closeUpTo(n.Addr())
		out = out.append(n.Addr(), b.networks[n])
		open = append(open, n)
	}
	closeUpTo(netip.Addr{})
	return out
}

// append adds a span behind the last one; it replaces one that starts at the same address.
func (s spans) append(from netip.Addr, v string) spans {
	if n := len(s); s[n-1].from == from {
		s[n-1].value = v
		return s
	}
	return append(s, span{from, v})
}

// behind returns the first address behind a network; invalid where the network reaches the end of the address space.
func behind(n netip.Prefix) netip.Addr {
	b := n.Addr().AsSlice()
	for i := n.Bits(); i < len(b)*8; i++ {
		b[i/8] |= 0x80 >> (i % 8)
	}
	last, _ := netip.AddrFromSlice(b)
	return last.Next()
}

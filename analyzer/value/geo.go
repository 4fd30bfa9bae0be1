package value

import (
	"encoding/binary"
	"net/netip"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/hostname"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
)

// geo is a geo block: an address, and what the networks or ranges that hold it lead to.
type geo struct {
	source    string // the variable that gives the address; "" for the client's own
	proxies   []netip.Prefix
	recursive bool
	v4, v6    spans
	starts    []uint32 // of v4, as numbers: where many addresses are looked up these are compared
}

// nowhere stands for what is no address; nginx looks it up all the same.
var nowhere = netip.AddrFrom4([4]byte{255, 255, 255, 255})

// Geo adds a geo block: the block's one or two arguments, and its entries as words, includes expanded. What nginx would
// refuse is returned; the good entries are kept all the same.
func (d *Definitions) Geo(args []string, entries [][]string) []Problem {
	b := geoBuilder{geo: &geo{}}
	if len(args) != 1 && len(args) != 2 {
		b.refuse(-1, "invalid number of arguments in \"geo\" directive")
		return b.problems
	}
	name := args[len(args)-1]
	if len(args) == 2 {
		if !strings.HasPrefix(args[0], "$") {
			b.refuse(-1, "invalid variable name \"%s\"", args[0])
		} else if b.geo.source = hostname.Lower(args[0][1:]); b.geo.source == "" {
			b.refuse(-1, "invalid variable name \"$\"")
		}
	}
	for i, words := range entries {
		b.add(i, words)
	}
	b.finish()
	d.define(&b.problems, name, b.geo)
	return b.problems
}

func (g *geo) volatile() bool { return false }

func (g *geo) sources() []string {
	if g.source == "" {
		return []string{"remote_addr"}
	}
	return []string{g.source}
}

func (g *geo) value(r *Request) Value {
	addr := r.Client.Addr()
	known := true
	if g.source != "" {
		source := r.Variable(g.source)
		var text string
		if text, known = source.Known(); !known {
			if one, same := g.single(); same {
				return Of(one)
			}
			return source
		}
		addr, known = request.ParseAddr(text)
	}
	if known && len(g.proxies) > 0 {
		addr = g.behindProxies(r, addr)
	}
	if !known || !addr.IsValid() {
		addr = nowhere
	}
	if addr = addr.Unmap(); addr.Is4() {
		return Of(g.find4(addr))
	}
	return Of(g.v6.find(addr))
}

func (g *geo) behindProxies(r *Request, addr netip.Addr) netip.Addr {
	lines := r.lines("X-Forwarded-For")
	if len(lines) == 0 {
		return addr
	}
	trusted := func(a netip.Addr) bool { return request.Contains(g.proxies, a) }
	if a, ok := request.Forwarded(addr, lines, trusted, g.recursive, r.since(27, 3)); ok {
		return a.Addr()
	}
	return addr
}

// single returns the value that every address leads to, if there is one.
func (g *geo) single() (string, bool) {
	for _, s := range g.v4 {
		if s.value != g.v4[0].value {
			return "", false
		}
	}
	for _, s := range g.v6 {
		if s.value != g.v4[0].value {
			return "", false
		}
	}
	return g.v4[0].value, true
}

// find4 is spans.find for an IPv4 address.
func (g *geo) find4(a netip.Addr) string {
	n := number(a)
	low, high := 0, len(g.starts)
	for low < high {
		mid := int(uint(low+high) >> 1)
		if g.starts[mid] <= n {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if low == 0 {
		return ""
	}
	return g.v4[low-1].value
}

func number(a netip.Addr) uint32 {
	b := a.As4()
	return binary.BigEndian.Uint32(b[:])
}

// spans divide the addresses of one family: sorted by their first address, without gaps from the lowest one on.
type spans []span

type span struct {
	from  netip.Addr
	value string
}

func (s spans) find(a netip.Addr) string {
	low, high := 0, len(s)
	for low < high {
		mid := int(uint(low+high) >> 1)
		if s[mid].from.Compare(a) <= 0 {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if low == 0 {
		return ""
	}
	return s[low-1].value
}

package peers

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/model/fronts"
)

// A Judge knows which addresses may be proxies', whom a header of theirs stands for, and which network covers one. The zero
// Judge knows private networks only.
type Judge struct {
	known *fronts.Table
	given []*fronts.List
}

// NewJudge returns a judge that takes for proxies whoever is in the lists given, in those of known fronts, or in a private
// network.
func NewJudge(known *fronts.Table, given []*fronts.List) Judge { return Judge{known, given} }

// Suspect says whether an address may be a proxy's.
func (j *Judge) Suspect(a netip.Addr) bool {
	return inner(a) || j.listed(a) != nil || j.front(a) != nil
}

// front is the known front that has an address; nil for none.
func (j *Judge) front(a netip.Addr) *fronts.Front {
	if j.known == nil {
		return nil
	}
	return j.known.Of(netip.PrefixFrom(a, a.BitLen()))
}

func (j *Judge) listed(a netip.Addr) *fronts.List {
	i := slices.IndexFunc(j.given, func(l *fronts.List) bool { return l.Set().Contains(a) })
	if i < 0 {
		return nil
	}
	return j.given[i]
}

// Behind finds the client in a header: the last address of the internet that is no proxy's; and the last address of all,
// which is not valid where the header's last word is none.
func (j *Judge) Behind(header string) (client, last netip.Addr, ok bool) {
	words := strings.FieldsFunc(header, func(r rune) bool { return r == ' ' || r == ',' })
	for i := len(words) - 1; i >= 0; i-- {
		a, valid := request.ParseAddrPort(words[i], true)
		if !valid {
			continue
		}
		addr := a.Addr().Unmap()
		if i == len(words)-1 {
			last = addr
		}
		if !ok && !j.Suspect(addr) && addr.IsGlobalUnicast() {
			client, ok = addr, true
		}
	}
	return client, last, ok
}

var shared = netip.MustParsePrefix("100.64.0.0/10") // RFC 6598: carriers and clusters

// inner says whether nobody on the internet has an address.
func inner(a netip.Addr) bool {
	return a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() || shared.Contains(a)
}

// Network finds the network that covers an address: one of a list that was given, a known front's, or else the smallest
// sensible one. sizes are lengths of private networks that are trusted already: a neighbour is likely of the same one, as a
// cloud's subnets are. The group has no peers.
func (j *Judge) Network(a netip.Addr, sizes []int) Group {
	if l := j.listed(a); l != nil {
		for _, n := range l.Networks {
			if n.Prefix.Contains(a) {
				return Group{Network: n.Prefix, Label: strings.TrimSuffix(l.Name+": "+n.Label, ": "), Front: l.Front, Sure: true}
			}
		}
	}
	if f := j.front(a); f != nil {
		for _, p := range f.Networks {
			if p.Contains(a) {
				return Group{Network: p, Label: f.Name, Front: f, Sure: true}
			}
		}
	}
	bits := 24
	switch {
	case a.IsLoopback():
		bits = a.BitLen()
	case a.Is6():
		bits = 64
	}
	for _, n := range sizes {
		if a.Is4() && !a.IsLoopback() && n < 30 && n >= 16 {
			bits = min(bits, n)
		}
	}
	return Group{Network: netip.PrefixFrom(a, bits).Masked()}
}

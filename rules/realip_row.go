package rules

import (
	"encoding/binary"
	"net/netip"
	"slices"

	"go4.org/netipx"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
)

// A subnet is a private network that is trusted, as a number: the address's first 64 bits, an IPv4 address at their
// front. Subnets of one size in one family make a row, in which the balancers of a cloud lie side by side.
type subnet struct {
	trusted *config.Trusted
	at      uint64
}

// A row is the trusted private subnets of one family and size, in the order of their addresses.
type row struct {
	bits    int
	v6      bool
	subnets []subnet
}

// rowsOf sorts the trusted private subnets into rows. Networks that are larger than a cloud's subnets (/17 in a private
// range and wider) are no subnets, and single hosts are none.
func rowsOf(trusted []*config.Trusted) []row {
	var rows []row
	for _, t := range trusted {
		if !isSubnet(t.Prefix) {
			continue
		}
		v6, bits := t.Prefix.Addr().Is6(), t.Prefix.Bits()
		i := slices.IndexFunc(rows, func(r row) bool { return r.bits == bits && r.v6 == v6 })
		if i < 0 {
			i = len(rows)
			rows = append(rows, row{bits: bits, v6: v6})
		}
		rows[i].subnets = append(rows[i].subnets, subnet{t, number(t.Prefix.Masked().Addr())})
	}
	for i := range rows {
		slices.SortStableFunc(rows[i].subnets, func(a, b subnet) int {
			if a.at < b.at {
				return -1
			}
			return int(min(a.at-b.at, 1))
		})
		rows[i].subnets = slices.CompactFunc(rows[i].subnets, func(a, b subnet) bool { return a.at == b.at })
	}
	return rows
}

func isSubnet(p netip.Prefix) bool {
	if !p.IsValid() || !p.Addr().IsPrivate() {
		return false
	}
	if p.Addr().Is6() {
		return p.Bits() >= 56 && p.Bits() <= 64
	}
	return p.Bits() >= 18 && p.Bits() <= 29
}

func number(a netip.Addr) uint64 {
	if a.Is4() {
		b := a.As4()
		return uint64(binary.BigEndian.Uint32(b[:])) << 32
	}
	b := a.As16()
	return binary.BigEndian.Uint64(b[:8])
}

// prefix turns a place in the row back into a network.
func (r row) prefix(at uint64) netip.Prefix {
	if !r.v6 {
		var b [4]byte
		binary.BigEndian.PutUint32(b[:], uint32(at>>32))
		return netip.PrefixFrom(netip.AddrFrom4(b), r.bits)
	}
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], at)
	return netip.PrefixFrom(netip.AddrFrom16(b), r.bits)
}

// size is the distance between two neighbours.
func (r row) size() uint64 {
	if r.v6 {
		return 1 << (64 - r.bits)
	}
	return 1 << (32 + 32 - r.bits)
}

// maxMissing is how many neighbours in a row may be missing at one place for the row still to be one.
const maxMissing = 2

// A gap is where a row lacks members: those between two that are trusted.
type gap struct {
	before  subnet
	missing []netip.Prefix
}

// gaps finds what is missing between trusted members. The row's stride is the smallest distance between two of them; of
// two members alone, which might have any stride, it is taken to be their size. Three or more at one even stride are
// complete: every second subnet may be the balancer's.
func (r row) gaps(trusted *netipx.IPSet) []gap {
	n := len(r.subnets)
	if n < 2 {
		return nil
	}
	stride := r.size()
	if n > 2 {
		stride = r.subnets[1].at - r.subnets[0].at
		for i := 1; i < n; i++ {
			stride = min(stride, r.subnets[i].at-r.subnets[i-1].at)
		}
	}
	var found []gap
	for i := 1; i < n; i++ {
		from, to := r.subnets[i-1], r.subnets[i]
		steps := (to.at - from.at) / stride
		if (to.at-from.at)%stride != 0 || steps < 2 || steps > maxMissing+1 {
			continue
		}
		g := gap{before: from}
		for k := uint64(1); k < steps; k++ {
			if p := r.prefix(from.at + k*stride); !trusted.ContainsPrefix(p) {
				g.missing = append(g.missing, p)
			}
		}
		if len(g.missing) > 0 {
			found = append(found, g)
		}
	}
	return found
}

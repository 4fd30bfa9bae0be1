package chain

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/model/fronts"
)

// Bind returns the chain with the networks of its members: those that were written or read for a member, else those that
// its front publishes, else such of the lists given for all that are of its kind. A list of no kind is of the members that
// have no other, together: which of them has which network cannot be told from it.
func (c Chain) Bind(known *fronts.Table, given []*fronts.List) Chain {
	bound := slices.Clone(c)
	left := slices.Clone(given)
	for i := range bound {
		bound[i].bind(known, &left)
	}
	for i := range bound {
		if p := &bound[i]; len(p.Lists) == 0 {
			p.Lists = slices.Clone(left)
		}
	}
	return bound
}

func (p *Proxy) bind(known *fronts.Table, left *[]*fronts.List) {
	if len(p.written) > 0 {
		p.Lists = append(slices.Clip(p.Lists), fronts.ListOf(p.Name, p.written))
	}
	mine := func(l *fronts.List) bool {
		if p.Front != "" && l.Front != nil && l.Front.ID == p.Front {
			return true
		}
		return slices.ContainsFunc(p.Makers, func(m string) bool { return strings.HasPrefix(l.Made, m) })
	}
	if len(p.Lists) == 0 {
		for _, l := range *left {
			if mine(l) {
				p.Lists = append(p.Lists, l)
			}
		}
	}
	*left = slices.DeleteFunc(*left, mine)
	p.Lists = slices.DeleteFunc(slices.Clone(p.Lists), func(l *fronts.List) bool {
		if l.Made != fronts.BalancerAddresses {
			return false
		}
		for _, n := range l.Networks {
			p.own = append(p.own, n.Prefix.Addr())
		}
		return true
	})
	if front := known.Find(p.Front); len(p.Lists) == 0 && front != nil {
		p.Lists = []*fronts.List{front.List()}
	}
}

// Known says whether the proxy's networks are known, and the address of its own that it adds to a header, where it does so.
func (p *Proxy) Known() bool { return len(p.Lists) > 0 && !p.OwnUnknown() }

// OwnUnknown says whether the proxy adds an address of its own to a header and nobody said which.
func (p *Proxy) OwnUnknown() bool {
	return len(p.own) == 0 && slices.ContainsFunc(p.Headers, func(h fronts.Header) bool { return h.Adds > 1 })
}

// Networks returns the proxy's networks.
func (p *Proxy) Networks() (all []fronts.Network) {
	for _, l := range p.Lists {
		all = append(all, l.Networks...)
	}
	return all
}

// maxWays bounds the ways through a chain.
const maxWays = 64

// Ways returns ways through the chain: as many as the member with most networks has of these, at most 64, and the others in
// turn. Networks of IPv6 count where six is true, or where a member has no others. Of a member whose networks are not known
// an address is taken in one of the likely networks that is nobody else's, and else a private one; said tells of it.
func (c Chain) Ways(likely []netip.Prefix, six bool) (ways []Way, said []string) {
	if len(c) == 0 {
		return nil, nil
	}
	networks := make([][]netip.Prefix, len(c))
	for i := range c {
		networks[i] = c[i].places(six)
		likely = slices.DeleteFunc(slices.Clone(likely), func(p netip.Prefix) bool {
			return slices.ContainsFunc(networks[i], p.Overlaps)
		})
	}
	for i := range c {
		if c[i].About != "" {
			said = append(said, fmt.Sprintf("%s: %s", c[i].Name, c[i].About))
		}
		if c[i].OwnUnknown() {
			said = append(said, fmt.Sprintf("%s: the address of its own that it adds behind the client's is not known: one of its nodes is taken, but it is another one, which has to be trusted as well; --proxies with the output of %q says it",
				c[i].Name, fronts.BalancerAddresses))
		}
		if len(networks[i]) > 0 {
			continue
		}
		net, why := somewhere(&likely)
		networks[i] = []netip.Prefix{net}
		said = append(said, fmt.Sprintf("from where %s connects is not known: %s is taken, %s; %s=NETWORK or --proxies FILE says it",
			c[i].Name, node(net, i), why, c[i].Name))
	}
	most := 0
	for _, n := range networks {
		most = max(most, len(n))
	}
	for k := range min(most, maxWays) {
		w := make(Way, len(c))
		for i := range c {
			w[i] = c[i].hop(networks[i][k%len(networks[i])], i)
		}
		ways = append(ways, w)
	}
	if most > maxWays {
		said = append(said, fmt.Sprintf("of the ways through %d networks %d are taken", most, maxWays))
	}
	return ways, said
}

// places are the networks in which a proxy may be.
func (p *Proxy) places(six bool) []netip.Prefix {
	var all, others []netip.Prefix
	for _, n := range p.Networks() {
		if n.Prefix.Addr().Is4() || six {
			all = append(all, n.Prefix)
		} else {
			others = append(others, n.Prefix)
		}
	}
	if len(all) == 0 {
		return others
	}
	return all
}

// somewhere takes a network for a proxy of which none is known.
func somewhere(likely *[]netip.Prefix) (net netip.Prefix, why string) {
	if len(*likely) == 0 {
		return netip.MustParsePrefix("10.255.255.0/24"), "which nobody trusts"
	}
	net = (*likely)[0]
	if len(*likely) > 1 {
		*likely = (*likely)[1:]
	}
	return net, "as " + net.String() + " is trusted"
}

// hop is the proxy at work in a network; number keeps apart those that are in the same one.
func (p *Proxy) hop(net netip.Prefix, number int) Hop {
	h := Hop{Name: p.Name, Node: netip.PrefixFrom(node(net, number), net.Bits()), Headers: p.Headers, Speaks: p.Speaks}
	if len(p.own) > 0 {
		h.Own = p.own[0]
	}
	return h
}

// node is an address of a network: the one behind its first, or for the proxy of a higher number one behind that.
func node(net netip.Prefix, number int) netip.Addr {
	a := net.Masked().Addr()
	for range number + 1 {
		if next := a.Next(); next.IsValid() && net.Contains(next) {
			a = next
		}
	}
	return a
}

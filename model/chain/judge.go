package chain

import (
	"net/netip"
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/model/realip"
)

// An Outcome is whom nginx takes for the client, if it believes every proxy of the way.
type Outcome struct {
	Takes  int   // of a client that claims nothing: Client, or a proxy's number
	Forged bool  // a client that claims to be somebody else is believed
	Needed []int // the proxies that have to be believed for it, by number
}

// Right says whether nginx takes the client's address, whatever the client claims.
func (o Outcome) Right() bool { return o.Takes == Client && !o.Forged }

// The addresses of those who take part in a judgement; no proxy has them, since these are numbered in another network.
var (
	judgedClient = netip.MustParseAddr("203.0.113.7")
	judgedClaim  = netip.MustParseAddr("198.51.100.66")
)

// Judge tells what comes of a header and of recursion behind the proxies, whichever their addresses are.
func (w Way) Judge(header string, recursive bool) Outcome {
	cfg := realip.Config{Header: header, Recursive: recursive}
	w = w.numbered()
	believed := make([]bool, len(w))
	for i := range believed {
		believed[i] = true
	}
	o := Outcome{Takes: takes(w, cfg, believed, false)}
	forged := takes(w, cfg, believed, true)
	o.Forged = forged == Claimed
	for i := range believed {
		believed[i] = false
		if i == len(w)-1 || takes(w, cfg, believed, true) != forged {
			o.Needed = append(o.Needed, i)
		}
		believed[i] = true
	}
	return o
}

// takes is whose address nginx takes, where it believes some of the proxies.
func takes(w Way, cfg realip.Config, believed []bool, claims bool) int {
	cfg.Trusted = nil
	for i := range w {
		if believed[i] {
			cfg.Trusted = append(cfg.Trusted, w[i].Node, netip.PrefixFrom(w[i].Own, w[i].Own.BitLen()))
		}
	}
	req := request.Request{Peer: judgedClient}
	if claims {
		name := cfg.Header
		if name == "" {
			name = realip.XRealIP
		}
		req.Headers = []request.Header{{Name: name, Value: judgedClaim.String()}}
	}
	return w.Read(cfg, req).Of
}

// numbered is the same way with addresses that say the proxies' numbers.
func (w Way) numbered() Way {
	all := slices.Clone(w)
	for i := range all {
		node := netip.AddrFrom16([16]byte{0xfd, 14: byte(i), 15: 1})
		all[i].Node, all[i].Own = netip.PrefixFrom(node, 128), netip.AddrFrom16([16]byte{0xfd, 14: byte(i), 15: 2})
	}
	return all
}

// Judge is Way.Judge of a chain, wherever its members are.
func (c Chain) Judge(header string, recursive bool) Outcome { return c.hops().Judge(header, recursive) }

// hops is a way through the chain on which nobody has an address yet.
func (c Chain) hops() Way {
	w := make(Way, len(c))
	for i := range c {
		w[i] = Hop{Name: c[i].Name, Headers: c[i].Headers, Speaks: c[i].Speaks}
	}
	return w
}

// Sound returns a header and a recursion with which nginx takes the client's address on all of the ways, whatever the client
// claims: those that are given, where they are so, else the one without recursion, of the headers of the first proxy first.
// Those come before all others that hold as well for who goes round the first proxies: a balancer that everybody can reach
// hands on a CF-Connecting-IP that no Cloudflare wrote. ok is false where there is none.
func Sound(ways []Way, header string, recursive bool) (string, bool, bool) {
	if len(ways) == 0 || all(ways, header, recursive, Way.right) {
		return header, recursive, true
	}
	names := []string{header}
	for i := range ways[0] {
		for _, h := range ways[0][i].Headers {
			names = append(names, h.Name)
		}
	}
	names = append(names, realip.ProxyProtocol)
	for _, sound := range []func(Way, string, bool) bool{Way.rightRound, Way.right} {
		for _, name := range names {
			for _, on := range []bool{recursive, !recursive} {
				if all(ways, name, on, sound) {
					return name, on, true
				}
			}
		}
	}
	return header, recursive, false
}

func all(ways []Way, header string, recursive bool, sound func(Way, string, bool) bool) bool {
	return !slices.ContainsFunc(ways, func(w Way) bool { return !sound(w, header, recursive) })
}

func (w Way) right(header string, recursive bool) bool { return w.Judge(header, recursive).Right() }

// rightRound says whether nginx takes the client's address on the whole way, and on none of its ends what a client claims.
func (w Way) rightRound(header string, recursive bool) bool {
	if !w.right(header, recursive) {
		return false
	}
	for i := 1; i < len(w); i++ {
		if w[i:].Judge(header, recursive).Forged {
			return false
		}
	}
	return true
}

// Sound is Sound of ways through the chain, wherever its members are.
func (c Chain) Sound(header string, recursive bool) (string, bool, bool) {
	return Sound([]Way{c.hops()}, header, recursive)
}

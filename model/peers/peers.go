// Package peers knows what logs show of proxies that are taken for clients: addresses of private networks or of known fronts
// that stand as $remote_addr, while the header in which proxies hand on the client's address holds somebody of the internet.
// It refuses to know what is trusted and why a proxy is not; whoever asks compares.
package peers

import (
	"cmp"
	"net/netip"
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/model/fronts"
)

// A Line is what a log says of one request, as far as it matters here.
type Line struct {
	Client    string // $remote_addr
	Forwarded string // the header's value: "203.0.113.7, 10.0.0.5"
	Answer    Answer
}

// An Answer is what a line says of a limit's refusal.
type Answer uint8

// The answers.
const (
	NotSaid       Answer = iota // the log holds neither a limit's word nor a status
	Served                      // it was not refused
	Refused                     // by a limit, in its own word
	RefusedStatus               // it has the status with which limits refuse, which others may give as well
)

// A Peer is an address that stands for clients, and what was seen of it.
type Peer struct {
	Addr     netip.Addr
	Requests int64 // in which it stands for somebody else
	Refused  int64 // of these
	Clients  int64 // different addresses that it stands for, the last of the internet in each header; at most maxClients are told apart
	Last     int64 // of the requests, those in which the header ends with the address itself: it was taken from the header
}

// A Group is the peers that one network covers.
type Group struct {
	Network netip.Prefix
	Label   string // what the network is called where it comes from: "subnets.json: subnet-0a1", "Cloudflare"; "" where it is a guess
	Front   *fronts.Front
	Sure    bool // the network stands in a list; else it is the smallest that holds what was seen, and may be too small
	Peers   []Peer
	Peer    // their sum; the address is that of the busiest
}

const (
	maxPeers   = 100_000 // addresses that are told apart
	maxClients = 100_000 // of all peers together
)

// A Collector gathers lines. The zero value is ready.
type Collector struct {
	Lines, Told int64 // lines, and those of them that say both addresses
	ByStatus    int64 // refusals that are known by the status alone
	Silent      int64 // lines of peers that do not say whether they were refused

	peers   map[netip.Addr]*Peer
	clients map[pair]struct{}
	judge   Judge
}

type pair struct{ peer, client netip.Addr }

// NewCollector returns a collector that takes for proxies whoever is in the lists given, in those of known fronts, or in a
// private network.
func NewCollector(known *fronts.Table, given []*fronts.List) *Collector {
	return &Collector{judge: NewJudge(known, given), peers: map[netip.Addr]*Peer{}, clients: map[pair]struct{}{}}
}

// Add takes one line.
func (c *Collector) Add(l Line) {
	c.Lines++
	addr, ok := request.ParseAddr(l.Client)
	if !ok || l.Forwarded == "" || l.Forwarded == "-" {
		return
	}
	addr = addr.Unmap()
	c.Told++
	if !c.judge.Suspect(addr) {
		return
	}
	client, last, ok := c.judge.Behind(l.Forwarded)
	if !ok || client == addr {
		return
	}
	p := c.peers[addr]
	if p == nil {
		if len(c.peers) == maxPeers {
			return
		}
		p = &Peer{Addr: addr}
		c.peers[addr] = p
	}
	p.Requests++
	switch l.Answer {
	case Refused:
		p.Refused++
	case RefusedStatus:
		p.Refused++
		c.ByStatus++
	case NotSaid:
		c.Silent++
	case Served:
	}
	if last == addr {
		p.Last++
	}
	if key := (pair{addr, client}); len(c.clients) < maxClients {
		if _, seen := c.clients[key]; !seen {
			c.clients[key] = struct{}{}
			p.Clients++
		}
	}
}

// Groups puts the peers together by the networks that would cover them, the busiest first: a network of a list that was given, a known front's,
// or else the smallest sensible one. sizes are lengths of private networks that are trusted already: a neighbour is
// likely of the same one, as a cloud's subnets are.
func (c *Collector) Groups(sizes []int) []Group {
	byNetwork, networkOf := map[netip.Prefix]*Group{}, map[netip.Addr]netip.Prefix{}
	for _, p := range c.peers {
		g := c.judge.Network(p.Addr, sizes)
		if have := byNetwork[g.Network]; have != nil {
			g = *have
		}
		g.Peers = append(g.Peers, *p)
		g.Requests += p.Requests
		g.Refused += p.Refused
		g.Last += p.Last
		byNetwork[g.Network] = &g
		networkOf[p.Addr] = g.Network
	}
	told := map[netip.Prefix]map[netip.Addr]bool{}
	for k := range c.clients {
		net := networkOf[k.peer]
		if told[net] == nil {
			told[net] = map[netip.Addr]bool{}
		}
		told[net][k.client] = true
	}
	all := make([]Group, 0, len(byNetwork))
	for _, g := range byNetwork {
		slices.SortFunc(g.Peers, func(a, b Peer) int { return cmp.Or(cmp.Compare(b.Requests, a.Requests), a.Addr.Compare(b.Addr)) })
		g.Addr, g.Clients = g.Peers[0].Addr, int64(len(told[g.Network]))
		all = append(all, *g)
	}
	slices.SortFunc(all, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Requests, a.Requests), a.Network.Addr().Compare(b.Network.Addr()))
	})
	return all
}

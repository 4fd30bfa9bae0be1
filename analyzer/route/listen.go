package route

import (
	"net/netip"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/pcre"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
)

// group is one address and port with the servers that listen there.
type group struct {
	addr     netip.Addr // invalid for a unix socket, and for a name
	wildcard bool
	mapped   bool // an IPv6 wildcard that takes IPv4 as well
	text     string
	port     int
	tls      bool
	standard named // the default server, without a name
	last     *Site
	servers  int

	firstSize atomic.Int64 // see first
	names     names
}

// addServer enters a server at all addresses it listens on.
func (r *Router) addServer(s *Site) {
	hosts := r.hosts(s.Server.Names)
	s.name = serverName(s.Server, hosts)
	for _, l := range s.Server.Listens {
		ps := r.tcp
		if l.QUIC {
			ps = r.quic
		}
		for number := l.Port; number <= max(l.Port, l.LastPort); number++ {
			g := ps.group(l, number)
			if g.last != s { // nginx refuses the same address twice in a server
				g.enter(s, l, hosts, &r.regexes)
			}
		}
	}
}

// enter adds a server. The default one is the first, unless another says that it is.
func (g *group) enter(s *Site, l *config.Listen, hosts []string, regexes *pcre.Cache) {
	g.last = s
	g.servers++
	g.tls = g.tls || l.SSL || l.QUIC
	if g.servers == 1 || l.Default {
		g.standard = named{site: s, listen: l}
	}
	for i, n := range s.Server.Names {
		g.names.add(regexes, named{s, l, n}, hosts[i])
	}
}

// port holds the addresses that listen on one port.
type port struct {
	groups []*group // in the order of the configuration
	byText map[string]*group
	byAddr map[netip.Addr]*group
	any4   *group // the wildcards
	any6   *group
	single bool // some group has an address that is no wildcard
}

// ports are those of one transport, by number; 0 holds the unix sockets.
type ports map[int]*port

func (ps ports) group(l *config.Listen, number int) *group {
	p := ps[number]
	if p == nil {
		p = &port{byText: map[string]*group{}, byAddr: map[netip.Addr]*group{}}
		ps[number] = p
	}
	g := p.byText[l.Address]
	if g == nil {
		g = &group{text: l.Address, port: number}
		p.add(g)
	}
	if g == p.any6 && hasArg(l, "ipv6only=off") {
		g.mapped = true
	}
	return g
}

func (p *port) add(g *group) {
	p.groups = append(p.groups, g)
	p.byText[g.text] = g
	a, err := netip.ParseAddr(g.text)
	if err != nil {
		return
	}
	g.addr, g.wildcard = a, a.IsUnspecified()
	p.byAddr[a] = g
	switch {
	case g.wildcard && a.Is4():
		p.any4 = g
	case g.wildcard:
		p.any6 = g
	default:
		p.single = true
	}
}

// exactly finds the address itself, else the wildcard that covers it.
func (p *port) exactly(addr netip.Addr) *group {
	if p == nil {
		return nil
	}
	addr = addr.Unmap()
	if p.single || addr.IsUnspecified() {
		if g := p.byAddr[addr]; g != nil {
			return g
		}
	}
	switch {
	case addr.Is6():
		return p.any6
	case p.any4 == nil && p.any6 != nil && p.any6.mapped:
		return p.any6
	}
	return p.any4
}

func hasArg(l *config.Listen, arg string) bool {
	if l.Directive == nil {
		return false
	}
	for _, w := range l.Directive.Args() {
		if w.Value == arg {
			return true
		}
	}
	return false
}

func (g *group) String() string {
	switch {
	case strings.HasPrefix(g.text, "unix:"):
		return g.text
	case strings.Contains(g.text, ":"):
		return "[" + g.text + "]:" + strconv.Itoa(g.port)
	}
	return g.text + ":" + strconv.Itoa(g.port)
}

// local is the address that the request arrived at, as far as it is known.
func (g *group) local(req *request.Request) netip.AddrPort {
	switch {
	case req.Server.Addr().IsValid():
		return req.Server
	case g.wildcard:
		return netip.AddrPortFrom(netip.Addr{}, uint16(g.port))
	}
	return netip.AddrPortFrom(g.addr, uint16(g.port))
}

// arrive finds the address that takes the connection. The Choice is filled in where there is none.
func (r *Router) arrive(req *request.Request, host string) (*group, Choice) {
	ps := r.tcp
	if strings.HasPrefix(req.Protocol, "HTTP/3") {
		ps = r.quic
	}
	if req.Server.Addr().IsValid() {
		g := ps[int(req.Server.Port())].exactly(req.Server.Addr())
		if g == nil {
			return nil, Choice{Why: "nothing listens on " + req.Server.String()}
		}
		return g, g.speaks(req)
	}
	wanted := wantedPort(req)
	if p := ps[wanted]; p != nil {
		g, assumed := pick(p.groups, req, host)
		return g, Choice{Assumed: assumed}
	}
	return ps.elsewhere(req, wanted, host)
}

// speaks refuses plain HTTP at an address that speaks TLS.
func (g *group) speaks(req *request.Request) Choice {
	if g.tls && req.Scheme == "http" {
		return Choice{Status: 400, Why: "the plain HTTP request was sent to HTTPS port"}
	}
	return Choice{}
}

// wantedPort is the port that a client takes from the URL.
func wantedPort(req *request.Request) int {
	if p := req.Server.Port(); p != 0 {
		return int(p)
	}
	if p := request.HostPort(req.Host); p != 0 {
		return int(p)
	}
	if req.Scheme == "https" {
		return 443
	}
	return 80
}

// maxCompared bounds how many addresses of one port are compared, to say whether the choice among them matters.
const maxCompared = 16

// pick chooses among the addresses of one port where the request does not say which one it was sent to: one that knows
// the host by its name goes before one that does not, and the wildcard before others.
func pick(groups []*group, req *request.Request, host string) (*group, []string) {
	if len(groups) == 1 {
		return groups[0], nil
	}
	best, bestRank := groups[0], -1
	var site *Site
	same := len(groups) <= maxCompared
	for _, g := range groups[:min(len(groups), maxCompared)] {
		found := g.find(nil, host)
		rank := g.rank(req)
		if found.name != nil {
			rank += 10
		}
		if site != nil && found.site != site {
			same = false
		}
		site = found.site
		if rank > bestRank {
			best, bestRank = g, rank
		}
	}
	if same {
		return best, nil
	}
	return best, []string{"several addresses listen on port " + strconv.Itoa(best.port) + "; " + best.String() + " was taken"}
}

func (g *group) rank(req *request.Request) int {
	wants6 := req.Peer.Is6() && !req.Peer.Is4In6()
	switch {
	case g.wildcard && g.addr.Is6() == wants6:
		return 3
	case g.wildcard:
		return 2
	case g.addr.IsValid() && g.addr.Is6() == wants6:
		return 1
	}
	return 0
}

// elsewhere takes an address of another port where nothing listens on the one that the URL leads to: a balancer may
// stand in front. Addresses that speak TLS, or not, as the URL does go first.
func (ps ports) elsewhere(req *request.Request, wanted int, host string) (*group, Choice) {
	var best *group
	bestRank := -1
	for _, p := range ps {
		g, _ := pick(p.groups, req, host)
		rank := g.rank(req)
		if g.find(nil, host).name != nil {
			rank += 10
		}
		if g.tls == (req.Scheme == "https") {
			rank += 5
		}
		if rank > bestRank || rank == bestRank && g.port < best.port {
			best, bestRank = g, rank
		}
	}
	if best == nil {
		return nil, Choice{Why: "no server listens"}
	}
	return best, Choice{Assumed: []string{"nothing listens on port " + strconv.Itoa(wanted) + "; " + best.String() + " was taken"}}
}

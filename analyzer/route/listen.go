package route

import (
	"net/netip"
	"strconv"
	"strings"

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
	last     *config.Server
	servers  int
	names    names
}

// addServer enters a server at all addresses it listens on.
func (r *Router) addServer(s *config.Server) {
	for _, l := range s.Listens {
		ports := r.ports
		if l.QUIC {
			ports = r.quic
		}
		for port := l.Port; port <= max(l.Port, l.LastPort); port++ {
			g := groupOf(ports, l, port)
			if g.last != s { // nginx refuses the same address twice in a server
				g.enter(s, l, r.servers[s], &r.regexes)
			}
		}
	}
}

// enter adds a server. The default one is the first, unless another says that it is.
func (g *group) enter(s *config.Server, l *config.Listen, t *tables, regexes *pcre.Cache) {
	g.last = s
	g.servers++
	g.tls = g.tls || l.SSL || l.QUIC
	if g.servers == 1 || l.Default {
		g.standard = named{server: s, listen: l, tables: t}
	}
	for _, n := range s.Names {
		g.names.add(regexes, named{s, l, n, t})
	}
}

func groupOf(ports map[int][]*group, l *config.Listen, port int) *group {
	for _, g := range ports[port] {
		if g.text == l.Address {
			return g
		}
	}
	g := &group{text: l.Address, port: port}
	if a, err := netip.ParseAddr(l.Address); err == nil {
		g.addr, g.wildcard = a, a.IsUnspecified()
	}
	g.mapped = g.wildcard && g.addr.Is6() && hasArg(l, "ipv6only=off")
	ports[port] = append(ports[port], g)
	return g
}

func hasArg(l *config.Listen, arg string) bool {
	if l.Directive == nil {
		return false
	}
	for _, w := range l.Directive.Args {
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
	ports := r.ports
	if strings.HasPrefix(req.Protocol, "HTTP/3") {
		ports = r.quic
	}
	if req.Server.Addr().IsValid() {
		g := exactly(ports[int(req.Server.Port())], req.Server.Addr())
		if g == nil {
			return nil, Choice{Why: "nothing listens on " + req.Server.String()}
		}
		return g, g.speaks(req)
	}
	port := wantedPort(req)
	if groups := ports[port]; len(groups) > 0 {
		g, assumed := pick(groups, req, host)
		return g, Choice{Assumed: assumed}
	}
	return r.elsewhere(ports, req, port, host)
}

// exactly finds the address itself, else the wildcard that covers it.
func exactly(groups []*group, addr netip.Addr) *group {
	addr = addr.Unmap()
	var cover *group
	for _, g := range groups {
		switch {
		case g.addr == addr:
			return g
		case g.wildcard && g.addr.Is4() == addr.Is4():
			cover = g
		case g.mapped && cover == nil:
			cover = g
		}
	}
	return cover
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
	var server *config.Server
	same := len(groups) <= maxCompared
	for _, g := range groups[:min(len(groups), maxCompared)] {
		found := g.find(nil, host)
		rank := g.rank(req)
		if found.name != nil {
			rank += 10
		}
		if server != nil && found.server != server {
			same = false
		}
		server = found.server
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
func (r *Router) elsewhere(ports map[int][]*group, req *request.Request, port int, host string) (*group, Choice) {
	var best *group
	bestRank := -1
	for _, groups := range ports {
		g, _ := pick(groups, req, host)
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
	return best, Choice{Assumed: []string{"nothing listens on port " + strconv.Itoa(port) + "; " + best.String() + " was taken"}}
}

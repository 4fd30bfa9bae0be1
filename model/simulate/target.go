package simulate

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/analyzer/route"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
)

// A target is the server that a page is loaded from, and how its clients reach it.
type target struct {
	server  *config.Server
	host    string
	scheme  string
	address netip.AddrPort
	clients *ordinary // whose addresses they have; nil: of all
}

// newTarget finds the server of a host and the listener to speak to: one with TLS before one without, since a server
// without often only redirects to it. What had to be chosen is said.
func newTarget(tree *config.Tree, router *route.Router, o *Options) (target, []string, error) {
	t := target{server: o.Server, host: o.Host}
	var said []string
	if tree.HTTP == nil || len(tree.HTTP.Servers) == 0 {
		return t, nil, fmt.Errorf("the configuration has no server")
	}
	if t.server == nil && t.host == "" {
		t.server = firstLimited(tree)
		said = append(said, "no host was given: the page is loaded from server "+name(t.server))
	}
	if t.server == nil {
		var named bool
		if t.server, named = serverOf(tree, router, o); !named {
			said = append(said, fmt.Sprintf("no server has the name %q: server %s takes it", t.host, name(t.server)))
		}
	}
	if t.host == "" {
		t.host = hostFor(t.server)
	}
	l := o.listener(t.server)
	t.scheme, t.address = reached(l)
	switch {
	case l == nil:
	case !o.wants(l):
		said = append(said, fmt.Sprintf("server %s does not listen %s: clients come by %s, port %d", name(t.server), o.wanted(), t.scheme, t.address.Port()))
	case o.Port != 0:
		t.address = netip.AddrPortFrom(t.address.Addr(), o.Port) // which may be of a range
	}
	return t, said, nil
}

// ServerOf returns the server that the options lead to, and the host that its clients ask for.
func ServerOf(tree *config.Tree, router *route.Router, o *Options) (server *config.Server, host string, err error) {
	t, _, err := newTarget(tree, router, o)
	return t.server, t.host, err
}

// Serves says whether some server has a host among its names.
func Serves(tree *config.Tree, router *route.Router, host string) bool {
	_, named := serverOf(tree, router, &Options{Host: host})
	return named
}

// firstLimited returns the first server with a limit in it, else the first.
func firstLimited(tree *config.Tree) *config.Server {
	for _, s := range tree.HTTP.Servers {
		if Limited(s) {
			return s
		}
	}
	return tree.HTTP.Servers[0]
}

// Limited says whether some limit_req or limit_conn is in effect at the server or at a location of it.
func Limited(s *config.Server) bool {
	if limitedAt(&s.Level) {
		return true
	}
	for l := range s.AllLocations {
		if limitedAt(&l.Level) {
			return true
		}
	}
	return false
}

func limitedAt(l *config.Level) bool {
	return len(l.Settings.LimitReqs.Value)+len(l.Settings.LimitConns.Value) > 0
}

// wants says whether clients may come by a listener.
func (o *Options) wants(l *config.Listen) bool {
	return (o.Scheme == "" || schemeOf(l) == o.Scheme) && (o.Port == 0 || l.Port <= int(o.Port) && int(o.Port) <= l.LastPort)
}

// rank says how well a listener suits clients: 0 as they want it, 1 by the scheme alone, 2 not.
func (o *Options) rank(l *config.Listen) int {
	switch {
	case o.wants(l):
		return 0
	case schemeOf(l) == o.Scheme:
		return 1
	}
	return 2
}

// wanted words by what clients are to come.
func (o *Options) wanted() string {
	switch {
	case o.Port == 0:
		return "for " + o.Scheme
	case o.Scheme == "":
		return fmt.Sprintf("on port %d", o.Port)
	}
	return fmt.Sprintf("for %s on port %d", o.Scheme, o.Port)
}

func schemeOf(l *config.Listen) string {
	if l.SSL {
		return "https"
	}
	return "http"
}

// serverOf asks the router for the host at every address that something listens on, those by which clients are to come
// before the others and TLS first, and takes the first server that has the name; else the first that takes the request
// at all.
func serverOf(tree *config.Tree, router *route.Router, o *Options) (first *config.Server, named bool) {
	tried := map[netip.AddrPort]bool{}
	for rank := range 3 {
		for _, scheme := range [...]string{"https", "http"} {
			for _, s := range tree.HTTP.Servers {
				for _, l := range s.Listens {
					at := addressOfListen(l)
					if schemeOf(l) != scheme || o.rank(l) != rank || tried[at] {
						continue
					}
					tried[at] = true
					got, named := ask(router, scheme, o.Host, at)
					if named {
						return got, true
					}
					if first == nil {
						first = got
					}
				}
			}
		}
	}
	if first == nil {
		first = tree.HTTP.Servers[0]
	}
	return first, false
}

// ask returns the server that takes a host at an address, and whether it does so by one of its names.
func ask(router *route.Router, scheme, host string, at netip.AddrPort) (*config.Server, bool) {
	var v value.Request
	c := router.Begin(&v, &request.Request{Scheme: scheme, Host: host, Target: "/", Server: at})
	return c.Server, c.Name != nil
}

// listener returns by which of its listeners clients reach a server; nil where it has none.
func (o *Options) listener(s *config.Server) *config.Listen {
	for rank := range 3 {
		for _, tls := range [...]bool{true, false} {
			for _, l := range s.Listens {
				if l.SSL == tls && o.rank(l) == rank {
					return l
				}
			}
		}
	}
	return nil
}

// reached is how clients come by a listener; there may be none in a fragment.
func reached(l *config.Listen) (scheme string, at netip.AddrPort) {
	if l == nil {
		return "http", netip.AddrPortFrom(netip.Addr{}, 80)
	}
	return schemeOf(l), addressOfListen(l)
}

// addressOfListen is the address that clients connect to; it is not valid for a unix socket, and the wildcard's for a
// wildcard.
func addressOfListen(l *config.Listen) netip.AddrPort {
	if strings.HasPrefix(l.Address, "unix:") {
		return netip.AddrPort{}
	}
	addr, err := netip.ParseAddr(strings.Trim(l.Address, "[]"))
	if err != nil {
		return netip.AddrPort{}
	}
	return netip.AddrPortFrom(addr, uint16(l.Port))
}

// hostFor returns a host that leads to the server by one of its names.
func hostFor(s *config.Server) string {
	for _, n := range s.Names {
		switch n.Kind {
		case config.NameExact:
			if n.Text != "" && n.Text != "_" {
				return n.Text
			}
		case config.NameLeading:
			return "www" + strings.TrimPrefix(n.Text, "*")
		case config.NameDot:
			return strings.TrimPrefix(n.Text, ".")
		case config.NameTrailing:
			return strings.TrimSuffix(n.Text, "*") + "example"
		case config.NameRegex:
		}
	}
	return "localhost"
}

func name(s *config.Server) string {
	if len(s.Names) > 0 && s.Names[0].Text != "" {
		return s.Names[0].Text
	}
	return "without a name"
}

package config

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
)

// An address is where a listen directive says that a server listens, normalised.
type address struct {
	host        string // "0.0.0.0", "::", "unix:/path"; a host name as it was written
	first, last int    // ports; 0 for a unix socket
}

// String is the address in nginx's words, "0.0.0.0:80", "[::]:443", "unix:/run/x.sock".
func (a address) String() string { return listenText(a.host, a.first) }

func listenText(host string, port int) string {
	switch {
	case strings.HasPrefix(host, "unix:"):
		return host
	case strings.Contains(host, ":"):
		return fmt.Sprintf("[%s]:%d", host, port)
	}
	return fmt.Sprintf("%s:%d", host, port)
}

// parseListen reads the address of a listen directive as nginx does (ngx_parse_url). The error is in nginx's words.
func parseListen(text string) (address, error) {
	if path, ok := cutFold(text, "unix:"); ok {
		switch {
		case path == "":
			return address{}, errors.New("no path in the unix domain socket")
		case len(path)+1 > 108:
			return address{}, errors.New("too long path in the unix domain socket")
		}
		return address{host: "unix:" + path}, nil
	}
	if strings.HasPrefix(text, "[") {
		return parseListen6(text)
	}
	host, port, hasPort := strings.Cut(text, ":")
	if strings.ContainsAny(host, "/?#") || strings.ContainsAny(port, "/") {
		return address{}, errors.New("invalid host")
	}
	a := address{host: host, first: 80, last: 80}
	if hasPort {
		if err := a.ports(port); err != nil {
			return a, err
		}
	} else if portOnly(host) {
		err := a.ports(host)
		a.host = "0.0.0.0"
		return a, err
	}
	switch addr, ok := request.ParseAddr(host); {
	case host == "":
		return a, errors.New("no host")
	case host == "*":
		a.host = "0.0.0.0"
	case ok && addr.Is4():
		a.host = addr.String()
	case lower(host) == "localhost":
		a.host = "127.0.0.1"
	default:
		return a, a.name(host)
	}
	return a, nil
}

// name takes what is neither an address nor "*".
func (a *address) name(host string) error {
	if addr, ok := hostAddress(host); ok {
		a.host = addr.String()
		return nil
	}
	if !mayBeHost(host) {
		return errors.New("host not found")
	}
	a.host = lower(host)
	return nil
}

// portOnly says whether a text reads as a port or as a range of ports, whatever their size.
func portOnly(text string) bool {
	first, last, isRange := strings.Cut(text, "-")
	_, ok := atoi(first)
	_, lastOK := atoi(last)
	return ok && (lastOK || !isRange)
}

// parseListen6 reads "[::]", "[::]:443".
func parseListen6(text string) (address, error) {
	inside, rest, ok := strings.Cut(text[1:], "]")
	if !ok || inside == "" {
		return address{}, errors.New("invalid host")
	}
	a := address{first: 80, last: 80}
	if rest != "" {
		if rest[0] != ':' {
			return a, errors.New("invalid host")
		}
		if err := a.ports(rest[1:]); err != nil {
			return a, err
		}
	}
	addr, ok := request.ParseAddr(inside)
	if !ok || !addr.Is6() {
		return a, errors.New("invalid IPv6 address")
	}
	a.host = addr.String()
	return a, nil
}

// ports reads a port, or a range of ports.
func (a *address) ports(text string) error {
	first, last, isRange := strings.Cut(text, "-")
	n, ok := port(first)
	m := n
	if isRange {
		m, _ = port(last)
	}
	switch {
	case !ok || m == 0:
		return errors.New("invalid port")
	case n > m:
		return errors.New("invalid port range")
	}
	a.first, a.last = n, m
	return nil
}

// port reads a port, 1 to 65535; 0 and false for anything else.
func port(text string) (int, bool) {
	n, ok := atoi(text)
	if !ok || n < 1 || n > 65535 {
		return 0, false
	}
	return int(n), true
}

func cutFold(text, prefix string) (string, bool) {
	if len(text) >= len(prefix) && strings.EqualFold(text[:len(prefix)], prefix) {
		return text[len(prefix):], true
	}
	return text, false
}

// listen reads a listen directive.
func (r *resolver) listen(it Item, _ *visit, s *scope) {
	w := it.Word(0)
	a, err := parseListen(w.Value)
	if err != nil {
		r.refuseWord(it, w, s.level, InvalidValue, fmt.Sprintf(`%s in "%s" of the "listen" directive`, err, w.Value))
		return
	}
	l := &Listen{
		Text: w.Value, Address: a.host, Port: a.first, LastPort: a.last,
		Directive: it.Directive, Via: it.Via, Span: it.WordSpan(w),
	}
	s.server.Listens = append(s.server.Listens, l)
	if set, ok := r.listenParameters(it, l, s); ok {
		r.ports.add(r, it, l, s.server, set)
	}
}

// ports remember which servers listen where, as nginx gathers them while it reads.
type ports struct {
	at      map[portKey]*portServers
	order   []*portServers
	checked int // addresses looked at, for a bound on ranges
}

// A portKey is an address; one of TCP and the same one of UDP, for QUIC, are two.
type portKey struct {
	host string
	port int
	quic bool
}

// portServers are the servers of one address.
type portServers struct {
	key       portKey
	servers   []*Server
	isDefault *Listen // the one with default_server
	defaultOf *Server // whose that is
	set       *Listen // the one with options of the socket
	ssl       bool    // some listen has it
}

// maxPorts bounds the addresses that ranges of ports may come to.
const maxPorts = 300_000

func newPorts() ports { return ports{at: make(map[portKey]*portServers)} }

// add notes that a server listens, and refuses what nginx refuses of it (ngx_http_add_listen).
func (p *ports) add(r *resolver, it Item, l *Listen, s *Server, set bool) {
	for port := l.Port; port <= l.LastPort && p.checked < maxPorts; port++ {
		p.checked++
		key := portKey{l.Address, port, l.QUIC}
		at := p.at[key]
		if at == nil {
			at = &portServers{key: key}
			p.at[key] = at
			p.order = append(p.order, at)
		}
		text, earlier := at.add(l, s, set)
		if text == "" {
			continue
		}
		out := Refusal{Kind: DuplicateDirective, Span: it.Head(), Line: line(it.Directive), Text: text + " " + listenText(l.Address, port)}
		if earlier != nil && earlier.Directive != nil {
			out.Related = &earlier.Span
		}
		r.refuse(&s.Level, out)
		return
	}
}

// add returns nginx's words where it refuses, and the listen that was there before.
func (at *portServers) add(l *Listen, s *Server, set bool) (string, *Listen) {
	if n := len(at.servers); n > 0 && at.servers[n-1] == s {
		return "a duplicate listen", nil
	}
	at.servers = append(at.servers, s)
	at.ssl = at.ssl || l.SSL
	if set {
		if at.set != nil {
			return "duplicate listen options for", at.set
		}
		at.set = l
	}
	if l.Default {
		if at.isDefault != nil {
			return "a duplicate default server for", at.isDefault
		}
		at.isDefault, at.defaultOf = l, s
	}
	return "", nil
}

// closeServer gives a server what nginx gives to one that lacks it.
func (r *resolver) closeServer(s *Server) {
	if len(s.Listens) == 0 {
		l := &Listen{Text: "*:80", Address: "0.0.0.0", Port: 80, LastPort: 80}
		s.Listens = append(s.Listens, l)
		if s.Directive != nil {
			r.ports.add(r, Item{Directive: s.Directive, Via: s.Via}, l, s, false)
		}
	}
	if len(s.Names) == 0 {
		s.Names = append(s.Names, &Name{})
	}
}

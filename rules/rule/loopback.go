package rule

import (
	"net/netip"
	"strconv"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
)

// Loops finds the requests that nginx hands on to itself: a proxy_pass to an address that the same configuration listens on.
type Loops struct {
	tree    *config.Tree
	ports   map[int][]*config.Listen
	sockets map[string]bool
	known   map[string][]netip.AddrPort // where an authority leads within this nginx; an invalid address is a unix socket
}

// Loops returns a finder for the configuration.
func (f *Facts) Loops() *Loops {
	l := &Loops{tree: f.Tree, ports: make(map[int][]*config.Listen), sockets: make(map[string]bool), known: make(map[string][]netip.AddrPort)}
	if f.Tree.HTTP == nil {
		return l
	}
	for _, s := range f.Tree.HTTP.Servers {
		for _, listen := range s.Listens {
			if strings.HasPrefix(listen.Address, "unix:") {
				l.sockets[listen.Address] = true
			} else if !listen.QUIC {
				l.ports[listen.Port] = append(l.ports[listen.Port], listen)
			}
		}
	}
	return l
}

// A Loop is one way from a place back into the same nginx.
type Loop struct {
	Pass config.Item
	At   netip.AddrPort // the address that is connected to
	host string         // of the Host header; "" where it is not known
}

// From returns the way by which a place hands its requests on to this nginx.
func (l *Loops) From(p Place, host string) (loop Loop, ok bool) {
	pass, ok := p.Upstream()
	if !ok || pass.Name().Value != "proxy_pass" {
		return Loop{}, false
	}
	scheme, rest, _ := strings.Cut(pass.Arg(0), "://")
	if scheme != "http" || strings.Contains(rest, "$") || strings.HasPrefix(rest, "unix:") {
		return Loop{}, false
	}
	authority, _, _ := strings.Cut(rest, "/")
	to, known := l.known[authority]
	if !known {
		to = l.own(authority)
		l.known[authority] = to
	}
	if len(to) == 0 {
		return Loop{}, false
	}
	loop = Loop{Pass: pass, At: to[0], host: authority}
	for _, h := range headersAt(p) {
		if !strings.EqualFold(h.Arg(0), "Host") {
			continue
		}
		switch v := h.Arg(1); {
		case v == "$host" || v == "$http_host":
			loop.host = host
		case v == "$proxy_host":
		case strings.Contains(v, "$"):
			return Loop{}, false
		default:
			loop.host = v
		}
	}
	return loop, true
}

// Next is the request that arrives there for one that came to the place, with what the place says of the client in its headers.
func (l *Loop) Next(p Place, target, method string, client netip.Addr) *request.Request {
	r := &request.Request{Method: method, Scheme: "http", Host: l.host, Target: l.target(p, target), Peer: netip.MustParseAddr("127.0.0.1"), Server: l.At}
	for _, h := range headersAt(p) {
		name, v := h.Arg(0), h.Arg(1)
		switch {
		case strings.EqualFold(name, "Host"):
		case v == "$remote_addr" || v == "$proxy_add_x_forwarded_for":
			r.Headers = append(r.Headers, request.Header{Name: name, Value: client.String()})
		case !strings.Contains(v, "$") && v != "":
			r.Headers = append(r.Headers, request.Header{Name: name, Value: v})
		}
	}
	return r
}

// target is what proxy_pass asks for: with a URI of its own, that takes the place of the location's prefix.
func (l *Loop) target(p Place, target string) string {
	_, rest, _ := strings.Cut(l.Pass.Arg(0), "://")
	_, path, has := strings.Cut(rest, "/")
	if !has {
		return target
	}
	return "/" + path + strings.TrimPrefix(target, p.Location.Pattern)
}

// headersAt returns the proxy_set_header in effect: those of the nearest level that has any.
func headersAt(p Place) []config.Item {
	if _, at, ok := p.EffectiveAt("proxy_set_header"); ok {
		return at.FindAll("proxy_set_header")
	}
	return nil
}

// own returns where an authority leads within this nginx: an address, or a group of them by its name.
func (l *Loops) own(authority string) []netip.AddrPort {
	group, ok := l.tree.HTTP.Upstreams[authority]
	if !ok {
		return l.listening(authority)
	}
	if group.Block == nil {
		return nil
	}
	for i := range group.Block.Directives {
		if d := &group.Block.Directives[i]; d.Name().Value == "server" {
			if to := l.listening(d.Arg(0)); len(to) > 0 {
				return to
			}
		}
	}
	return nil
}

// listening returns the address if this nginx listens there.
func (l *Loops) listening(text string) []netip.AddrPort {
	host, port := text, 80
	if i := strings.LastIndexByte(text, ':'); i >= 0 && !strings.HasSuffix(text, "]") {
		n, err := strconv.Atoi(text[i+1:])
		if err != nil {
			return nil
		}
		host, port = text[:i], n
	}
	if host == "localhost" {
		host = "127.0.0.1"
	}
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	if err != nil {
		return nil
	}
	for _, listen := range l.ports[port] {
		at, err := netip.ParseAddr(strings.Trim(listen.Address, "[]"))
		if err == nil && (at == addr || at.IsUnspecified() && addr.IsLoopback() && at.Is4() == addr.Is4()) && !listen.ProxyProtocol && !listen.SSL {
			return []netip.AddrPort{netip.AddrPortFrom(addr, uint16(port))}
		}
	}
	return nil
}

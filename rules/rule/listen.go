package rule

import (
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
)

// IsUnix says whether a socket is a unix one, whose peers have no address.
func IsUnix(l *config.Listen) bool { return strings.HasPrefix(l.Address, "unix:") }

// IsLocal says whether only this machine can connect to a socket.
func IsLocal(l *config.Listen) bool {
	addr, ok := request.ParseAddr(l.Address)
	return IsUnix(l) || ok && addr.IsLoopback()
}

// Takes6 says whether clients and proxies from elsewhere can connect to a socket by IPv6.
func Takes6(l *config.Listen) bool {
	addr, ok := request.ParseAddr(l.Address)
	return ok && addr.Is6() && (addr.IsUnspecified() || !IsInner(addr))
}

// Any6 says whether a server can be connected to by IPv6 from elsewhere, be it from a private network.
func Any6(s *config.Server) bool {
	return slices.ContainsFunc(s.Listens, func(l *config.Listen) bool {
		addr, ok := request.ParseAddr(l.Address)
		return ok && addr.Is6() && !addr.IsLoopback()
	})
}

// ProxyMismatch says what is wrong with a server's sockets for a peer that speaks the PROXY protocol, or for one that does
// not; "" where a socket is right for it. Takes says whether a socket takes the protocol: see Facts.TakesProxyProtocol.
func ProxyMismatch(s *config.Server, speaks bool, takes func(*config.Listen) bool) string {
	if slices.ContainsFunc(s.Listens, func(l *config.Listen) bool { return takes(l) == speaks }) {
		return ""
	}
	if speaks {
		return "it speaks the PROXY protocol, and no listen of the server takes it: nginx answers 400"
	}
	return "it does not speak the PROXY protocol, and every listen of the server wants it: nginx closes the connection"
}

// OnlyLocal says whether nothing but this machine can connect to a server: all its sockets are local ones.
func OnlyLocal(s *config.Server) bool { return all(s.Listens, IsLocal) }

// OnlyUnix says whether a server listens on unix sockets alone.
func OnlyUnix(s *config.Server) bool { return all(s.Listens, IsUnix) }

// AnyUnix says whether a server listens on a unix socket.
func AnyUnix(s *config.Server) bool { return slices.ContainsFunc(s.Listens, IsUnix) }

func all[T any](list []T, is func(T) bool) bool {
	return !slices.ContainsFunc(list, func(x T) bool { return !is(x) })
}

// A socket is an address and a port, as servers share it.
type socket struct {
	address     string
	first, last int
}

func socketOf(l *config.Listen) socket { return socket{l.Address, l.Port, l.LastPort} }

// TakesProxyProtocol says whether connections to a socket begin with the PROXY protocol. The parameter belongs to the
// socket: one server that names it speaks for all that share the address and the port (ngx_http_add_addresses).
func (f *Facts) TakesProxyProtocol(l *config.Listen) bool {
	return l.ProxyProtocol || among(f.proxied(), l)
}

// Encrypts says likewise whether connections to a socket are encrypted.
func (f *Facts) Encrypts(l *config.Listen) bool { return l.SSL || l.QUIC || among(f.encrypted(), l) }

// among says whether a socket, or the range that it is of, is one of those found by addresses.
func among(found map[string][]socket, l *config.Listen) bool {
	own := socketOf(l)
	return slices.ContainsFunc(found[l.Address], func(s socket) bool { return s.first <= own.first && own.last <= s.last })
}

// socketsThat gathers the sockets of which some listen says something, by their addresses.
func (f *Facts) socketsThat(says func(*config.Listen) bool) map[string][]socket {
	found := make(map[string][]socket)
	if f.Tree == nil || f.Tree.HTTP == nil {
		return found
	}
	seen := make(map[socket]bool)
	for _, s := range f.Tree.HTTP.Servers {
		for _, l := range s.Listens {
			if at := socketOf(l); says(l) && !l.QUIC && !seen[at] {
				seen[at] = true
				found[l.Address] = append(found[l.Address], at)
			}
		}
	}
	return found
}

// Package realip is nginx's realip module: which address a request has after set_real_ip_from, real_ip_header and
// real_ip_recursive. It resolves no host names, and it does not know where in a request's way nginx asks it (twice:
// when the request's header has been read, and in front of the limiters).
package realip

import (
	"net/netip"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
)

// The headers that nginx treats by themselves. It knows them by exactly these letters: a configuration that writes
// "x-forwarded-for" reads the first line of that header only.
const (
	XRealIP       = "X-Real-IP" // the default of real_ip_header
	XForwardedFor = "X-Forwarded-For"
	ProxyProtocol = "proxy_protocol"
)

// A Config is what is in force for a request.
type Config struct {
	Trusted   []netip.Prefix // set_real_ip_from; a single host is a prefix of full length
	Unix      bool           // set_real_ip_from unix:
	Header    string         // real_ip_header as written; "" is X-Real-IP
	Recursive bool           // real_ip_recursive on
	// BareBrackets takes an IPv6 address in brackets without a port, as nginx 1.27.3 and later do.
	BareBrackets bool

	networks *request.Networks // of Trusted; nil before Prepare
}

// Prepare makes Resolve fast where many networks are trusted. Trusted does not change afterwards.
func (cfg *Config) Prepare() { cfg.networks = request.NewNetworks(cfg.Trusted) }

// A Connection is where a request came from.
type Connection struct {
	Peer  netip.AddrPort // the address that connects
	Unix  bool           // a unix socket connects; Peer is not used
	Proxy netip.AddrPort // the source that the PROXY protocol named; invalid where it named none
}

// A Result is the address that a request ends up with.
type Result struct {
	Addr     netip.Addr // $remote_addr; invalid where Unix
	Port     uint16     // $remote_port; 0 where the header named none
	Unix     bool       // the address is still "unix:"
	Trusted  bool       // the connection's own address is trusted
	Replaced bool       // the address was taken from the header
}

// Resolve returns the address that a request has after realip. Headers are all lines of the request in the order
// sent; of a header that nginx would drop (an invalid name) the caller has to leave out the lines.
//
// An entry that is no address ends the reading, and what was taken before stays.
func Resolve(cfg Config, conn Connection, headers []request.Header) Result {
	r := Result{Addr: conn.Peer.Addr(), Port: conn.Peer.Port()}
	if conn.Unix {
		r = Result{Unix: true}
	}
	r.Trusted = cfg.trusts(r.Addr)
	if !r.Trusted {
		return r
	}
	var few [4]string // as many lines as a request of ours will have; more are allocated
	addr, found := request.Forwarded(r.Addr, cfg.lines(few[:0], conn, headers), cfg.trusts, cfg.Recursive, cfg.BareBrackets)
	if !found {
		return r
	}
	r.Addr, r.Port, r.Unix, r.Replaced = addr.Addr(), addr.Port(), false, true
	if cfg.Header == ProxyProtocol {
		r.Port = conn.Proxy.Port()
	}
	return r
}

// lines appends what is read, in order: all lines of X-Forwarded-For, which are one list, but of any other header the
// first line only.
func (cfg *Config) lines(to []string, conn Connection, headers []request.Header) []string {
	name := cfg.Header
	switch name {
	case ProxyProtocol:
		if conn.Proxy.IsValid() {
			to = append(to, request.AddrText(conn.Proxy.Addr()))
		}
		return to
	case "":
		name = XRealIP
	}
	for i := range headers {
		if h := &headers[i]; len(h.Name) == len(name) && strings.EqualFold(h.Name, name) {
			to = append(to, h.Value)
			if name != XForwardedFor {
				break
			}
		}
	}
	return to
}

// Lines returns what Resolve reads, in order: see there.
func (cfg *Config) Lines(conn Connection, headers []request.Header) []string {
	return cfg.lines(nil, conn, headers)
}

// Trusts says whether the connection's own address is trusted: only then does Resolve look at headers.
func (cfg *Config) Trusts(conn Connection) bool {
	if conn.Unix {
		return cfg.Unix
	}
	return cfg.trusts(conn.Peer.Addr())
}

// trusts reports whether an address is in the list. The invalid address is a unix socket's.
func (cfg *Config) trusts(addr netip.Addr) bool {
	if !addr.IsValid() {
		return cfg.Unix
	}
	if cfg.networks != nil {
		return cfg.networks.Contains(addr)
	}
	return request.Contains(cfg.Trusted, addr)
}

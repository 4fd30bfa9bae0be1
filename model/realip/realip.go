// Package realip is nginx's realip module: which address a request has after set_real_ip_from, real_ip_header and
// real_ip_recursive. It resolves no host names, and it does not know where in a request's way nginx asks it (twice:
// when the request's header has been read, and in front of the limiters).
package realip

import "net/netip"

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
}

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
	Taken    int        // how many entries of the header were taken, one after the other
}

// Resolve returns the address that a request has after realip. Headers are all lines of the request in the order
// sent; of a header that nginx would drop (an invalid name) the caller has to leave out the lines.
//
// An entry that is no address ends the reading, and what was taken before stays.
func Resolve[H ~struct{ Name, Value string }](cfg Config, conn Connection, headers []H) Result {
	r := Result{Addr: conn.Peer.Addr(), Port: conn.Peer.Port()}
	if conn.Unix {
		r = Result{Unix: true}
	}
	r.Trusted = cfg.trusts(r.Addr, r.Unix)
	if !r.Trusted {
		return r
	}
	switch cfg.Header {
	case ProxyProtocol:
		if conn.Proxy.IsValid() {
			cfg.read(&r, Text(conn.Proxy.Addr()))
			if r.Replaced {
				r.Port = conn.Proxy.Port()
			}
		}
	case XForwardedFor:
		// All lines are one list, the last line first.
		for i := len(headers) - 1; i >= 0; i-- {
			if h := header(headers[i]); sameName(h.Name, XForwardedFor) && (!cfg.read(&r, h.Value) || !cfg.Recursive) {
				break
			}
		}
	default:
		name := cfg.Header
		if name == "" {
			name = XRealIP
		}
		for _, h := range headers {
			if h := header(h); sameName(h.Name, name) {
				cfg.read(&r, h.Value)
				break
			}
		}
	}
	return r
}

type header struct{ Name, Value string }

// sameName compares names of headers, in ASCII as nginx does.
func sameName(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		if lower(a[i]) != lower(b[i]) {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c | 0x20
	}
	return c
}

// read takes entries from the end of one line: one, or with recursive as long as the address taken last is trusted. It
// reports whether the line was read to its beginning, so that the line before it may be asked.
func (cfg *Config) read(r *Result, line string) bool {
	for {
		if !cfg.trusts(r.Addr, r.Unix) {
			return false
		}
		entry, rest := lastEntry(line)
		addr, port, ok := parseEntry(entry, cfg.BareBrackets)
		if !ok {
			return false
		}
		r.Addr, r.Port, r.Unix, r.Replaced = addr, port, false, true
		r.Taken++
		if rest == "" || !cfg.Recursive {
			return true
		}
		line = rest
	}
}

// trusts reports whether an address is in the list. An IPv4 address written as IPv6 (::ffff:a.b.c.d) is compared as
// IPv4, and so never with an IPv6 network.
func (cfg *Config) trusts(addr netip.Addr, unix bool) bool {
	if unix {
		return cfg.Unix
	}
	addr = addr.Unmap().WithZone("")
	for _, p := range cfg.Trusted {
		if p.Addr().Is4() == addr.Is4() && p.Contains(addr) {
			return true
		}
	}
	return false
}

// lastEntry cuts the last entry off a list. Entries are parted by spaces and commas; nginx does not look at the first
// byte of a line, so a line that begins with one keeps it in its first entry.
func lastEntry(line string) (entry, rest string) {
	end := len(line)
	for end > 1 && separates(line[end-1]) {
		end--
	}
	start := end
	for start > 0 && (start == end || start == 1 || !separates(line[start-1])) {
		start--
	}
	if start == 0 {
		return line[:end], ""
	}
	return line[start:end], line[:start-1]
}

func separates(c byte) bool { return c == ' ' || c == ',' }

package measured

import (
	"net"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
)

// Routes are requests and the server and location that nginx chose for each.
type Routes struct {
	Config          string `json:"-"` // path
	ID, Description string
	Requests        []Route
}

// A Route is one request and where it came to.
type Route struct {
	Host             *string // nil: no Host header, as HTTP/1.0 allows
	URI              string
	Status           int
	Server, Location *string // nil for none; a location by its label
}

// Request is the request as it was sent.
func (r *Route) Request() *request.Request {
	out := &request.Request{Target: r.URI, Peer: netip.MustParseAddr("127.0.0.1"), Server: netip.MustParseAddrPort("127.0.0.1:18080")}
	if r.Host == nil {
		out.NoHost, out.Protocol = true, "HTTP/1.0"
	} else {
		out.Host = *r.Host
	}
	return out
}

// ReadRoutes reads the folder of a set of routes.
func ReadRoutes(t testing.TB, dir string) *Routes {
	t.Helper()
	r := read[Routes](t, filepath.Join(dir, "routes.json"))
	r.Config = filepath.Join(dir, "nginx.conf")
	return &r
}

// RealIPs are requests under some directives of realip, and the address that each ended up with.
type RealIPs struct {
	ID         string
	Directives []string // of a server, each with its ";"
	Requests   []struct {
		Peer    string
		Headers Headers
		Addr    string `json:"remote_addr"`
		Realip  string `json:"realip_remote_addr"`
	}
}

// ReadRealIPs reads the sets of addresses.
func ReadRealIPs(t testing.TB, path string) []RealIPs {
	t.Helper()
	return read[[]RealIPs](t, path)
}

// A RealIP is one request under a configuration of its own, and the address that it ended up with.
type RealIP struct {
	Name, Description string
	From              []string `json:"set_real_ip_from"`
	Header            *string  `json:"real_ip_header"` // nil: not written
	Recursive         *bool    `json:"real_ip_recursive"`
	Peer              string
	Headers           Headers
	Proxy             *string `json:"proxy_protocol"` // the line sent first; nil for none
	Listen            string
	Where             string // the level of the directives: server or location
	Config            string // what stands in http; it shows the three variables in the header X-Seen
	Expect            struct {
		Addr   string `json:"remote_addr"`
		Realip string `json:"realip_remote_addr"`
		Port   string `json:"remote_port"` // "peer" for the connection's own
	}
	Differs *struct {
		Version  string // from which on another address is taken
		Addr     string `json:"remote_addr"`
		ReadFrom string `json:"read_from"`
	} `json:"differs_from"`
}

// ReadRealIP reads the single addresses.
func ReadRealIP(t testing.TB, path string) []RealIP {
	t.Helper()
	return read[[]RealIP](t, path)
}

// Request is the request that was sent, with what the PROXY line in front of it says.
func (m *RealIP) Request(t testing.TB) *request.Request {
	t.Helper()
	r := Get(t, "/", m.Peer, m.Headers)
	if m.Listen == "unix:" {
		r.Server = netip.AddrPort{}
	}
	if m.Proxy == nil {
		return r
	}
	f := strings.Fields(*m.Proxy)
	if len(f) != 6 {
		t.Fatalf("%s: PROXY line %q", m.Name, *m.Proxy)
	}
	var err error
	if r.Proxy, err = netip.ParseAddrPort(net.JoinHostPort(f[2], f[4])); err != nil {
		t.Fatalf("%s: PROXY line %q: %v", m.Name, *m.Proxy, err)
	}
	return r
}

package realip

import (
	"net/netip"
	"strconv"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest/measured"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
)

func TestVectors(t *testing.T) {
	for _, m := range measured.ReadRealIP(t, measured.Path(t, "vectors", "realip.json")) {
		t.Run(m.Name, func(t *testing.T) {
			cfg := config(t, m.From)
			if m.Header != nil {
				cfg.Header = *m.Header
			}
			cfg.Recursive = m.Recursive != nil && *m.Recursive
			conn := connection(m.Request(t))
			if strings.HasSuffix(m.Listen, "ipv6only=off") && conn.Peer.Addr().Is4() { // nginx has the long form there
				conn.Peer = netip.AddrPortFrom(netip.AddrFrom16(conn.Peer.Addr().As16()), conn.Peer.Port())
			}
			r := Resolve(cfg, conn, m.Headers)
			if got := shown(r); got != m.Expect.Addr {
				t.Errorf("address %s, nginx %s", got, m.Expect.Addr)
			}
			port := ""
			if r.Port != 0 {
				port = strconv.Itoa(int(r.Port))
			}
			if m.Expect.Port == "peer" {
				m.Expect.Port = strconv.Itoa(measured.PeerPort)
			}
			if port != m.Expect.Port {
				t.Errorf("port %q, nginx %q", port, m.Expect.Port)
			}
			if m.Differs != nil {
				cfg.BareBrackets = true
				if got := shown(Resolve(cfg, conn, m.Headers)); got != m.Differs.Addr {
					t.Errorf("address %s, later nginx %s", got, m.Differs.Addr)
				}
			}
		})
	}
}

func TestOracle(t *testing.T) {
	groups := measured.ReadRealIPs(t, measured.Path(t, "realip.json"))
	n := 0
	for _, g := range groups {
		var from []string
		var cfg Config
		for _, d := range g.Directives {
			name, value, _ := strings.Cut(strings.TrimSuffix(d, ";"), " ")
			switch name {
			case "set_real_ip_from":
				from = append(from, value)
			case "real_ip_header":
				cfg.Header = value
			case "real_ip_recursive":
				cfg.Recursive = value == "on"
			default:
				t.Fatalf("%s: unknown %s", g.ID, d)
			}
		}
		trusted := config(t, from)
		cfg.Trusted, cfg.Unix = trusted.Trusted, trusted.Unix
		for i, r := range g.Requests {
			n++
			if got := shown(Resolve(cfg, connection(measured.Get(t, "/", r.Peer, r.Headers)), r.Headers)); got != r.Addr {
				t.Errorf("%s %d: peer %s %q: address %s, nginx %s", g.ID, i, r.Peer, r.Headers, got, r.Addr)
			}
		}
	}
	t.Logf("%d requests of %d configurations", n, len(groups))
}

func shown(r Result) string {
	if r.Unix {
		return "unix:"
	}
	return request.AddrText(r.Addr)
}

// config makes the trusted list of the directives' arguments. Only "localhost" stands for a host name.
func config(t *testing.T, from []string) Config {
	t.Helper()
	var cfg Config
	for _, f := range from {
		switch {
		case f == "unix:":
			cfg.Unix = true
			continue
		case f == "localhost":
			cfg.Trusted = append(cfg.Trusted, netip.MustParsePrefix("127.0.0.1/32"), netip.MustParsePrefix("::1/128"))
			continue
		case !strings.Contains(f, "/"):
			a := netip.MustParseAddr(f)
			cfg.Trusted = append(cfg.Trusted, netip.PrefixFrom(a, a.BitLen()))
			continue
		}
		cfg.Trusted = append(cfg.Trusted, netip.MustParsePrefix(f))
	}
	return cfg
}

func connection(r *request.Request) Connection {
	return Connection{Peer: netip.AddrPortFrom(r.Peer, r.PeerPort), Unix: !r.Peer.IsValid(), Proxy: r.Proxy}
}

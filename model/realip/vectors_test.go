package realip

import (
	"encoding/json"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
)

type measured struct {
	Name      string
	From      []string    `json:"set_real_ip_from"`
	Header    *string     `json:"real_ip_header"`
	Recursive *bool       `json:"real_ip_recursive"`
	Peer      string      `json:"peer"`
	Headers   [][2]string `json:"headers"`
	Proxy     *string     `json:"proxy_protocol"`
	Listen    string
	Expect    struct {
		Addr  string `json:"remote_addr"`
		Realm string `json:"realip_remote_addr"`
		Port  string `json:"remote_port"`
	}
	Differs *struct {
		Addr string `json:"remote_addr"`
	} `json:"differs_from"`
}

const peerPort = 40000

func TestVectors(t *testing.T) {
	var all []measured
	read(t, &all, "oracle", "vectors", "realip.json")
	for _, m := range all {
		t.Run(m.Name, func(t *testing.T) {
			cfg := config(t, m.From)
			if m.Header != nil {
				cfg.Header = *m.Header
			}
			cfg.Recursive = m.Recursive != nil && *m.Recursive
			conn := connection(t, m.Peer)
			if strings.HasSuffix(m.Listen, "ipv6only=off") && conn.Peer.Addr().Is4() {
				conn.Peer = netip.AddrPortFrom(netip.AddrFrom16(conn.Peer.Addr().As16()), peerPort)
			}
			if m.Proxy != nil {
				conn.Proxy = proxied(t, *m.Proxy)
			}
			r := Resolve(cfg, conn, headerLines(m.Headers))
			if got := shown(r); got != m.Expect.Addr {
				t.Errorf("address %s, nginx %s", got, m.Expect.Addr)
			}
			port := ""
			if r.Port != 0 {
				port = strconv.Itoa(int(r.Port))
			}
			if m.Expect.Port == "peer" {
				m.Expect.Port = strconv.Itoa(peerPort)
			}
			if port != m.Expect.Port {
				t.Errorf("port %q, nginx %q", port, m.Expect.Port)
			}
			if m.Differs != nil {
				cfg.BareBrackets = true
				if got := shown(Resolve(cfg, conn, headerLines(m.Headers))); got != m.Differs.Addr {
					t.Errorf("address %s, later nginx %s", got, m.Differs.Addr)
				}
			}
		})
	}
}

func TestOracle(t *testing.T) {
	var groups []struct {
		ID         string
		Directives []string
		Requests   []struct {
			Peer    string
			Headers [][2]string
			Addr    string `json:"remote_addr"`
		}
	}
	read(t, &groups, "oracle", "realip.json")
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
			if got := shown(Resolve(cfg, connection(t, r.Peer), headerLines(r.Headers))); got != r.Addr {
				t.Errorf("%s %d: peer %s %q: address %s, nginx %s", g.ID, i, r.Peer, r.Headers, got, r.Addr)
			}
		}
	}
	t.Logf("%d requests of %d configurations", n, len(groups))
}

func read(t *testing.T, into any, elem ...string) {
	t.Helper()
	data, err := os.ReadFile(nginxtest.Shared(t, elem...))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
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

func connection(t *testing.T, peer string) Connection {
	t.Helper()
	if peer == "unix:" {
		return Connection{Unix: true}
	}
	return Connection{Peer: netip.AddrPortFrom(netip.MustParseAddr(peer), peerPort)}
}

func headerLines(lines [][2]string) []request.Header {
	var hs []request.Header
	for _, l := range lines {
		hs = append(hs, request.Header{Name: l[0], Value: l[1]})
	}
	return hs
}

// proxied reads the source of a PROXY line.
func proxied(t *testing.T, line string) netip.AddrPort {
	t.Helper()
	f := strings.Fields(line)
	if len(f) != 6 {
		t.Fatalf("PROXY line %q", line)
	}
	return netip.MustParseAddrPort(net.JoinHostPort(f[2], f[4]))
}

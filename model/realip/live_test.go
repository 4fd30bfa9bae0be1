package realip

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
)

// liveConfigs are the settings that nginx is asked about, one location each.
var liveConfigs = []Config{
	{},
	{Header: XForwardedFor},
	{Header: XForwardedFor, Recursive: true},
	{Header: "x-forwarded-for", Recursive: true},
	{Header: "CF-Connecting-IP"},
	{Header: ProxyProtocol},
	{Header: ProxyProtocol, Recursive: true},
}

var liveTrusted = []string{"127.0.0.0/8", "10.0.0.0/8", "2001:db8::/32", "::/96"}

// TestLive asks nginx about random headers: spellings of addresses with random mistakes, in random lists and lines.
func TestLive(t *testing.T) {
	port := nginxtest.Port(t)
	nginxtest.Start(t, liveText(port, nginxtest.Port(t)), port, nil)
	c := dialLive(t, port)
	r := nginxtest.Random(t)
	for range nginxtest.Cases(t, 1000) {
		i := r.IntN(len(liveConfigs))
		cfg := liveConfigs[i]
		for _, p := range liveTrusted {
			cfg.Trusted = append(cfg.Trusted, netip.MustParsePrefix(p))
		}
		var hs []request.Header
		for range 1 + manyOr(r, 3, 40) {
			name := []string{XRealIP, XForwardedFor, "x-forwarded-FOR", "cf-connecting-ip"}[r.IntN(4)]
			hs = append(hs, request.Header{Name: name, Value: randomList(r)})
		}
		got := Resolve(cfg, Connection{Peer: c.peer}, hs)
		want := c.ask(t, fmt.Sprintf("/%d/", i), hs)
		if shown := fmt.Sprintf("%s|%d", request.AddrText(got.Addr), got.Port); shown != want {
			t.Errorf("%+v, headers %q: %s, nginx %s", liveConfigs[i], hs, shown, want)
		}
	}
}

// TestLiveProxied asks nginx about connections that begin with a line of the PROXY protocol, with random headers behind it.
func TestLiveProxied(t *testing.T) {
	port, proxied := nginxtest.Port(t), nginxtest.Port(t)
	nginxtest.Start(t, liveText(port, proxied), port, nil)
	r := nginxtest.Random(t)
	for range nginxtest.Cases(t, 300) {
		i := r.IntN(len(liveConfigs))
		cfg := liveConfigs[i]
		for _, p := range liveTrusted {
			cfg.Trusted = append(cfg.Trusted, netip.MustParsePrefix(p))
		}
		var hs []request.Header
		for range r.IntN(3) {
			hs = append(hs, request.Header{Name: []string{XRealIP, XForwardedFor}[r.IntN(2)], Value: randomList(r)})
		}
		line, source := randomProxyLine(r)
		c := dialLive(t, proxied)
		if _, err := c.Write([]byte(line)); err != nil {
			t.Fatal(err)
		}
		got := Resolve(cfg, Connection{Peer: c.peer, Proxy: source}, hs)
		want := c.ask(t, fmt.Sprintf("/%d/", i), hs)
		if shown := fmt.Sprintf("%s|%d", request.AddrText(got.Addr), got.Port); shown != want {
			t.Errorf("%+v, %q, headers %q: %s, nginx %s", liveConfigs[i], line, hs, shown, want)
		}
		_ = c.Close()
	}
}

// randomProxyLine returns a line of the PROXY protocol, and the source that it names; the zero value where it names none.
func randomProxyLine(r *rand.Rand) (string, netip.AddrPort) {
	port := uint16(r.IntN(65536))
	v4 := []string{"203.0.113.7", "10.0.0.9", "127.0.0.1", "255.255.255.255", "0.0.0.0"}
	v6 := []string{"2001:db8::7", "2001:db9::1", "::1", "::ffff:10.0.0.1", "::", "1:2:3:4:5:6:7:8"}
	family, list := "TCP4", v4
	switch r.IntN(8) {
	case 0:
		return []string{"PROXY UNKNOWN\r\n", "PROXY UNKNOWN 203.0.113.7 10.0.0.1 1 2\r\n"}[r.IntN(2)], netip.AddrPort{}
	case 1, 2, 3:
		family, list = "TCP6", v6
	}
	source := list[r.IntN(len(list))]
	return fmt.Sprintf("PROXY %s %s %s %d 80\r\n", family, source, list[0], port), netip.AddrPortFrom(netip.MustParseAddr(source), port)
}

// manyOr is a small number, and now and then a large one.
func manyOr(r *rand.Rand, few, many int) int {
	if r.IntN(30) == 0 {
		return r.IntN(many)
	}
	return r.IntN(few)
}

func liveText(port, proxied int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "pid nginx.pid; error_log error.log; events {}\nhttp { access_log off; keepalive_requests 1000000;\n")
	for _, d := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		fmt.Fprintf(&b, "%s_temp_path tmp_%s;\n", d, d)
	}
	// try_files answers after realip has run for the location.
	fmt.Fprintf(&b, "server { listen 127.0.0.1:%d; listen 127.0.0.1:%d proxy_protocol;\n", port, proxied)
	for i, cfg := range liveConfigs {
		fmt.Fprintf(&b, "location /%d/ { try_files /none =204; add_header X-Seen $remote_addr|$remote_port always;\n", i)
		for _, p := range liveTrusted {
			fmt.Fprintf(&b, "set_real_ip_from %s;\n", p)
		}
		if cfg.Header != "" {
			fmt.Fprintf(&b, "real_ip_header %s;\n", cfg.Header)
		}
		if cfg.Recursive {
			b.WriteString("real_ip_recursive on;\n")
		}
		b.WriteString("}\n")
	}
	return b.String() + "} }\n"
}

// A liveConn is one connection to nginx that is kept.
type liveConn struct {
	net.Conn
	in   *bufio.Reader
	peer netip.AddrPort
}

func dialLive(t *testing.T, port int) *liveConn {
	t.Helper()
	c, err := net.Dial("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return &liveConn{c, bufio.NewReader(c), c.LocalAddr().(*net.TCPAddr).AddrPort()}
}

// ask returns "address|port" as nginx sees them; a port that it does not know is 0.
func (c *liveConn) ask(t *testing.T, path string, hs []request.Header) string {
	t.Helper()
	if err := c.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	text := "GET " + path + " HTTP/1.1\r\nHost: a\r\n"
	for _, h := range hs {
		text += h.Name + ": " + h.Value + "\r\n"
	}
	if _, err := c.Write([]byte(text + "\r\n")); err != nil {
		t.Fatal(err)
	}
	res, err := http.ReadResponse(c.in, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	seen := res.Header.Get("X-Seen")
	if seen == "" {
		t.Fatalf("nginx answers %s with %v", res.Status, res.Header)
	}
	if strings.HasSuffix(seen, "|") {
		seen += "0"
	}
	return seen
}

// randomList returns a list as it may stand in a header, without spaces around it: nginx takes those off.
func randomList(r *rand.Rand) string {
	var b strings.Builder
	for range 1 + manyOr(r, 4, 300) {
		b.WriteString(randomEntry(r))
		b.WriteString([]string{", ", ",", " ", " ,, ", ",\t", ", "}[r.IntN(6)])
	}
	list := b.String()
	if r.IntN(4) > 0 {
		list = strings.TrimRight(list, ", \t")
	}
	if r.IntN(20) == 0 {
		list = "," + list
	}
	return strings.Trim(list, " ")
}

func randomEntry(r *rand.Rand) string {
	entries := []string{
		"203.0.113.7", "10.0.0.9", "10.1.2.3", "127.0.0.1", "2001:db8::7", "::1", "::ffff:10.0.0.1", "::ffff:203.0.113.7",
		"2001:db8:1:2:3:4:5:6", "203.0.113.7:443", "[2001:db8::7]:443", "[2001:db9::7]", "1::5:", ":1:2:3:4:5:6:7:8", "::0.1.0.2",
		"64:ff9b::10.0.0.1", "unknown", "_x", "255.255.255.255", "0.0.0.0", "1::",
	}
	if r.IntN(100) == 0 {
		return strings.Repeat(entries[r.IntN(len(entries))], r.IntN(40)) // no address, however long
	}
	e := []byte(entries[r.IntN(len(entries))])
	const letters = "0123456789abcdefABCDEFg.:[]%x"
	for range max(0, r.IntN(6)-3) {
		at, c := r.IntN(len(e)+1), letters[r.IntN(len(letters))]
		switch {
		case at == len(e) || r.IntN(3) == 0:
			e = append(e[:at], append([]byte{c}, e[at:]...)...)
		case r.IntN(2) == 0 && len(e) > 1:
			e = append(e[:at], e[at+1:]...)
		default:
			e[at] = c
		}
	}
	return string(e)
}

package realip

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
)

var (
	office = netip.MustParseAddrPort("10.0.0.5:40000")
	tens   = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
)

// resolveOne runs a request with header lines given as "Name: value".
func resolveOne(cfg Config, conn Connection, lines ...string) Result {
	var hs []request.Header
	for _, l := range lines {
		name, value, _ := strings.Cut(l, ": ")
		hs = append(hs, request.Header{Name: name, Value: value})
	}
	return Resolve(cfg, conn, hs)
}

func TestResolve(t *testing.T) {
	xff := Config{Trusted: tens, Header: XForwardedFor}
	deep := Config{Trusted: tens, Header: XForwardedFor, Recursive: true}
	for _, tt := range []struct {
		sentence string
		cfg      Config
		conn     Connection
		lines    []string
		addr     string
		port     uint16
		replaced bool
	}{
		{"an untrusted peer is not believed", Config{Header: XForwardedFor}, Connection{Peer: office}, []string{"X-Forwarded-For: 1.1.1.1"}, "10.0.0.5", 40000, false},
		{"without the header the peer stays", xff, Connection{Peer: office}, nil, "10.0.0.5", 40000, false},
		{"the default header is X-Real-IP", Config{Trusted: tens}, Connection{Peer: office}, []string{"x-real-ip: 1.1.1.1"}, "1.1.1.1", 0, true},
		{"not recursive takes the last entry alone", xff, Connection{Peer: office}, []string{"X-Forwarded-For: 1.1.1.1, 10.0.0.9"}, "10.0.0.9", 0, true},
		{"recursive goes on while the address taken is trusted", deep, Connection{Peer: office}, []string{"X-Forwarded-For: 6.6.6.6, 1.1.1.1, 10.0.0.9"}, "1.1.1.1", 0, true},
		{"recursive takes the first entry where all are trusted", deep, Connection{Peer: office}, []string{"X-Forwarded-For: 10.1.1.1, 10.0.0.9"}, "10.1.1.1", 0, true},
		{"an entry that is no address ends it", deep, Connection{Peer: office}, []string{"X-Forwarded-For: 1.1.1.1, unknown, 10.0.0.9"}, "10.0.0.9", 0, true},
		{"lines are one list, the last line first", deep, Connection{Peer: office}, []string{"X-Forwarded-For: 1.1.1.1", "X-Forwarded-For: 10.0.0.9"}, "1.1.1.1", 0, true},
		{"not recursive reads the last line only", xff, Connection{Peer: office}, []string{"X-Forwarded-For: 1.1.1.1", "X-Forwarded-For: 2.2.2.2"}, "2.2.2.2", 0, true},
		{"an empty last line hides the others", deep, Connection{Peer: office}, []string{"X-Forwarded-For: 1.1.1.1", "X-Forwarded-For: "}, "10.0.0.5", 40000, false},
		{
			"other capitals read the first line only",
			Config{Trusted: tens, Header: "x-forwarded-for", Recursive: true},
			Connection{Peer: office},
			[]string{"X-Forwarded-For: 1.1.1.1", "X-Forwarded-For: 2.2.2.2"},
			"1.1.1.1", 0, true,
		},
		{"a tab is part of an entry", xff, Connection{Peer: office}, []string{"X-Forwarded-For: 1.1.1.1,\t2.2.2.2"}, "10.0.0.5", 40000, false},
		{"a comma in front belongs to the first entry", xff, Connection{Peer: office}, []string{"X-Forwarded-For: ,1.1.1.1"}, "10.0.0.5", 40000, false},
		{"a port is taken", xff, Connection{Peer: office}, []string{"X-Forwarded-For: 1.1.1.1:99"}, "1.1.1.1", 99, true},
		{"an IPv4 network covers the mapped form", deep, Connection{Peer: office}, []string{"X-Forwarded-For: 1.1.1.1, ::ffff:10.9.9.9"}, "1.1.1.1", 0, true},
		{
			"an IPv6 network does not cover the mapped form",
			Config{Trusted: []netip.Prefix{netip.MustParsePrefix("::/0")}, Header: XForwardedFor},
			Connection{Peer: netip.MustParseAddrPort("[::ffff:10.0.0.5]:1")},
			[]string{"X-Forwarded-For: 1.1.1.1"},
			"::ffff:10.0.0.5", 1, false,
		},
		{"a unix socket is trusted by its own word", Config{Unix: true, Header: XForwardedFor}, Connection{Unix: true}, []string{"X-Forwarded-For: 1.1.1.1"}, "1.1.1.1", 0, true},
		{"a unix socket is no address", xff, Connection{Unix: true}, []string{"X-Forwarded-For: 1.1.1.1"}, "invalid IP", 0, false},
		{
			"the PROXY line gives address and port",
			Config{Trusted: tens, Header: ProxyProtocol},
			Connection{Peer: office, Proxy: netip.MustParseAddrPort("[2001:db8::7]:51234")},
			nil, "2001:db8::7", 51234, true,
		},
		{"without a PROXY line the peer stays", Config{Trusted: tens, Header: ProxyProtocol}, Connection{Peer: office}, nil, "10.0.0.5", 40000, false},
	} {
		r := resolveOne(tt.cfg, tt.conn, tt.lines...)
		if r.Addr.String() != tt.addr || r.Port != tt.port || r.Replaced != tt.replaced {
			t.Errorf("%s: %+v", tt.sentence, r)
		}
		if r.Replaced && !r.Trusted || r.Unix != (tt.addr == "invalid IP") {
			t.Errorf("%s: flags %+v", tt.sentence, r)
		}
	}
}

func FuzzResolve(f *testing.F) {
	for _, s := range []string{"203.0.113.7, 10.0.0.1", "[::1]:80", "::ffff:1.2.3.4", " , ", ",1.1.1.1", "1::5:", "unknown"} {
		f.Add(s, s, true)
	}
	f.Fuzz(func(t *testing.T, a, b string, recursive bool) {
		cfg := Config{Trusted: []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}, Header: XForwardedFor, Recursive: recursive}
		r := Resolve(cfg, Connection{Peer: office}, []request.Header{{Name: "X-Forwarded-For", Value: a}, {Name: "X-Forwarded-For", Value: b}})
		if !r.Addr.IsValid() || !r.Replaced && r.Addr != office.Addr() {
			t.Errorf("%+v", r)
		}
		if back, ok := request.ParseAddr(request.AddrText(r.Addr)); r.Replaced && (!ok || back != r.Addr) {
			t.Errorf("%v is written as %s", r.Addr, request.AddrText(r.Addr))
		}
	})
}

func BenchmarkResolve(b *testing.B) {
	cfg := Config{Trusted: tens, Header: XForwardedFor, Recursive: true}
	hs := []request.Header{{Name: "Accept", Value: "*/*"}, {Name: "User-Agent", Value: "x"}, {Name: "X-Forwarded-For", Value: "203.0.113.7, 10.0.0.9"}}
	b.ReportAllocs()
	for b.Loop() {
		Resolve(cfg, Connection{Peer: office}, hs)
	}
}

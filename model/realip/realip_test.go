package realip

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var (
	office = netip.MustParseAddrPort("10.0.0.5:40000")
	tens   = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
)

// resolveOne runs a request with header lines given as "Name: value".
func resolveOne(cfg Config, conn Connection, lines ...string) Result {
	var hs []header
	for _, l := range lines {
		name, value, _ := strings.Cut(l, ": ")
		hs = append(hs, header{name, value})
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
		taken    int
	}{
		{"an untrusted peer is not believed", Config{Header: XForwardedFor}, Connection{Peer: office}, []string{"X-Forwarded-For: 1.1.1.1"}, "10.0.0.5", 40000, 0},
		{"without the header the peer stays", xff, Connection{Peer: office}, nil, "10.0.0.5", 40000, 0},
		{"the default header is X-Real-IP", Config{Trusted: tens}, Connection{Peer: office}, []string{"x-real-ip: 1.1.1.1"}, "1.1.1.1", 0, 1},
		{"not recursive takes the last entry alone", xff, Connection{Peer: office}, []string{"X-Forwarded-For: 1.1.1.1, 10.0.0.9"}, "10.0.0.9", 0, 1},
		{"recursive goes on while the address taken is trusted", deep, Connection{Peer: office}, []string{"X-Forwarded-For: 6.6.6.6, 1.1.1.1, 10.0.0.9"}, "1.1.1.1", 0, 2},
		{"recursive takes the first entry where all are trusted", deep, Connection{Peer: office}, []string{"X-Forwarded-For: 10.1.1.1, 10.0.0.9"}, "10.1.1.1", 0, 2},
		{"an entry that is no address ends it", deep, Connection{Peer: office}, []string{"X-Forwarded-For: 1.1.1.1, unknown, 10.0.0.9"}, "10.0.0.9", 0, 1},
		{"lines are one list, the last line first", deep, Connection{Peer: office}, []string{"X-Forwarded-For: 1.1.1.1", "X-Forwarded-For: 10.0.0.9"}, "1.1.1.1", 0, 2},
		{"not recursive reads the last line only", xff, Connection{Peer: office}, []string{"X-Forwarded-For: 1.1.1.1", "X-Forwarded-For: 2.2.2.2"}, "2.2.2.2", 0, 1},
		{"an empty last line hides the others", deep, Connection{Peer: office}, []string{"X-Forwarded-For: 1.1.1.1", "X-Forwarded-For: "}, "10.0.0.5", 40000, 0},
		{
			"other capitals read the first line only",
			Config{Trusted: tens, Header: "x-forwarded-for", Recursive: true},
			Connection{Peer: office},
			[]string{"X-Forwarded-For: 1.1.1.1", "X-Forwarded-For: 2.2.2.2"}, "1.1.1.1", 0, 1,
		},
		{"a tab is part of an entry", xff, Connection{Peer: office}, []string{"X-Forwarded-For: 1.1.1.1,\t2.2.2.2"}, "10.0.0.5", 40000, 0},
		{"a comma in front belongs to the first entry", xff, Connection{Peer: office}, []string{"X-Forwarded-For: ,1.1.1.1"}, "10.0.0.5", 40000, 0},
		{"a port is taken", xff, Connection{Peer: office}, []string{"X-Forwarded-For: 1.1.1.1:99"}, "1.1.1.1", 99, 1},
		{"an IPv4 network covers the mapped form", deep, Connection{Peer: office}, []string{"X-Forwarded-For: 1.1.1.1, ::ffff:10.9.9.9"}, "1.1.1.1", 0, 2},
		{
			"an IPv6 network does not cover the mapped form",
			Config{Trusted: []netip.Prefix{netip.MustParsePrefix("::/0")}, Header: XForwardedFor},
			Connection{Peer: netip.MustParseAddrPort("[::ffff:10.0.0.5]:1")},
			[]string{"X-Forwarded-For: 1.1.1.1"}, "::ffff:10.0.0.5", 1, 0,
		},
		{"a unix socket is trusted by its own word", Config{Unix: true, Header: XForwardedFor}, Connection{Unix: true}, []string{"X-Forwarded-For: 1.1.1.1"}, "1.1.1.1", 0, 1},
		{"a unix socket is no address", xff, Connection{Unix: true}, []string{"X-Forwarded-For: 1.1.1.1"}, "invalid IP", 0, 0},
		{
			"the PROXY line gives address and port",
			Config{Trusted: tens, Header: ProxyProtocol},
			Connection{Peer: office, Proxy: netip.MustParseAddrPort("[2001:db8::7]:51234")},
			nil, "2001:db8::7", 51234, 1,
		},
		{"without a PROXY line the peer stays", Config{Trusted: tens, Header: ProxyProtocol}, Connection{Peer: office}, nil, "10.0.0.5", 40000, 0},
	} {
		r := resolveOne(tt.cfg, tt.conn, tt.lines...)
		if r.Addr.String() != tt.addr || r.Port != tt.port || r.Taken != tt.taken {
			t.Errorf("%s: %+v", tt.sentence, r)
		}
		if r.Replaced != (tt.taken > 0) || r.Replaced && !r.Trusted || r.Unix != (tt.addr == "invalid IP") {
			t.Errorf("%s: flags %+v", tt.sentence, r)
		}
	}
}

func TestParseEntry(t *testing.T) {
	for _, tt := range []struct {
		text string
		want string // "" for none
		port uint16
	}{
		{"1.2.3.4", "1.2.3.4", 0},
		{"01.002.3.4", "1.2.3.4", 0},
		{"1..2.3", "1.0.2.3", 0},
		{"...", "0.0.0.0", 0},
		{"1.2.3", "", 0},
		{"1.2.3.4.", "", 0},
		{"1.2.3.256", "", 0},
		{"255.255.255.255", "", 0},
		{"1.2.3.4:80", "1.2.3.4", 80},
		{"1.2.3.4:0080", "1.2.3.4", 80},
		{"1.2.3.4:", "", 0},
		{"1.2.3.4:0", "", 0},
		{"1.2.3.4:65536", "", 0},
		{"1.2.3.4:8 ", "", 0},
		{"[1.2.3.4]:80", "1.2.3.4", 80},
		{"[::1]:80", "::1", 80},
		{"[::1]", "", 0},
		{"[::1]80", "", 0},
		{"[::1", "", 0},
		{"[]:80", "", 0},
		{"::", "::", 0},
		{":", "", 0},
		{"", "", 0},
		{"::1", "::1", 0},
		{"1::", "1::", 0},
		{":1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8", 0},
		{"1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8", 0},
		{"1:2:3:4:5:6:7:8:9", "", 0},
		{"1:2:3:4:5:6:7:8:", "", 0},
		{"1:2:3:4:5:6:7", "", 0},
		{"1:2:3:4:5:6:7::", "", 0},
		{"1::5:", "1::5:0", 0},
		{"1:::2", "", 0},
		{"1::2::3", "", 0},
		{"12345::", "", 0},
		{"g::", "", 0},
		{"2001:DB8::aB", "2001:db8::ab", 0},
		{"::ffff:1.2.3.4", "::ffff:1.2.3.4", 0},
		{"::1.2.3.4", "::102:304", 0},
		{"1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304", 0},
		{"1:2:3:4:5:6:7:1.2.3.4", "", 0},
		{":1.2.3.4", "", 0},
		{"::1.2.3", "", 0},
		{"::1.2.3.4:5", "", 0},
		{"::1.2.3.4%eth0", "", 0},
	} {
		a, port, ok := parseEntry(tt.text, false)
		got := ""
		if ok {
			got = a.String()
		}
		if got != tt.want || port != tt.port {
			t.Errorf("%q: %s port %d, want %s port %d", tt.text, got, port, tt.want, tt.port)
		}
	}
	if a, _, ok := parseEntry("[::1]", true); !ok || a != netip.IPv6Loopback() {
		t.Errorf("bare brackets: %v, %v", a, ok)
	}
}

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"203.0.113.7": "203.0.113.7", "::": "::", "::1": "::1", "2001:db8::7": "2001:db8::7",
		"::ffff:1.2.3.4": "::ffff:1.2.3.4", "::1:2": "::0.1.0.2", "::abcd": "::0.0.171.205", "::a01": "::a01",
		"1:0:0:2:0:0:0:3": "1:0:0:2::3", "1:0:2:0:3:0:4:0": "1:0:2:0:3:0:4:0", "1::": "1::", "fe80::1": "fe80::1",
		"0:0:1::": "0:0:1::", "1:2:3:4:5:6::": "1:2:3:4:5:6::",
	} {
		if got := Text(netip.MustParseAddr(in)); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

// Every usual spelling of an address is read as everybody reads it, and what Text writes is read back.
func TestUsualSpellings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.SliceOfN(rapid.OneOf(rapid.Just(byte(0)), rapid.Byte()), 16, 16).Draw(t, "bytes")
		six := netip.AddrFrom16([16]byte(b))
		four := netip.AddrFrom4([4]byte(b))
		if four == netip.MustParseAddr("255.255.255.255") {
			return
		}
		for _, a := range []netip.Addr{six, four} {
			for _, text := range []string{a.String(), a.StringExpanded(), Text(a)} {
				got, ok := parseAddr(text)
				if !ok || got != a {
					t.Fatalf("%s: %v, %v", text, got, ok)
				}
			}
			got, port, ok := parseEntry(netip.AddrPortFrom(a, 81).String(), false)
			if !ok || got != a || port != 81 {
				t.Fatalf("%s with port: %v port %d, %v", a, got, port, ok)
			}
		}
	})
}

// Cutting entries off the end gives what splitting at spaces and commas gives, read backwards.
func TestLastEntryTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := "x" + rapid.StringOfN(rapid.SampledFrom([]rune("ab1,, ")), 0, 20, -1).Draw(t, "line")
		want := strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == ',' })
		slices.Reverse(want)
		var got []string
		for rest := line; rest != ""; {
			var entry string
			entry, rest = lastEntry(rest)
			got = append(got, entry)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%q: %q, want %q", line, got, want)
		}
	})
}

func FuzzResolve(f *testing.F) {
	for _, s := range []string{"203.0.113.7, 10.0.0.1", "[::1]:80", "::ffff:1.2.3.4", " , ", ",1.1.1.1", "1::5:", "unknown"} {
		f.Add(s, s, true)
	}
	f.Fuzz(func(t *testing.T, a, b string, recursive bool) {
		cfg := Config{Trusted: []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}, Header: XForwardedFor, Recursive: recursive}
		r := Resolve(cfg, Connection{Peer: office}, []header{{"X-Forwarded-For", a}, {"X-Forwarded-For", b}})
		if !r.Addr.IsValid() || r.Replaced != (r.Taken > 0) || !recursive && r.Taken > 1 || r.Taken > len(a)+len(b) {
			t.Errorf("%+v", r)
		}
		if back, ok := parseAddr(Text(r.Addr)); r.Replaced && (!ok || back != r.Addr) {
			t.Errorf("%v is written as %s", r.Addr, Text(r.Addr))
		}
	})
}

func BenchmarkResolve(b *testing.B) {
	cfg := Config{Trusted: tens, Header: XForwardedFor, Recursive: true}
	hs := []header{{"Accept", "*/*"}, {"User-Agent", "x"}, {"X-Forwarded-For", "203.0.113.7, 10.0.0.9"}}
	b.ReportAllocs()
	for b.Loop() {
		Resolve(cfg, Connection{Peer: office}, hs)
	}
}

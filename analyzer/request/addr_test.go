package request

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseAddr(t *testing.T) {
	for text, want := range map[string]string{
		"192.0.2.1": "192.0.2.1", "010.0.0.01": "10.0.0.1", "10..0.1": "10.0.0.1", "1.2.3.": "1.2.3.0", "255.255.255.254": "255.255.255.254",
		"255.255.255.255": "", "256.0.0.1": "", "1.2.3": "", "1.2.3.4.5": "", "1.2.3.4\x20": "", "": "", "a": "", "fe80::1%eth0": "",
		"::": "::", "::1": "::1", "2001:DB8::1": "2001:db8::1", "1:2:3:4:5:6:7:8": "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7::": "", "::1.2.3.4": "::102:304",
		"::ffff:1.2.3.4": "::ffff:1.2.3.4", "1::2::3": "", "12345::": "", ":": "", ":1:2:3:4:5:6:7:8": "1:2:3:4:5:6:7:8", "1::2:": "1::2:0",
		"...": "0.0.0.0", "1.2.3.4.": "", "1:2:3:4:5:6:7:8:9": "", "1:2:3:4:5:6:7:8:": "", "1:2:3:4:5:6:7": "", "1::5:": "1::5:0", "1:::2": "",
		"1::": "1::", "g::": "", ":1.2.3.4": "", "::1.2.3.4:5": "", "::1.2.3.4%eth0": "",
		"1:2": "", "1.2.3.4::": "", "::1.2.3": "", "1:2:3:4:5:6:7:1.2.3.4": "", "1:2:3:4:5:6:1.2.3.4": "1:2:3:4:5:6:102:304",
	} {
		a, ok := ParseAddr(text)
		if ok != (want != "") || ok && a != netip.MustParseAddr(want) {
			t.Errorf("%q: %v, %v, want %q", text, a, ok, want)
		}
	}
}

func TestParseAddrPort(t *testing.T) {
	for _, c := range []struct {
		text string
		bare bool
		want string
	}{
		{"192.0.2.1", false, "192.0.2.1:0"},
		{"192.0.2.1:443", false, "192.0.2.1:443"},
		{"192.0.2.1:0", false, ""},
		{"192.0.2.1:", false, ""},
		{"192.0.2.1:65536", false, ""},
		{"2001:db8::1", false, "[2001:db8::1]:0"},
		{"[2001:db8::1]:443", false, "[2001:db8::1]:443"},
		{"[2001:db8::1]", false, ""},
		{"[2001:db8::1]", true, "[2001:db8::1]:0"},
		{"[2001:db8::1", true, ""},
		{"unknown", true, ""},
		{"", true, ""},
		{"[192.0.2.1]:80", false, "192.0.2.1:80"},
		{"192.0.2.1:0080", false, "192.0.2.1:80"},
		{"192.0.2.1:8 ", false, ""},
		{"[::1]80", true, ""},
		{"[]:80", true, ""},
	} {
		a, ok := ParseAddrPort(c.text, c.bare)
		if ok != (c.want != "") || ok && a != netip.MustParseAddrPort(c.want) {
			t.Errorf("%q: %v, %v, want %q", c.text, a, ok, c.want)
		}
	}
}

func TestParseNetwork(t *testing.T) {
	for _, c := range []struct {
		text, want string
		low        bool
	}{
		{"10.0.0.0/8", "10.0.0.0/8", false},
		{"10.1.2.3/8", "10.0.0.0/8", true},
		{"10.1.2.3", "10.1.2.3/32", false},
		{"0.0.0.0/0", "0.0.0.0/0", false},
		{"10.0.0.0/33", "", false},
		{"10.0.0.0/", "", false},
		{"10.0.0.0/-1", "", false},
		{"10.0.0.0/08", "10.0.0.0/8", false},
		{"2001:db8::/32", "2001:db8::/32", false},
		{"2001:db8::1/32", "2001:db8::/32", true},
		{"::/129", "", false},
		{"::1", "::1/128", false},
		{"010.0.0.1", "10.0.0.1/32", false},
		{"1..2.3", "1.0.2.3/32", false},
		{"10.0.0.0/8/8", "", false},
		{"10.0.0.0/99999999999999999999", "", false},
		{"", "", false},
		{"a/8", "", false},
	} {
		n, low, ok := ParseNetwork(c.text)
		if ok != (c.want != "") || low != c.low || ok && n != netip.MustParsePrefix(c.want) {
			t.Errorf("%q: %v, %v, %v, want %q", c.text, n, low, ok, c.want)
		}
	}
}

// A network that has no bits below its mask reads back as itself.
func TestParseNetworkRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		addr := netip.AddrFrom16([16]byte(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "bytes")))
		if rapid.Bool().Draw(t, "v4") {
			b := addr.As16()
			addr = netip.AddrFrom4([4]byte(b[:4]))
		}
		network := netip.PrefixFrom(addr, rapid.IntRange(0, addr.BitLen()).Draw(t, "bits"))
		if addr == netip.AddrFrom4([4]byte{255, 255, 255, 255}) {
			return
		}
		got, low, ok := ParseNetwork(network.String())
		if !ok || got != network.Masked() || low != (network.Masked() != network) {
			t.Fatalf("%v: %v, low %v, ok %v", network, got, low, ok)
		}
	})
}

func TestContains(t *testing.T) {
	networks := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8::/32"), netip.MustParsePrefix("::/0")}
	for text, want := range map[string]bool{"10.1.1.1": true, "::ffff:10.1.1.1": true, "11.0.0.1": false, "::ffff:11.0.0.1": false, "fe80::1": true} {
		if got := Contains(networks, netip.MustParseAddr(text)); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

func TestAddrText(t *testing.T) {
	for text, want := range map[string]string{
		"192.0.2.1": "192.0.2.1", "::1": "::1", "::": "::", "::ffff:1.2.3.4": "::ffff:1.2.3.4", "::1.2.3.4": "::1.2.3.4", "::2": "::2",
		"::abcd": "::0.0.171.205", "::a01": "::a01", "1:0:0:2:0:0:0:3": "1:0:0:2::3", "1:0:2:0:3:0:4:0": "1:0:2:0:3:0:4:0", "1::": "1::",
		"0:0:1::": "0:0:1::", "1:2:3:4:5:6::": "1:2:3:4:5:6::",
		"2001:db8:0:0:1:0:0:1": "2001:db8::1:0:0:1", "::102": "::0.0.1.2", "::101": "::101", "1:0:2:3:4:5:6:7": "1:0:2:3:4:5:6:7", "::203": "::0.0.2.3", "::1:2": "::0.1.0.2",
	} {
		if got := AddrText(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func TestForwarded(t *testing.T) {
	trusted := func(a netip.Addr) bool { return Contains([]netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, a) }
	for _, c := range []struct {
		from      string
		lines     []string
		recursive bool
		want      string
	}{
		{"10.0.0.1", []string{"192.0.2.1"}, false, "192.0.2.1"},
		{"11.0.0.1", []string{"192.0.2.1"}, false, ""},
		{"10.0.0.1", []string{"192.0.2.1, 192.0.2.2"}, false, "192.0.2.2"},
		{"10.0.0.1", []string{"192.0.2.1, 10.0.0.2"}, true, "192.0.2.1"},
		{"10.0.0.1", []string{"192.0.2.1, 10.0.0.2"}, false, "10.0.0.2"},
		{"10.0.0.1", []string{"192.0.2.9, 192.0.2.1, 10.0.0.2"}, true, "192.0.2.1"},
		{"10.0.0.1", []string{"10.0.0.3, 10.0.0.2"}, true, "10.0.0.3"},
		{"10.0.0.1", []string{"unknown, 10.0.0.3"}, true, "10.0.0.3"},
		{"10.0.0.1", []string{"unknown"}, true, ""},
		{"10.0.0.1", []string{"192.0.2.1 , ,, "}, true, "192.0.2.1"},
		{"10.0.0.1", []string{"192.0.2.1", "10.0.0.2"}, true, "192.0.2.1"},
		{"10.0.0.1", []string{"192.0.2.1", "10.0.0.2"}, false, "10.0.0.2"},
		{"10.0.0.1", []string{"192.0.2.1", ""}, true, ""},
		{"10.0.0.1", []string{"192.0.2.1:80"}, true, "192.0.2.1"},
	} {
		a, ok := Forwarded(netip.MustParseAddr(c.from), c.lines, trusted, c.recursive, false)
		if ok != (c.want != "") || ok && a.Addr() != netip.MustParseAddr(c.want) {
			t.Errorf("%s %q recursive %v: %v, %v, want %q", c.from, c.lines, c.recursive, a, ok, c.want)
		}
	}
}

// Every usual spelling of an address is read as everybody reads it, and what AddrText writes is read back.
func TestUsualSpellings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.SliceOfN(rapid.OneOf(rapid.Just(byte(0)), rapid.Byte()), 16, 16).Draw(t, "bytes")
		six := netip.AddrFrom16([16]byte(b))
		four := netip.AddrFrom4([4]byte(b))
		if four == netip.MustParseAddr("255.255.255.255") {
			return
		}
		for _, a := range []netip.Addr{six, four} {
			for _, text := range []string{a.String(), a.StringExpanded(), AddrText(a)} {
				if got, ok := ParseAddr(text); !ok || got != a {
					t.Fatalf("%s: %v, %v", text, got, ok)
				}
			}
			with := netip.AddrPortFrom(a, 81)
			if got, ok := ParseAddrPort(with.String(), false); !ok || got != with {
				t.Fatalf("%s: %v, %v", with, got, ok)
			}
		}
	})
}

// Where every proxy is trusted, the walk ends at the first entry of the list or behind the last one that is no address.
func TestForwardedTwin(t *testing.T) {
	everywhere := func(netip.Addr) bool { return true }
	from := netip.MustParseAddr("10.0.0.1")
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.SampledFrom([]string{"192.0.2.1", "192.0.2.2", "2001:db8::1", "x", ",", " ", ", "}), 1, 12).Draw(t, "words")
		line := "192.0.2.9" + rapid.SampledFrom([]string{" ", ","}).Draw(t, "first") + strings.Join(words, ",")
		entries := strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == ',' })
		want := from
		for _, e := range slices.Backward(entries) {
			a, err := netip.ParseAddr(e)
			if err != nil {
				break
			}
			want = a
		}
		got, ok := Forwarded(from, []string{line}, everywhere, true, false)
		if got.Addr() != want || ok != (want != from) {
			t.Fatalf("%q: %v, %v, want %v", line, got, ok, want)
		}
	})
}

package request

import (
	"net/netip"
	"testing"
)

func TestParseAddr(t *testing.T) {
	for text, want := range map[string]string{
		"192.0.2.1": "192.0.2.1", "010.0.0.01": "10.0.0.1", "10..0.1": "10.0.0.1", "1.2.3.": "1.2.3.0", "255.255.255.254": "255.255.255.254",
		"255.255.255.255": "", "256.0.0.1": "", "1.2.3": "", "1.2.3.4.5": "", "1.2.3.4\x20": "", "": "", "a": "", "fe80::1%eth0": "",
		"::": "::", "::1": "::1", "2001:DB8::1": "2001:db8::1", "1:2:3:4:5:6:7:8": "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7::": "", "::1.2.3.4": "::102:304",
		"::ffff:1.2.3.4": "::ffff:1.2.3.4", "1::2::3": "", "12345::": "", ":": "", ":1:2:3:4:5:6:7:8": "1:2:3:4:5:6:7:8", "1::2:": "1::2:0",
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
		{"a/8", "", false},
	} {
		n, low, ok := ParseNetwork(c.text)
		if ok != (c.want != "") || low != c.low || ok && n != netip.MustParsePrefix(c.want) {
			t.Errorf("%q: %v, %v, %v, want %q", c.text, n, low, ok, c.want)
		}
	}
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

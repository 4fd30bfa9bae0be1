package config

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

func TestParseRate(t *testing.T) {
	for text, want := range map[string]int64{
		"10r/m": 166, "1r/m": 16, "59r/m": 983, "30r/m": 500, "60r/m": 1000, "5": 5000, "5r/s": 5000, "300r/s": 300000,
		"0r/s": -1, "": -1, "r/s": -1, "1.5r/s": -1, "1r/h": -1, "1R/S": -1, "-1r/s": -1, "1 r/s": -1, "5r": -1,
	} {
		got, _, ok := parseRate(text)
		if !ok {
			got = -1
		}
		if got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

// The rate in whole thousandths is the exact rate, cut off.
func TestParseRateIsCutOff(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(1, math.MaxInt64/1000).Draw(t, "n")
		scale, unit := int64(1), "r/s"
		if rapid.Bool().Draw(t, "minutes") {
			scale, unit = 60, "r/m"
		}
		got, perMinute, ok := parseRate(strconv.FormatInt(n, 10) + unit)
		want := new(big.Int).Div(new(big.Int).Mul(big.NewInt(n), big.NewInt(1000)), big.NewInt(scale))
		if !ok || want.Cmp(big.NewInt(got)) != 0 || perMinute != 0 != (unit == "r/m") || perMinute != 0 && perMinute != n {
			t.Fatalf("%d%s: %d and %d a minute, want %v", n, unit, got, perMinute, want)
		}
	})
}

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "1": 1, "32k": 32768, "32K": 32768, "10m": 10 << 20, "10M": 10 << 20, "9007199254740991k": 9007199254740991 << 10,
		"": -1, "k": -1, "1g": -1, "1kb": -1, "-1k": -1, "1.5m": -1, "9223372036854775807m": -1, "9223372036854775808": -1,
	} {
		got, ok := parseSize(text)
		if !ok {
			got = -1
		}
		if got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

func TestValidTime(t *testing.T) {
	for text, want := range map[string][2]bool{ // in seconds, in milliseconds
		"5": {true, true}, "5s": {true, true}, "1h 30m": {true, true}, "1h30m": {true, true}, "1d 1h": {true, true}, "500ms": {false, true},
		"1y": {true, false}, "1M": {true, false}, "1w": {true, true}, "1m 1h": {false, false}, "1s 1s": {false, false}, "1x": {false, false},
		"": {false, false}, "s": {false, false}, "1s500ms": {false, true}, "1m 5": {true, true}, "5 s": {false, false}, "1.5s": {false, false},
	} {
		if got := [2]bool{validTime(text, true), validTime(text, false)}; got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func TestHostAddress(t *testing.T) {
	for text, want := range map[string]string{
		"10.1": "10.0.0.1", "127.1": "127.0.0.1", "0x7f.1": "127.0.0.1", "0177.0.0.1": "127.0.0.1", "2130706433": "127.0.0.1", "1.2.3": "1.2.0.3",
		"256.1": "", "1.2.3.256": "", "1.2.3.4.5": "", "": "", "a.b": "", "1.": "",
	} {
		got := ""
		if addr, ok := hostAddress(text); ok {
			got = addr.String()
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]bool{"lb.example": true, "localhost": true, "a-1": true, "300.1.1.1": false, "10.0.0.0/33": false, "": false, "a b": false, "1.2.3.4.": false} {
		if got := mayBeHost(text); got != want {
			t.Errorf("may %q be a host: %v, want %v", text, got, want)
		}
	}
}

func TestParseListen(t *testing.T) {
	for text, want := range map[string]string{
		"80": "0.0.0.0:80", "*": "0.0.0.0:80", "*:8080": "0.0.0.0:8080", "127.0.0.1": "127.0.0.1:80", "127.0.0.1:81": "127.0.0.1:81",
		"[::]": "[::]:80", "[::1]:443": "[::1]:443", "[2001:DB8:0::1]:443": "[2001:db8::1]:443", "localhost:8080": "127.0.0.1:8080",
		"Web.Example": "web.example:80", "unix:/run/x": "unix:/run/x", "8000-8002": "0.0.0.0:8000-8002", "127.0.0.1:1-2": "127.0.0.1:1-2",
		"0": "invalid port", "65536": "invalid port", "5-99999": "invalid port", "127.0.0.1:5-3": "invalid port range",
		"127.0.0.1:": "invalid port", "127.0.0.1:x": "invalid port", ":80": "no host", "[::1": "invalid host", "[::1]80": "invalid host",
		"[x]:80": "invalid IPv6 address", "a/b": "invalid host", "unix:": "no path in the unix domain socket",
	} {
		a, err := parseListen(text)
		got := a.String()
		switch {
		case err != nil:
			got = err.Error()
		case a.last != a.first:
			got += "-" + strconv.Itoa(a.last)
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Of all host names nginx finds one without a name service, with an address of each family.
func TestTrustedLocalhost(t *testing.T) {
	tree := resolveText(t, "events {}\nhttp { set_real_ip_from LocalHost; set_real_ip_from lb.example; server { listen 80; } }\n", "1.22.1")
	var got []string
	for _, from := range tree.HTTP.Servers[0].Settings.RealIPFrom.Value {
		got = append(got, from.Prefix.String()+" "+from.HostName)
	}
	want := []string{"::1/128 ", "127.0.0.1/32 ", "invalid Prefix lb.example"}
	if !slices.Equal(got, want) {
		t.Errorf("trusted are %q, want %q", got, want)
	}
}

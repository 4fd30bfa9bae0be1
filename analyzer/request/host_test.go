package request

import (
	"testing"

	"pgregory.net/rapid"
)

func TestParseHost(t *testing.T) {
	for text, want := range map[string]string{
		"a.example": "a.example", "A.Example": "a.example", "a.example:8080": "a.example", "a.example.": "a.example", "a.example.:80": "a.example",
		"[::1]": "[::1]", "[::1]:80": "[::1]", "a:b:c": "a", "_": "_", "a b": "", "a..b": "", "": "", ".": "", ":80": "", "a/b": "", "a\x7f": "", "\xff": "\xff",
		".a": ".a", "a:80.": "a", "a]": "a]", "[a": "[a",
	} {
		host, ok := ParseHost(text)
		if ok != (want != "") || host != want {
			t.Errorf("%q: %q, %v, want %q", text, host, ok, want)
		}
	}
}

func TestHostPort(t *testing.T) {
	for text, want := range map[string]uint16{"a:80": 80, "a": 0, "[::1]": 0, "[::1]:8080": 8080, "a:": 0, "a:99999": 0, "a:x": 0} {
		if got := HostPort(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

func TestEscape(t *testing.T) {
	if got, want := Escape("/a b\"c%d?e#\xff\x00~^+&"), "/a%20b%22c%25d%3Fe%23%FF%00~%5E+&"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestPlainHost: what is taken for plain comes out as it is by the long way as well, which a port makes it go.
func TestPlainHost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.SampledFrom([]rune("a-_9.A:[]/ \x7fé")), 0, 8, -1).Draw(t, "host")
		if !plainHost(text) {
			return
		}
		if host, ok := ParseHost(text + ":80"); !ok || host != text {
			t.Fatalf("%q: %q %t", text, host, ok)
		}
	})
}

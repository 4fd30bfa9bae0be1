package report

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The location tells more than the server: it is shortened last.
func TestPlaceName(t *testing.T) {
	tests := []struct {
		server, label string
		width         int
		want          string
	}{
		{"portal.example.com", "/api/", 30, "portal.example.com /api/"},
		{"portal.example.com", "/api/", 20, "porta...le.com /api/"},
		{"portal.example.com", "/api/", 12, "/api/"},
		{"portal.example.com", "", 25, "(the server itself)"},
		{"portal.example.com", `~ ^/wp-json/wc/(v1|v2)/orders`, 22, `~ ^/wp-js...v2)/orders`},
		{"", "/a/very/long/location/of/one/page", 20, "/a/very/.../one/page"},
		{"a.example", "/日本語/ページ/画像", 12, "/日.../画像"},
	}
	for _, tt := range tests {
		if got := placeName(tt.server, tt.label, tt.width); got != tt.want {
			t.Errorf("%s %s in %d: got %q, want %q", tt.server, tt.label, tt.width, got, tt.want)
		}
	}
}

// Locations of a table are told apart, and keep their server, however little room there is.
func TestPlaceNames(t *testing.T) {
	long := strings.Repeat("a", 40)
	tests := map[string]struct {
		places [][2]string
		width  int
		want   []string
	}{
		"no room":          {[][2]string{{"shop.test", ""}, {"shop.test", "/api/"}, {"blog.test", "/api/"}}, 13, []string{"shop.test (the server itself)", "shop.test /api/", "blog.test /api/"}},
		"shortened":        {[][2]string{{long + ".test", "/api/"}, {"b.test", "/api/"}}, 40, []string{"aaaaaaaaaaaaaaa...aaaaaaaaaaa.test /api/", "b.test /api/"}},
		"would be alike":   {[][2]string{{long + "1" + long, "/"}, {long + "2" + long, "/"}, {"b.test", "/"}}, 40, []string{long + "1" + long + " /", long + "2" + long + " /", "b.test /"}},
		"label hides host": {[][2]string{{"a.test", "/" + long}, {"b.test", "/" + long}}, 40, []string{"a.test /" + long, "b.test /" + long}},
		"the same twice":   {[][2]string{{"a.test", "/" + long}, {"a.test", "/" + long}}, 32, []string{"/aaaaaaaaaaaaa...aaaaaaaaaaaaaaa", "/aaaaaaaaaaaaa...aaaaaaaaaaaaaaa"}},
	}
	for name, tt := range tests {
		if got := placeNames(tt.places, tt.width); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}

func TestMiddleKeepsWidth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, width := rapid.String().Draw(t, "text"), rapid.IntRange(8, 40).Draw(t, "width")
		s = clean(s)
		got := middle(s, width)
		if columns(got) > width && got != s || columns(s) <= width && got != s {
			t.Fatalf("%q in %d: %q", s, width, got)
		}
	})
}

// On a terminal the first line of a finding is broken at its width; else it stays whole, for those who search it.
func TestWrapHead(t *testing.T) {
	r := testReport(t)
	r.Pages = nil
	for _, wrapped := range []bool{false, true} {
		text := render(t, "text", r, Options{Width: 50, Wrap: wrapped})
		whole := strings.Contains(text, clean(r.Findings[0].Message)+" ["+r.Findings[0].Rule.Name+"]\n")
		if whole == wrapped {
			t.Errorf("wrapped %t: the first finding's line is whole: %t\n%s", wrapped, whole, text)
		}
		first, _, _ := strings.Cut(text, "\n")
		if wrapped && columns(first) > 50 {
			t.Errorf("%q is wider than the terminal", first)
		}
	}
}

// A number is not parted from its unit, and what is indented goes on indented.
func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text, want string
		width      int
	}{
		{"it takes up to 1.02 s in all", "it takes up to\n  1.02 s in all", 18},
		{"of them 95 % wait", "of them\n  95 % wait", 11},
		{"   look at: what goes beyond", "   look at: what\n     goes beyond", 17},
		{"short", "short", 80},
		{"a  b", "a  b", 80},
		{"verylongword", "verylongword", 5},
	} {
		if got := wrap(c.text, c.width); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

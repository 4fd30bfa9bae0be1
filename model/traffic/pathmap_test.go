package traffic

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestMapped(t *testing.T) {
	parse := func(texts ...string) []PathMap {
		maps := make([]PathMap, len(texts))
		for i, text := range texts {
			var err error
			if maps[i], err = ParsePathMap(text); err != nil {
				t.Fatal(err)
			}
		}
		return maps
	}
	for _, tt := range []struct {
		maps               []PathMap
		prefix, path, want string
		used               []bool
	}{
		{nil, "", "/api/x?y=/api/", "/api/x?y=/api/", []bool{}},
		{parse("/api/=/v2/api/"), "", "/api/x?y=/api/", "/v2/api/x?y=/api/", []bool{true}},
		{parse("/api/=/v2/api/"), "", "/apix", "/apix", []bool{false}},
		{parse("/api/=/v2/api/"), "", "/api", "/api", []bool{false}},
		{parse("/api=/v2"), "", "/api", "/v2", []bool{true}},
		{parse("/api=/v2"), "", "/api?q", "/v2?q", []bool{true}},
		{parse("/api=/v2"), "", "/api/x", "/v2/x", []bool{true}},
		{parse("/api=/v2/"), "", "/api/x", "/v2/x", []bool{true}},
		{parse("/api=/v2"), "", "/apix", "/apix", []bool{false}},
		{parse("/=/app/"), "", "/", "/app/", []bool{true}},
		{parse("/=/app/", "/api/=/v2/"), "", "/api/x", "/v2/x", []bool{false, true}},
		{parse("/api/=/v2/", "/=/app/"), "", "/api/x", "/v2/x", []bool{true, false}},
		{parse("/a=b/=/c/"), "", "/a=b/x", "/c/x", []bool{true}},
		{nil, "/app", "/", "/app/", []bool{}},
		{nil, "/app", "/x?y", "/app/x?y", []bool{}},
		{parse("/api/=/v2/"), "/app", "/api/x", "/v2/x", []bool{true}}, // what is mapped is the user's own path
		{parse("/wp-json/=/index.php/wp-json/"), "", "/wp-json/wp/v2/users/me", "/index.php/wp-json/wp/v2/users/me", []bool{true}},
	} {
		f := &Fan{
			Name: "f", Requests: []FanRequest{{Method: "GET", Path: tt.path, Kind: "api"}},
			Streams: []Stream{{RatePerS: 1, DurationS: 1, Requests: []FanRequest{{Method: "GET", Path: tt.path, Kind: "api"}}}},
		}
		got, used, err := f.Mapped(tt.maps, tt.prefix)
		if err != nil {
			t.Fatal(err)
		}
		if got.Requests[0].Path != tt.want || got.Streams[0].Requests[0].Path != tt.want || !cmp.Equal(used, tt.used) {
			t.Errorf("%v, %q: %s becomes %s, %v; want %s, %v", tt.maps, tt.prefix, tt.path, got.Requests[0].Path, used, tt.want, tt.used)
		}
		if f.Requests[0].Path != tt.path || f.Streams[0].Requests[0].Path != tt.path {
			t.Error("the fan itself was changed")
		}
	}
}

func TestParsePathMapRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":             "is no FROM=TO of two paths",
		"/api/":        "is no FROM=TO of two paths",
		"/api/=v2":     "is no FROM=TO of two paths",
		"api/=/v2/":    "is no FROM=TO of two paths",
		"=/v2/":        "is no FROM=TO of two paths",
		"/api/=/v2":    "both want a slash at the end, or neither",
		"/a?x=/b":      "holds a query or a fragment",
		"/a=/b c":      "holds a space or a control character",
		"/a\x1b[0m=/b": "holds a space or a control character",
	} {
		if _, err := ParsePathMap(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Where two maps fit, the longer From decides, in whatever order they are given; mapping back gives the path again.
func TestMappedAndBack(t *testing.T) {
	segment := rapid.StringMatching(`[ab]{1,2}`)
	path := rapid.Custom(func(t *rapid.T) string {
		return "/" + strings.Join(rapid.SliceOfN(segment, 0, 3).Draw(t, "segments"), "/")
	})
	rapid.Check(t, func(t *rapid.T) {
		from, to, p := path.Draw(t, "from"), path.Draw(t, "to"), path.Draw(t, "path")
		if from == "/" || to == "/" {
			t.Skip()
		}
		there, back := PathMap{from, to}, PathMap{to, from}
		moved, ok := there.apply(p)
		if !ok {
			if p == from || strings.HasPrefix(p, from+"/") {
				t.Fatalf("%s does not fit %s", there, p)
			}
			return
		}
		if again, ok := back.apply(moved); !ok || again != p {
			t.Fatalf("%s: %s becomes %s and then %s", there, p, moved, again)
		}
		longer := PathMap{from + "/a", "/other"}
		used := make([]bool, 2)
		one, two := mapPath(p, []PathMap{there, longer}, "", used), mapPath(p, []PathMap{longer, there}, "", used)
		if one != two {
			t.Fatalf("%s or %s, by the order", one, two)
		}
	})
}

func TestParseBase(t *testing.T) {
	for url, want := range map[string]Base{
		"https://portal.example.com":          {"https", "portal.example.com", 443, ""},
		"https://Portal.example.com/":         {"https", "portal.example.com", 443, ""},
		"HTTP://portal.example.com:80/app/":   {"http", "portal.example.com", 80, "/app"},
		"https://portal.example.com:8443/a/b": {"https", "portal.example.com:8443", 8443, "/a/b"},
		"https://[2001:db8::1]/":              {"https", "[2001:db8::1]", 443, ""},
	} {
		if got, err := ParseBase(url); err != nil || got != want {
			t.Errorf("%s: %+v, %v", url, got, err)
		}
	}
	for url, want := range map[string]string{
		"":                   "begins neither with http:// nor https://",
		"/app/":              "a path without a scheme and a host",
		"portal.example.com": "begins neither with http:// nor https://",
		"https://":           "it has no host",
		"https://a/?x":       "holds a query or a fragment",
		"https://u@a/":       "a user name in front of the host",
		"https://a:0/":       "is no port",
	} {
		if _, err := ParseBase(url); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", url, err)
		}
	}
}

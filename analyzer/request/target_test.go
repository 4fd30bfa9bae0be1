package request

import (
	"strings"
	"testing"
)

// Each of these was asked of nginx 1.22.1; the live test asks for more of the kind.
var targets = []struct {
	target, uri, args string // uri "" stands for an answer 400
	unmerged          string // the path with merge_slashes off, where it is another one
}{
	{target: "/", uri: "/"},
	{target: "/a/b", uri: "/a/b"},
	{target: "/a?b=c&d", uri: "/a", args: "b=c&d"},
	{target: "/a?", uri: "/a"},
	{target: "/a?b?c", uri: "/a", args: "b?c"},
	{target: "/a#b?c", uri: "/a"},
	{target: "/a?b#c", uri: "/a", args: "b"},
	{target: "//", uri: "/", unmerged: "//"},
	{target: "/a//b///c", uri: "/a/b/c", unmerged: "/a//b///c"},
	{target: "/a/./b", uri: "/a/b"},
	{target: "/a/.", uri: "/a/"},
	{target: "/.", uri: "/"},
	{target: "/a/..", uri: "/"},
	{target: "/a/../b", uri: "/b"},
	{target: "/a/b/../../c", uri: "/c"},
	{target: "/a/...", uri: "/a/..."},
	{target: "/a/.b", uri: "/a/.b"},
	{target: "/a/..b", uri: "/a/..b"},
	{target: "/..", uri: ""},
	{target: "/../a", uri: ""},
	{target: "/a/../../b", uri: ""},
	{target: "//..", uri: "", unmerged: "/"},
	{target: "/a//../b", uri: "/b", unmerged: "/a/b"},
	{target: "/%61", uri: "/a"},
	{target: "/%2e%2e/a", uri: ""},
	{target: "/a/%2E%2e/b", uri: "/b"},
	{target: "/a%2Fb", uri: "/a/b"},
	{target: "/a%2F%2fb", uri: "/a/b", unmerged: "/a//b"},
	{target: "/a%3Fb", uri: "/a?b"},
	{target: "/a%23b", uri: "/a#b"},
	{target: "/a%25b", uri: "/a%b"},
	{target: "/a%2541", uri: "/a%41"},
	{target: "/a%00", uri: ""},
	{target: "/a%", uri: ""},
	{target: "/a%4", uri: ""},
	{target: "/a%zz", uri: ""},
	{target: "/a%4?b", uri: ""},
	{target: "/a%0Ab", uri: "/a\nb"},
	{target: "/a%20b+c", uri: "/a b+c"},
	{target: "/a?%zz", uri: "/a", args: "%zz"},
	{target: "/./?a", uri: "/", args: "a"},
	{target: "/a/..?b", uri: "/", args: "b"},
	{target: "/a\xff", uri: "/a\xff"},
	{target: "/a\x01", uri: ""},
	{target: "/a\x7f", uri: ""},
	{target: "/a\\b", uri: "/a\\b"},
	{target: "*", uri: ""},
	{target: "a", uri: ""},
	{target: "", uri: ""},
	{target: "http://h/a", uri: "/a"},
	{target: "http://h", uri: "/"},
	{target: "http://h?a=b", uri: "/", args: "a=b"},
	{target: "http://h:80/a", uri: "/a"},
	{target: "HTTPS://H.Example:/a/../b", uri: "/b"},
	{target: "http://[::1]:80/a", uri: "/a"},
	{target: "http://a_b/", uri: ""},
	{target: "http://h:x/", uri: ""},
	{target: "http://h#a", uri: ""},
	{target: "http:/h/", uri: ""},
	{target: "1http://h/", uri: ""},
	{target: "svn+ssh.x-y://h/", uri: "/"},
}

func TestNormalize(t *testing.T) {
	for _, c := range targets {
		for _, merge := range []bool{true, false} {
			want := c.uri
			if !merge && c.unmerged != "" {
				want = c.unmerged
			}
			uri, args, err := Normalize(c.target, merge)
			if (err != nil) != (want == "") || uri != want || args != c.args {
				t.Errorf("%q merged %v: %q %q %v, want %q %q", c.target, merge, uri, args, err, want, c.args)
			}
		}
	}
}

func TestUnparsed(t *testing.T) {
	for target, want := range map[string]string{
		"/a//b?c#d": "/a//b?c#d", "http://h:8/a?b": "/a?b", "http://h": "/", "http://h?a": "?a",
	} {
		parsed, err := ParseTarget(target, true)
		if err != nil || parsed.Unparsed != want || Unparsed(target) != want {
			t.Errorf("%q: %q, %q, %v, want %q", target, parsed.Unparsed, Unparsed(target), err, want)
		}
	}
}

func FuzzNormalize(f *testing.F) {
	for _, c := range targets {
		f.Add(c.target, true)
		f.Add(c.target, false)
	}
	f.Fuzz(func(t *testing.T, target string, merge bool) {
		parsed, err := ParseTarget(target, merge)
		if err != nil {
			return
		}
		uri := parsed.URI
		switch {
		case !strings.HasPrefix(uri, "/"):
			t.Errorf("%q: path %q", target, uri)
		case len(uri) > len(target)+1:
			t.Errorf("%q: path %q grew", target, uri)
		case merge && strings.Contains(uri, "//"):
			t.Errorf("%q: path %q with slashes", target, uri)
		case strings.ContainsAny(parsed.Args, "# \n"):
			t.Errorf("%q: arguments %q", target, parsed.Args)
		}
		for part := range strings.SplitSeq(uri, "/") {
			if part == "." || part == ".." {
				t.Errorf("%q: path %q with dots", target, uri)
			}
		}
		// A path that came out is taken as it is when it is sent with its special bytes escaped.
		if again, _, err := Normalize(Escape(uri), merge); err != nil || again != uri {
			t.Errorf("%q: path %q becomes %q, %v", target, uri, again, err)
		}
	})
}

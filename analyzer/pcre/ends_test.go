package pcre

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestEnds(t *testing.T) {
	for _, tt := range []struct {
		pattern     string
		first, last string
	}{
		{`\.php$`, "", ".php"},
		{`^/media/(?<kind>[a-z]+)/.*\.(?:jpe?g|png)$`, "/media/", ""},
		{`^/api$`, "/api", "/api"},
		{`^/(a|b)/x$`, "/", "/x"},
		{`/api`, "", ""},
		{`^/a|b$`, "", ""},
		{`^(/a)?b$`, "", "b"},
		{`^/a*`, "/", ""},
	} {
		re := New(tt.pattern, false)
		if err := re.Err(); err != nil {
			t.Fatal(err)
		}
		re.allows("")
		if re.ends.first.text != tt.first || re.ends.last.text != tt.last {
			t.Errorf("%s: begins with %q, ends in %q; want %q, %q", tt.pattern, re.ends.first.text, re.ends.last.text, tt.first, tt.last)
		}
	}
}

// What the ends do not allow RE2 does not match.
func TestEndsTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{"a", "k", "/", `\.`, "(a|/)", "[ak]", "a?", "a*", ".*", "(?i)", "(?i:k)", "^", "$", "|", "(k$)", "(^a)", `\b`})
		pattern := strings.Join(rapid.SliceOfN(piece, 1, 6).Draw(t, "pattern"), "")
		re := New(pattern, rapid.Bool().Draw(t, "caseless"))
		if re.Err() != nil || re.linear() == nil {
			t.Skip(pattern)
		}
		plain := regexp.MustCompile(re.program.fast)
		for range 20 {
			s := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "A", "k", "K", "/", "."}), 0, 6).Draw(t, "subject"), "")
			m, err := re.Find(s)
			if err != nil || (m != nil) != plain.MatchString(s) {
				t.Fatalf("%q (%s) on %q: %v, %v", pattern, re.program.fast, s, m, err)
			}
		}
	})
}

package rule_test

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ngxlimit/ngxlimit/rules/rule"
)

func TestCovers(t *testing.T) {
	tests := []struct {
		earlier, later string
		want           bool
	}{
		{"~^/", "~^/api/", true},
		{"~^/api", "~^/api/v[12]/", true},
		{"~^/api/", "~^/api/", true},
		{"~^/api/.*", "~^/api/x$", true},
		{"~*bot", "~*examplebot", true},
		{"~*BOT", "~examplebot/2", true},
		{"~bot", "~*bot", false},
		{"~bot", "~Bot", false},
		{"~^/api/", "~/api/v1", false},
		{"~^/api/", "~^/app/", false},
		{"~^/api/$", "~^/api/v1", false},
		{"~^/apis?", "~^/api/", false},
		{"~^/a", "~^/ab|^/x", false},
		{"~^/a", "~^/a(b|c)", true},
		{"~^/a", "~^/ab?", true},
		{"~^/ab", "~^/ab?", false},
		{"~^/ab", "~^/ab{0}", false},
		{"~^/a|b", "~^/ab", false},
		{"~^/a", "~^(?i)/a", false},
		{"/a", "~/a", false},
		{"~", "~^/a", false}, // see MatchesAnything
	}
	for _, tt := range tests {
		if got := rule.Covers(tt.earlier, tt.later); got != tt.want {
			t.Errorf("%s before %s: %v", tt.earlier, tt.later, got)
		}
	}
}

// What an earlier regex covers, it matches whenever the later one does.
func TestCoversIsCertain(t *testing.T) {
	key := rapid.StringMatching(`~\*?\^?([abA/]|\\\.|[ab]\?|\(a\|b\)|\||\.\*|\[ab\]|\$){0,5}`)
	rapid.Check(t, func(t *rapid.T) {
		earlier, later := key.Draw(t, "earlier"), key.Draw(t, "later")
		if !rule.Covers(earlier, later) {
			return
		}
		text := rapid.StringMatching(`[abA/.]{0,6}`).Draw(t, "text")
		if matches(later, text) && !matches(earlier, text) {
			t.Fatalf("%s does not match %q, which %s matches", earlier, text, later)
		}
	})
}

// matches asks a regex of a map, of the kinds that are drawn above.
func matches(key, text string) bool {
	pattern := strings.TrimPrefix(key, "~")
	if rest, any := strings.CutPrefix(pattern, "*"); any {
		pattern = "(?i)" + rest
	}
	re, err := regexp.Compile(pattern)
	return err == nil && re.MatchString(text)
}

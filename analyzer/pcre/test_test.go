package pcre

import (
	"regexp"
	"testing"

	"pgregory.net/rapid"
)

// TestTestTwin compares a Test with regexp, on patterns of all that RE2 has and on texts that are near them.
func TestTestTwin(t *testing.T) {
	piece := rapid.SampledFrom([]string{
		"a", "b", ".", `\d`, `\W`, "[a-c]", "[^a]", "(?i:aB)", "(a|b)", "(?:a|ab)(c|bcd)", "a*", "b+?", "(a*)*", "a{2,3}", "^", "$", `\b`, `\B`, `\A`, `\z`, "(?m:^)", "(?m:$)", "(?s:.)", "\u00e9", "|", "",
	})
	letter := rapid.SampledFrom([]string{"a", "b", "c", "d", "A", "B", "1", "-", "\n", "\x00", "\u00e9", "\xff"})
	rapid.Check(t, func(t *rapid.T) {
		var pattern, text string
		for range rapid.IntRange(0, 6).Draw(t, "pieces") {
			pattern += piece.Draw(t, "piece")
		}
		for range rapid.IntRange(0, 12).Draw(t, "letters") {
			text += letter.Draw(t, "letter")
		}
		test, err := NewTest(pattern)
		re, wrong := regexp.Compile(pattern)
		if (err == nil) != (wrong == nil) {
			t.Fatalf("%q: %v, regexp has %v", pattern, err, wrong)
		}
		if err == nil && test.Match(text) != re.MatchString(text) {
			t.Fatalf("%q on %q: %v", pattern, text, test.Match(text))
		}
	})
}

package ruletest

import (
	"os"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/rules/rule"
	"github.com/ngxlimit/ngxlimit/rules/run"
)

// checkBroken runs a rule on a case cut off at every line and with each of its braces dropped: it must neither stop nor
// point outside a file. What is found there does not matter.
func checkBroken(t *testing.T, r *rule.Rule, path string) {
	for _, text := range BrokenFile(t, path) {
		tree, err := TryResolve(text, "")
		if err != nil {
			continue // nothing is left to check
		}
		All(t, []*rule.Rule{r}, tree, run.Options{Today: today})
	}
}

// BrokenFile is Broken of a file's text.
func BrokenFile(t testing.TB, path string) []string {
	t.Helper()
	return Broken(readCase(t, path))
}

func readCase(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// Broken returns a text cut off at every line, and with each of its braces dropped.
func Broken(text string) []string {
	var all []string
	for i := range len(text) {
		switch text[i] {
		case '\n':
			all = append(all, text[:i+1])
		case '{', '}':
			all = append(all, text[:i]+text[i+1:])
		}
	}
	return append(all, strings.TrimRight(text, "\n"))
}

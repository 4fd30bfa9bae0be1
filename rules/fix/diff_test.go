package fix

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aymanbagabas/go-udiff"
	"pgregory.net/rapid"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
)

func TestDiffKeepsLines(t *testing.T) {
	const text = "a {\n    b 1;\n    c 2;\n}\n"
	at := func(s string) int { return strings.Index(text, s) }
	tests := []struct {
		name  string
		edits []edit
		want  string // the lines that go and come
	}{
		{"line before", []edit{{start: at("c"), end: at("c"), text: "x;\n    "}}, "+    x;\n"},
		{"line behind", []edit{{start: at("\n    c"), end: at("\n    c"), text: "\n    x;"}}, "+    x;\n"},
		{"word", []edit{{start: at("2"), end: at("2") + 1, text: "3"}}, "-    c 2;\n+    c 3;\n"},
		{"line gone", []edit{{start: at("    b"), end: at("    c"), text: ""}}, "-    b 1;\n"},
		{"line gone from its end", []edit{{start: at("\n    c"), end: at("\n}"), text: ""}}, "-    c 2;\n"},
		{"two of a line", []edit{{start: at("b"), end: at("b"), text: "x;\n    "}, {start: at("1"), end: at("1") + 1, text: "4"}}, "-    b 1;\n+    x;\n+    b 4;\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := Change{File: &source.File{Path: "a", Text: text}, edits: tt.edits}
			diff, err := c.Diff("a", "b")
			if err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			for line := range strings.Lines(diff) {
				if strings.HasPrefix(line, "-") && !strings.HasPrefix(line, "---") || strings.HasPrefix(line, "+") && !strings.HasPrefix(line, "+++") {
					got.WriteString(line)
				}
			}
			if got.String() != tt.want {
				t.Errorf("%s, want\n%s", diff, tt.want)
			}
		})
	}
}

// Whatever the edits, those in whole lines come to the same text.
func TestLineEditsMakeTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[ab\n]{0,40}`).Draw(t, "text")
		var edits []edit
		at := 0
		for range rapid.IntRange(0, 5).Draw(t, "edits") {
			start := rapid.IntRange(at, len(text)).Draw(t, "start")
			end := rapid.IntRange(start, len(text)).Draw(t, "end")
			edits = append(edits, edit{start: start, end: end, text: rapid.StringMatching(`[abc\n]{0,6}`).Draw(t, "new")})
			if at = end + 1; at > len(text) {
				break
			}
		}
		got, err := udiff.Apply(text, lineEdits(text, edits))
		if err != nil {
			t.Fatal(err)
		}
		if want := applyTo(text, edits); got != want {
			t.Fatal(fmt.Sprintf("%q, want %q", got, want))
		}
	})
}

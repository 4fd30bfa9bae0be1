package report

import (
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
)

// TestColumnsCount compares with counting from the line's start, in lines of more than one step.
func TestColumnsCount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{
			"a", "\u00e9", "\u20ac", "\U0001f600", "\xf0\x9f", "\x80", "\n", strings.Repeat("b", columnStep-1),
			strings.Repeat("\u20ac", columnStep), strings.Repeat("\U0001f600", columnStep),
		})
		f := &source.File{Text: strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "text"), "")}
		c := &utf16Columns{}
		for range 4 {
			p := f.Position(uint32(rapid.IntRange(0, len(f.Text)).Draw(t, "offset")))
			before := f.Line(p.Line)[:p.Column-1]
			if want := len(utf16.Encode([]rune(before))) + 1; c.of(f, p) != want {
				t.Fatalf("%v: column %d, expected %d", p, c.of(f, p), want)
			}
		}
	})
}

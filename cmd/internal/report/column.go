package report

import (
	"sort"
	"unicode/utf16"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
)

// columnStep is how many bytes of a text are counted anew for each column.
const columnStep = 1 << 10

// utf16Columns finds columns in UTF-16 units. A line may be as long as its file and hold most of the findings, so that no
// column is counted from the line's start. Findings come file by file, and mostly speak of one file: the last is kept.
type utf16Columns struct {
	file  *source.File
	marks []columnMark // one at the first character of each step
}

// A columnMark is an offset, and how many units stand before it in the text.
type columnMark struct{ at, units int }

// of returns the column, counted from 1, of a place in a file.
func (c *utf16Columns) of(f *source.File, p source.Position) int {
	line := f.Line(p.Line)
	before := min(p.Column-1, len(line))
	if before <= columnStep {
		return utf16Len(line[:before]) + 1
	}
	if c.file != f {
		c.file, c.marks = f, columnMarks(f.Text)
	}
	start := int(f.LineStart(p.Line))
	return c.units(start+before) - c.units(start) + 1
}

// units is how many units stand before an offset.
func (c *utf16Columns) units(at int) int {
	i := sort.Search(len(c.marks), func(i int) bool { return c.marks[i].at > at }) - 1
	return c.marks[i].units + utf16Len(c.file.Text[c.marks[i].at:at])
}

func columnMarks(text string) []columnMark {
	marks := make([]columnMark, 1, len(text)/columnStep+2)
	units := 0
	for i, r := range text {
		if i >= marks[len(marks)-1].at+columnStep {
			marks = append(marks, columnMark{i, units})
		}
		units += utf16.RuneLen(r)
	}
	return marks
}

// utf16Len is how many units text has; a byte that is no UTF-8 is one.
func utf16Len(s string) int {
	n := 0
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}

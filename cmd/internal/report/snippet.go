package report

import (
	"strings"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
)

// tabWidth is how wide a tab is shown. Tabs are written as blanks, so that the mark below stands under its text whatever
// the terminal makes of them.
const tabWidth = 4

// A snippet is one source line made fit to show, and the columns of the part that is meant.
type snippet struct {
	line       string // cleaned, tabs expanded, cut to the width
	start, end int    // columns of line from 0, half-open; end > start
}

// cell is one character of a source line as shown.
type cell struct {
	text  string
	width int
	at    int // offset of its bytes in the line
}

// snip returns the line in which the span starts, cut around the span to width columns.
func snip(s source.Span, width int) snippet {
	from := s.From()
	line := s.File.Line(from.Line)
	start := min(from.Column-1, len(line))
	end := min(start+int(s.End-s.Start), len(line))
	if t := start + len(strings.TrimRight(line[start:end], " \t")); t > start && end == len(line) {
		end = t // the rest of a span over several lines
	}

	if len(line) <= width && plain(line) {
		return snippet{line: strings.TrimRight(line, " "), start: start, end: max(end, start+1)}
	}
	// A line may be a hundred megabytes long; only what could be shown is looked at.
	lo, hi := window(line, start, end, width)
	cells := cellsOf(line[lo:hi], lo)
	from0, to0 := marked(cells, start, end)
	left, right := cut(cells, from0, to0, width, lo > 0, hi < len(line))
	return assemble(cells[left:right], start, end, lo > 0 || left > 0, hi < len(line) || right < len(cells))
}

// window returns the bytes of line that may be shown: up to four bytes a column on both sides of the span's start.
func window(line string, start, end, width int) (lo, hi int) {
	lo = max(0, start-width)
	for lo > 0 && lo < len(line) && !utf8.RuneStart(line[lo]) && start-lo < width+utf8.UTFMax {
		lo--
	}
	hi = min(len(line), max(min(end, start+4*width), start)+4*width)
	return lo, hi
}

// cellsOf splits text into what is shown for each of its characters; base is the offset of text in its line.
func cellsOf(s string, base int) []cell {
	cells := make([]cell, 0, len(s))
	col := 0
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		c := cell{at: base + i}
		switch {
		case r == '\t':
			c.width = tabWidth - col%tabWidth
			c.text = strings.Repeat(" ", c.width)
		case r < utf8.RuneSelf && r >= ' ' && r != 0x7f:
			c.text, c.width = s[i:i+n], 1
		default:
			c.text = show(s[i:i+n], r)
			c.width = text.StringWidth(c.text)
		}
		cells = append(cells, c)
		col += c.width
		i += n
	}
	return cells
}

// marked returns the range of cells whose bytes lie in [start, end).
func marked(cells []cell, start, end int) (from, to int) {
	from = len(cells)
	for i, c := range cells {
		if c.at >= start {
			from = i
			break
		}
	}
	to = from
	for to < len(cells) && cells[to].at < end {
		to++
	}
	return from, to
}

const ellipsis = "..."

// cut returns the range of cells to show so that line and ellipses fit into width, the marked cells first.
func cut(cells []cell, from, to, width int, moreLeft, moreRight bool) (left, right int) {
	total := 0
	for _, c := range cells {
		total += c.width
	}
	if total <= width && !moreLeft && !moreRight {
		return 0, len(cells)
	}
	room := width - 2*len(ellipsis)
	left, right = from, from
	used := 0
	take := func(i int) bool {
		if used+cells[i].width > room {
			return false
		}
		used += cells[i].width
		return true
	}
	for right < to && take(right) {
		right++
	}
	if right < to {
		return left, right
	}
	// What is left of the room goes to both sides, a little more to the left, where the directive's name stands.
	for grew := true; grew; {
		grew = false
		for range 2 {
			if left > 0 && take(left-1) {
				left--
				grew = true
			}
		}
		if right < len(cells) && take(right) {
			right++
			grew = true
		}
	}
	return left, right
}

// assemble joins the cells and finds the columns of the marked bytes.
func assemble(cells []cell, start, end int, cutLeft, cutRight bool) snippet {
	var b strings.Builder
	col := 0
	if cutLeft {
		b.WriteString(ellipsis)
		col = len(ellipsis)
	}
	s := snippet{start: -1}
	for _, c := range cells {
		if c.at >= start && s.start < 0 {
			s.start = col
		}
		b.WriteString(c.text)
		col += c.width
		if c.at < end {
			s.end = col
		}
	}
	if s.start < 0 {
		s.start = col
	}
	s.end = max(s.end, s.start+1)
	if cutRight {
		b.WriteString(ellipsis)
	}
	s.line = strings.TrimRight(b.String(), " ")
	return s
}

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

// A snipper makes snippets, one after the other. Its cells serve for all of them: there may be a hundred thousand.
type snipper struct{ cells []cell }

// snip returns the line in which the span starts, cut around the span to width columns.
func (sn *snipper) snip(s source.Span, width int) snippet {
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
	lo := window(line, start, width)
	hi := sn.read(line, lo, start, width)
	from0, to0 := marked(sn.cells, start, end)
	left, right := cut(sn.cells, from0, to0, width, lo > 0, hi < len(line))
	return assemble(sn.cells[left:right], start, end, lo > 0 || left > 0, hi < len(line) || right < len(sn.cells))
}

// window returns the first byte of line that may be shown: a byte for each column to the left of the span's start.
func window(line string, start, width int) int {
	lo := max(0, start-width)
	for lo > 0 && lo < len(line) && !utf8.RuneStart(line[lo]) && start-lo < width+utf8.UTFMax {
		lo--
	}
	return lo
}

// read splits a line from byte lo on into what is shown for each of its characters, until more than width columns stand
// behind the span's start; it returns the byte at which it ended.
func (sn *snipper) read(line string, lo, start, width int) (hi int) {
	sn.cells = sn.cells[:0]
	col, behind := 0, 0
	for hi = lo; hi < len(line) && behind <= width && hi-start <= longestShown(width); {
		r, n := utf8.DecodeRuneInString(line[hi:])
		c := cell{at: hi}
		switch {
		case r == '\t':
			c.width = tabWidth - col%tabWidth
			c.text = strings.Repeat(" ", c.width)
		case r < utf8.RuneSelf && r >= ' ' && r != 0x7f:
			c.text, c.width = line[hi:hi+n], 1
		default:
			c.text = show(line[hi:hi+n], r)
			c.width = text.StringWidth(c.text)
		}
		sn.cells = append(sn.cells, c)
		col += c.width
		if hi >= start {
			behind += c.width
		}
		hi += n
	}
	return hi
}

// longestShown is how many bytes may be shown in a number of columns: some characters have no width, but hardly many.
func longestShown(width int) int { return 2 * utf8.UTFMax * width }

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
	b.Grow(len(cells) + 2*len(ellipsis))
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

// Package source knows text: files as nginx would read them, places within them, and edits of them. It knows nothing
// of nginx's grammar and never opens a file.
package source

import (
	"sort"
	"strings"
	"sync"
)

// A File is one configuration file as nginx would read it, whatever carried it here: a tree on disk, a dump, or
// standard input. Everything that shows text to a person reads Text; nothing opens the file a second time.
type File struct {
	Path      string // as nginx names it; in a dump, the path of the marker line
	Text      string // any bytes, not only UTF-8; words share its bytes
	Container string // the dump that carried it; "" when the file itself was read
	Base      uint32 // offset of Text within Container
	Disk      string // path on disk whose content Text is; "" for a dump's file and for standard input
	Real      string // of what holds the bytes, the dump where one does: its own path on disk, links followed; only where the reader was asked for it

	once  sync.Once
	lines []uint32 // offset at which each line starts; only of a text that is not small
}

// A Position is a place in a file for people: both numbers count from 1, Column in bytes.
type Position struct{ Line, Column int }

// smallText is up to which size lines are counted each time anew: that is as fast, and there may be tens of thousands of
// such files.
const smallText = 4 << 10

// Position says where offset lies. An offset at or behind the end of the text is the place behind its last byte.
func (f *File) Position(offset uint32) Position {
	offset = min(offset, uint32(len(f.Text)))
	if len(f.Text) <= smallText {
		before := f.Text[:offset]
		return Position{Line: strings.Count(before, "\n") + 1, Column: len(before) - strings.LastIndexByte(before, '\n')}
	}
	f.index()
	i := sort.Search(len(f.lines), func(i int) bool { return f.lines[i] > offset }) - 1
	return Position{Line: i + 1, Column: int(offset-f.lines[i]) + 1}
}

// Line returns line n, counted from 1, without its line end; "" where there is no such line. It looks for no end, because
// one line may be the whole of a large file, and asked for once for each thing in it.
func (f *File) Line(n int) string {
	if n < 1 {
		return ""
	}
	from, to := f.LineStart(n), f.LineStart(n+1)
	if from < to && f.Text[to-1] == '\n' {
		to--
	}
	return strings.TrimSuffix(f.Text[from:to], "\r")
}

// LineStart returns the offset at which line n, counted from 1, starts; the text's length where there is no such line.
func (f *File) LineStart(n int) uint32 {
	if n < 1 {
		return uint32(len(f.Text))
	}
	if len(f.Text) <= smallText {
		return countedStart(f.Text, n)
	}
	f.index()
	if n > len(f.lines) {
		return uint32(len(f.Text))
	}
	return f.lines[n-1]
}

func countedStart(text string, n int) uint32 {
	at := 0
	for ; n > 1; n-- {
		end := strings.IndexByte(text[at:], '\n')
		if end < 0 {
			return uint32(len(text))
		}
		at += end + 1
	}
	return uint32(at)
}

// Lines returns how many lines the text has. What stands behind the last newline is a line, even where it is empty: nginx
// names it when it meets the end of the file.
func (f *File) Lines() int {
	if len(f.Text) <= smallText {
		return strings.Count(f.Text, "\n") + 1
	}
	f.index()
	return len(f.lines)
}

func (f *File) index() {
	f.once.Do(func() {
		f.lines = make([]uint32, 1, strings.Count(f.Text, "\n")+1)
		for i := 0; i < len(f.Text); {
			n := strings.IndexByte(f.Text[i:], '\n')
			if n < 0 {
				break
			}
			i += n + 1
			f.lines = append(f.lines, uint32(i))
		}
	})
}

// A Span is a half-open range of bytes [Start, End) within one file. Line and column are derived from it on demand, so
// that there is one truth about a place. Writers whose format counts in other units than bytes (SARIF, a terminal)
// convert from File.Text when they write.
type Span struct {
	File       *File
	Start, End uint32
}

// Text returns the bytes that the span covers.
func (s Span) Text() string { return s.File.Text[s.Start:s.End] }

// From returns where the span starts.
func (s Span) From() Position { return s.File.Position(s.Start) }

// To returns the place behind the span's last byte.
func (s Span) To() Position { return s.File.Position(s.End) }

// An Edit replaces the bytes of Span by Text. An empty Span inserts.
type Edit struct {
	Span Span
	Text string
}

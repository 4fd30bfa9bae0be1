package syntax

import (
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
)

// AppendWord returns the edit that adds a word behind the directive's last one.
func (d *Directive) AppendWord(word string) source.Edit {
	end := d.Head().End
	return source.Edit{Span: source.Span{File: d.File, Start: end, End: end}, Text: " " + word}
}

// ReplaceWord returns the edits that put text in place of each argument that begins with a prefix: nginx takes the last of
// several, and people read the first.
func (d *Directive) ReplaceWord(prefix, text string) []source.Edit {
	var edits []source.Edit
	for _, w := range d.Args() {
		if strings.HasPrefix(w.Value, prefix) {
			edits = append(edits, source.Edit{Span: d.WordSpan(w), Text: text})
		}
	}
	return edits
}

// InsertBefore returns the edit that puts a directive on a line of its own before another one, indented alike; on the
// same line where something else stands before it there.
func (d *Directive) InsertBefore(text string) source.Edit {
	at := d.Name().Start
	start := d.File.LineStart(d.File.Position(at).Line)
	indent := d.File.Text[start:at]
	between := " "
	if strings.Trim(indent, " \t") == "" {
		between = LineEnd(d.File) + indent
	}
	return source.Edit{Span: source.Span{File: d.File, Start: at, End: at}, Text: text + between}
}

// LineEnd is the line end that the file uses.
func LineEnd(f *source.File) string {
	if i := strings.IndexByte(f.Text, '\n'); i > 0 && f.Text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// InsertLines returns the edit that puts directives behind another one, each on a line of its own and indented alike; on the
// same line where something else stands behind it there. A comment behind it stays with it.
func (d *Directive) InsertLines(lines []string) source.Edit {
	text, at := d.File.Text, d.End
	start := d.File.LineStart(d.File.Position(d.Name().Start).Line)
	indent := text[start:d.Name().Start]
	end := len(text)
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		end = int(at) + i
	}
	rest := strings.TrimSpace(text[at:end])
	between := LineEnd(d.File) + indent
	switch {
	case strings.Trim(indent, " \t") != "" || rest != "" && rest[0] != '#':
		between = " "
	default:
		at = uint32(end)
		if strings.HasSuffix(text[:at], "\r") {
			at--
		}
	}
	return source.Edit{Span: source.Span{File: d.File, Start: at, End: at}, Text: between + strings.Join(lines, between)}
}

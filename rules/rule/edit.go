package rule

import (
	"regexp"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
)

// AppendWord returns the edit that adds a word behind the directive's last one.
func AppendWord(d *syntax.Directive, word string) source.Edit { return d.AppendWord(word) }

// ReplaceWord returns the edits that put text in place of each argument that begins with a prefix.
func ReplaceWord(d *syntax.Directive, prefix, text string) []source.Edit {
	return d.ReplaceWord(prefix, text)
}

// InsertBefore returns the edit that puts a directive on a line of its own before another one.
func InsertBefore(d *syntax.Directive, text string) source.Edit { return d.InsertBefore(text) }

// RemoveWord returns the edit that takes a word away, with the white space before it. A line end stays where a comment
// may stand before it.
func RemoveWord(d *syntax.Directive, w syntax.Word) source.Edit {
	before := strings.TrimRight(d.File.Text[:w.Start], " \t")
	if line := strings.TrimRight(before, "\r\n"); len(line) < len(before) && !strings.Contains(line[strings.LastIndexByte(line, '\n')+1:], "#") {
		before = strings.TrimRight(line, " \t")
	}
	return source.Edit{Span: source.Span{File: d.File, Start: uint32(len(before)), End: w.End}}
}

// RemoveDirective returns the edit that takes a directive without a block away: with its lines where nothing else stands
// on them. A comment stays, except for a suppression that would speak of the next line then: behind the directive, or on
// the lines just before it, where no other comment stays.
func RemoveDirective(d *syntax.Directive) source.Edit {
	text, start, end := d.File.Text, d.Name().Start, d.End
	first := d.File.LineStart(d.File.Position(start).Line)
	rest := strings.TrimLeft(text[end:], " \t")
	alone := strings.Trim(text[first:start], " \t") == ""
	if line, _, _ := strings.Cut(rest, "\n"); alone && isSuppression(line) {
		rest = rest[len(line):]
	}
	switch {
	case alone && strings.HasPrefix(rest, "#"):
		end = uint32(len(text) - len(rest))
	case alone && (rest == "" || rest[0] == '\r' || rest[0] == '\n'):
		start, end = aboveSuppressions(text, first), uint32(len(text)-len(strings.TrimPrefix(strings.TrimPrefix(rest, "\r"), "\n")))
	case !alone:
		for start > first && (text[start-1] == ' ' || text[start-1] == '\t') {
			start--
		}
	}
	return source.Edit{Span: source.Span{File: d.File, Start: start, End: end}}
}

// aboveSuppressions is where the suppressions begin that stand alone on the lines just before the one that starts at an
// offset; the offset itself where none stands there.
func aboveSuppressions(text string, start uint32) uint32 {
	for start > 0 {
		before := strings.LastIndexByte(text[:start-1], '\n') + 1
		if line := strings.TrimLeft(text[before:start], " \t"); !strings.HasPrefix(line, "#") || !isSuppression(line) {
			break
		}
		start = uint32(before)
	}
	return start
}

// DelayWords returns the words of a limit_req that say what becomes of an excess: nodelay and delay=.
func DelayWords(d *syntax.Directive) []syntax.Word {
	var found []syntax.Word
	for _, w := range d.Args() {
		if w.Value == "nodelay" || strings.HasPrefix(w.Value, "delay=") {
			found = append(found, w)
		}
	}
	return found
}

// ReplaceVariable returns the edits that write another variable wherever a word names one, both without "$".
func ReplaceVariable(word source.Span, name, other string) []source.Edit {
	written := regexp.MustCompile(`(?i)\$\{?(` + regexp.QuoteMeta(name) + `)\b`)
	found := written.FindAllStringSubmatchIndex(word.Text(), -1)
	edits := make([]source.Edit, len(found))
	for i, m := range found {
		edits[i] = source.Edit{Span: source.Span{File: word.File, Start: word.Start + uint32(m[2]), End: word.Start + uint32(m[3])}, Text: other}
	}
	return edits
}

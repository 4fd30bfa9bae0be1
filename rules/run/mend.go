package run

import (
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// keep is the fix that leaves only some names in the comment's list; without any it takes the comment out.
func (c *comment) keep(names, dropped []string) *rule.Fix {
	if len(names) == 0 {
		return &rule.Fix{Title: "remove the comment", Safe: true, Edits: []source.Edit{{Span: c.whole()}}}
	}
	list := c.list()
	between := ","
	if strings.Contains(list.Text(), ", ") {
		between = ", "
	}
	return &rule.Fix{
		Title: "remove " + rule.Some(dropped) + " from the comment", Safe: true,
		Edits: []source.Edit{{Span: list, Text: strings.Join(names, between)}},
	}
}

// whole covers the comment with the line end before which it stands alone, or with the blanks between it and the text
// beside it.
func (c *comment) whole() source.Span {
	s := c.span
	start := s.File.LineStart(s.From().Line)
	before := s.File.Text[start:s.Start]
	if text := strings.TrimRight(before, " \t"); text != "" {
		s.Start = start + uint32(len(text))
		return s
	}
	if text := behind(s); !blank(text) {
		s.End += uint32(len(text) - len(strings.TrimLeft(text, " \t")))
		return s
	}
	s.Start, s.End = start, s.File.LineStart(s.To().Line+1)
	return s
}

// list covers the names, from the first to the last.
func (c *comment) list() source.Span {
	text := c.span.Text()
	rest, _ := rule.CutSuppression(text)
	names := strings.TrimLeft(rest, ": \t\r\n")
	at := strings.Index(text, rest) + len(rest) - len(names) // what ends the comment may follow
	s := source.Span{File: c.span.File, Start: c.span.Start + uint32(at)}
	end := at
	for _, name := range c.rules {
		end += strings.Index(text[end:], name) + len(name)
	}
	s.End = c.span.Start + uint32(end)
	return s
}

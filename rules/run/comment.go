package run

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// A comment is one "# ngxlimit:ignore RULE[,RULE] [until 2027-01-31] reason", which may begin with "//" or stand between
// "/*" and "*/" where it is no file of nginx.
type comment struct {
	span   source.Span
	doc    *syntax.Document // that it stands in
	target int              // the line it speaks of: its own beside text, else the next that holds no lone comment
	rules  []string
	used   map[string]bool // the rules that held something back
	until  string
	reason string
	fault  string // what makes it void; "" where nothing does

	mistaken bool // it only looks like one
}

// findComments collects the suppression comments of all files, in order.
func findComments(tree *config.Tree) []*comment {
	if tree == nil || tree.Input == nil {
		return nil
	}
	return commentsIn(tree.Input.Documents)
}

func commentsIn(docs []*syntax.Document) []*comment {
	var found []*comment
	for _, doc := range docs {
		for _, c := range doc.Comments {
			text := strings.TrimRight(doc.File.Text[c.Start:c.End], " \t\r\n")
			s := source.Span{File: doc.File, Start: c.Start, End: c.Start + uint32(len(text))}
			rest, ok := rule.CutSuppression(text)
			if !ok {
				if rule.LooksLikeSuppression(text) {
					found = append(found, &comment{span: s, doc: doc, mistaken: true})
				}
				continue
			}
			read := parseComment(strings.TrimPrefix(rest, ":"))
			read.span, read.doc = s, doc
			found = append(found, read)
		}
	}
	aim(found)
	return found
}

// parseComment reads what stands behind the marker.
func parseComment(text string) *comment {
	text = strings.TrimSpace(text)
	if strings.ContainsAny(text, "\r\n") {
		words := slices.DeleteFunc(strings.Fields(text), func(w string) bool { return w == "*" }) // the edge of a block
		text = strings.Join(words, " ")
	}
	c := &comment{used: map[string]bool{}}
	// The list may be written with spaces behind its commas.
	for {
		word, rest, _ := strings.Cut(text, " ")
		for name := range strings.SplitSeq(word, ",") {
			if name != "" {
				c.rules = append(c.rules, name)
			}
		}
		text = strings.TrimSpace(rest)
		if !strings.HasSuffix(word, ",") || text == "" {
			break
		}
	}
	if rest, ok := strings.CutPrefix(text, "until "); ok {
		c.until, text, _ = strings.Cut(strings.TrimSpace(rest), " ")
	}
	c.reason = strings.TrimSpace(text)
	return c
}

// judge fills in the comment's fault. Dates are compared as text: today must be written like until.
func (c *comment) judge(known map[string]bool, today string) {
	if c.mistaken {
		c.fault = `the comment looks like a suppression and is none, as it does not begin with "ngxlimit:ignore RULE"`
		return
	}
	if len(c.rules) == 0 {
		c.fault = "the suppression names no rule"
		return
	}
	for _, name := range c.rules {
		if !known[name] {
			c.fault = fmt.Sprintf("the suppression names no rule that exists: %q", start(name))
			return
		}
	}
	if c.until != "" {
		if _, err := time.Parse(time.DateOnly, c.until); err != nil {
			c.fault = fmt.Sprintf("the suppression ends on no date: %q is not of the form 2027-01-31", start(c.until))
			return
		}
		if today > c.until {
			c.fault = fmt.Sprintf("the suppression ended on %s and suppresses nothing any more", c.until)
			return
		}
	}
	if c.reason == "" {
		c.fault = "the suppression is not applied, because it gives no reason"
	}
}

// start is as much of a word as a message can hold.
func start(word string) string {
	const most = 80
	if len(word) <= most {
		return word
	}
	return strings.ToValidUTF8(word[:most], "") + "..."
}

// aim finds the line that each comment speaks of: its own where text stands beside it; else the next that is neither
// empty nor a lone comment. It goes backwards, and looks at no line twice: thousands of comments may stand one below the
// other.
func aim(comments []*comment) {
	var below *comment // the lone one found last
	next := 0          // its target; 0 where nothing follows
	for _, c := range slices.Backward(comments) {
		own, end := c.span.From(), c.span.To().Line
		switch {
		case !blank(c.span.File.Line(own.Line)[:own.Column-1]):
			c.target = own.Line
			continue
		case !blank(behind(c.span)):
			c.target = end
			continue
		}
		until := c.span.File.Lines() + 1
		if below != nil && below.span.File == c.span.File && below.span.Start > c.span.Start {
			until = below.span.From().Line + 1
		} else {
			next = 0
		}
		if n := c.lineBelow(end+1, until); n > 0 {
			next = n
		}
		below, c.target = c, next
		if next == 0 {
			c.target = end + 1
		}
	}
}

// behind is what follows a place on its last line.
func behind(s source.Span) string {
	at := s.To()
	return s.File.Line(at.Line)[at.Column-1:]
}

// lineBelow is the first of some lines of the comment's file that is neither empty nor a lone comment; 0 where none is.
func (c *comment) lineBelow(from, until int) int {
	f := c.span.File
	for n := from; n < until; n++ {
		text := f.Line(n)
		if blank(text) {
			continue
		}
		trimmed := strings.TrimLeft(text, " \t")
		if trimmed[0] != '#' && trimmed[0] != '/' {
			return n
		}
		s, ok := commentAt(c.doc, f, f.LineStart(n)+uint32(len(text)-len(trimmed)))
		if !ok {
			return n
		}
		if n = s.To().Line; !blank(behind(s)) {
			return n
		}
	}
	return 0
}

// commentAt is the comment of a document that begins at an offset: a "#" may also stand within a quoted word that runs
// over several lines.
func commentAt(doc *syntax.Document, f *source.File, at uint32) (source.Span, bool) {
	i, ok := slices.BinarySearchFunc(doc.Comments, at, func(c syntax.Comment, at uint32) int { return cmp.Compare(c.Start, at) })
	if !ok {
		return source.Span{}, false
	}
	s := source.Span{File: f, Start: doc.Comments[i].Start, End: doc.Comments[i].End}
	s.End = s.Start + uint32(len(strings.TrimRight(s.Text(), "\r\n")))
	return s, true
}

func blank(s string) bool { return strings.Trim(s, " \t\r") == "" }

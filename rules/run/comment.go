package run

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// A comment is one "# ngxlimit:ignore RULE[,RULE] [until 2027-01-31] reason".
type comment struct {
	span   source.Span
	doc    *syntax.Document // that it stands in
	target int              // the line it speaks of: its own behind text, else the next that holds no lone comment
	rules  []string
	used   []bool // which of the rules held something back
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
	c := &comment{}
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
	c.used = make([]bool, len(c.rules))
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
			c.fault = fmt.Sprintf("the suppression names no rule that exists: %q", name)
			return
		}
	}
	if c.until != "" {
		if _, err := time.Parse(time.DateOnly, c.until); err != nil {
			c.fault = fmt.Sprintf("the suppression ends on no date: %q is not of the form 2027-01-31", c.until)
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

// aim finds the line that each comment speaks of: its own where text stands before it; else the next that is neither
// empty nor a lone comment. It goes backwards, and looks at no line twice: thousands of comments may stand one below the
// other.
func aim(comments []*comment) {
	var below *comment // the lone one found last
	next := 0          // its target; 0 where nothing follows
	for _, c := range slices.Backward(comments) {
		own := c.span.From()
		if !blank(c.span.File.Line(own.Line)[:own.Column-1]) {
			c.target = own.Line
			continue
		}
		until := c.span.File.Lines() + 1
		if below != nil && below.span.File == c.span.File && below.span.Start > c.span.Start {
			until = below.span.From().Line + 1
		} else {
			next = 0
		}
		if n := c.lineBelow(own.Line+1, until); n > 0 {
			next = n
		}
		below, c.target = c, next
		if next == 0 {
			c.target = own.Line + 1
		}
	}
}

// lineBelow is the first of some lines of the comment's file that is neither empty nor a lone comment; 0 where none is.
func (c *comment) lineBelow(from, until int) int {
	f := c.span.File
	for n := from; n < until; n++ {
		text := f.Line(n)
		if blank(text) {
			continue
		}
		if trimmed := strings.TrimLeft(text, " \t"); trimmed[0] == '#' && isComment(c.doc, f, n, len(text)-len(trimmed)) {
			continue
		}
		return n
	}
	return 0
}

// isComment says whether a comment of the document begins at the column (from 0) of the line: a "#" may also stand
// within a quoted word that runs over several lines.
func isComment(doc *syntax.Document, f *source.File, number, column int) bool {
	i := sort.Search(len(doc.Comments), func(i int) bool { return f.Position(doc.Comments[i].Start).Line >= number })
	return i < len(doc.Comments) && f.Position(doc.Comments[i].Start) == source.Position{Line: number, Column: column + 1}
}

func blank(s string) bool { return strings.Trim(s, " \t\r") == "" }

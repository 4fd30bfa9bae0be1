package syntax

import (
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
)

// checkDocument holds what is true of every document, whatever was read.
func checkDocument(t *testing.T, doc *Document) {
	t.Helper()
	c := checker{t: t, doc: doc, size: uint32(len(doc.File.Text))}
	c.list(doc.Directives, 0, c.size)
	last := uint32(0)
	for _, m := range doc.Comments {
		if m.Start < last || m.End <= m.Start || m.End > c.size || doc.File.Text[m.Start] != '#' {
			t.Errorf("comment at [%d, %d)", m.Start, m.End)
			return
		}
		if strings.Contains(doc.File.Text[m.Start:m.End], "\n") {
			t.Errorf("comment at [%d, %d) goes over lines", m.Start, m.End)
		}
		last = m.End
	}
	for _, e := range doc.Errors {
		if e.Span.File != doc.File || e.Span.Start > e.Span.End || e.Span.End > c.size || e.Text == "" {
			t.Errorf("error %q at [%d, %d)", e.Text, e.Span.Start, e.Span.End)
		}
		if e.Line < 1 || e.Line > doc.File.Lines() {
			t.Errorf("error %q at line %d of %d", e.Text, e.Line, doc.File.Lines())
		}
	}
	if len(doc.Errors) > maxErrors+1 {
		t.Errorf("%d errors", len(doc.Errors))
	}
}

type checker struct {
	t    *testing.T
	doc  *Document
	size uint32
}

// list checks directives that must lie, in order, in [from, to).
func (c *checker) list(directives []Directive, from, to uint32) {
	for i := range directives {
		if c.t.Failed() {
			return
		}
		from = c.one(&directives[i], from, to)
	}
}

func (c *checker) one(d *Directive, from, to uint32) (end uint32) {
	words := d.Words()
	code := d.Block != nil && d.Block.Code
	if code {
		words = words[:len(words)-1]
	}
	at := from
	for _, w := range words {
		if w.Start < at || w.End <= w.Start || w.End > to {
			c.t.Errorf("word %q at [%d, %d) outside [%d, %d)", w.Value, w.Start, w.End, at, to)
			return to
		}
		at = w.End
		if want := c.derive(w); w.Value != want {
			c.t.Errorf("word at [%d, %d) is %q, its bytes say %q", w.Start, w.End, w.Value, want)
		}
	}
	if d.File != c.doc.File || d.End < at || d.End > to || d.Head().End != at || d.Span().End != d.End {
		c.t.Errorf("directive %q ends at %d, its words at %d, its head at %d", d.Name().Value, d.End, at, d.Head().End)
		return to
	}
	if d.Block == nil {
		if complete := c.doc.Complete(); complete && c.doc.File.Text[d.End-1] != ';' {
			c.t.Errorf("directive %q ends with %q", d.Name().Value, c.doc.File.Text[d.End-1])
		}
		return d.End
	}
	return c.block(d, to)
}

func (c *checker) block(d *Directive, to uint32) (end uint32) {
	b := d.Block
	if b.Open != d.End-1 || c.doc.File.Text[b.Open] != '{' || b.Close <= b.Open || b.Close > c.size {
		c.t.Errorf("block of %q at [%d, %d]", d.Name().Value, b.Open, b.Close)
		return to
	}
	end = b.Close
	if b.Closed {
		end++
		if c.doc.File.Text[b.Close] != '}' || end > to {
			c.t.Errorf("block of %q closes at %d", d.Name().Value, b.Close)
		}
	} else if c.doc.Complete() || b.Close != c.size {
		c.t.Errorf("block of %q is open up to %d", d.Name().Value, b.Close)
	}
	if b.Code {
		w := d.LastWord()
		if w.Start != b.Open+1 || w.End > b.Close || b.Closed && w.End != b.Close || w.Value != c.doc.File.Text[w.Start:w.End] || b.Directives != nil {
			c.t.Errorf("code of %q at [%d, %d)", d.Name().Value, w.Start, w.End)
		}
		return end
	}
	c.list(b.Directives, b.Open+1, b.Close)
	return end
}

// derive reads a word's value from its bytes once more, in a way of its own: byte by byte.
func (c *checker) derive(w Word) string {
	raw := c.doc.File.Text[w.Start:w.End]
	var value []byte
	i := 0
	if w.Quote != 0 {
		if raw[0] != w.Quote {
			c.t.Errorf("word %q has the quote %q", raw, w.Quote)
		}
		i = 1
	}
	for ; i < len(raw); i++ {
		switch {
		case raw[i] == w.Quote && w.Quote != 0:
			if i != len(raw)-1 {
				c.t.Errorf("quote inside of %q", raw)
			}
		case raw[i] == '\\' && i+1 < len(raw):
			i++
			switch raw[i] {
			case '"', '\'', '\\':
				value = append(value, raw[i])
			case 't':
				value = append(value, '\t')
			case 'r':
				value = append(value, '\r')
			case 'n':
				value = append(value, '\n')
			default:
				value = append(value, '\\', raw[i])
			}
		default:
			value = append(value, raw[i])
		}
	}
	return string(value)
}

func FuzzParse(f *testing.F) {
	for _, c := range allCases() {
		f.Add(c.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		doc := Parse(&source.File{Path: "a.conf", Text: text})
		checkDocument(t, doc)
		if !doc.Complete() || len(text) > bufferSize/4 {
			return // printed words are longer, and may not fit into nginx's buffer
		}
		again := printed(doc.Directives)
		doc2 := Parse(&source.File{Path: "b.conf", Text: again})
		if !doc2.Complete() {
			t.Fatalf("printed: %s at line %d of\n%s", doc2.Errors[0].Text, doc2.Errors[0].Line, again)
		}
		if third := printed(doc2.Directives); third != again {
			t.Errorf("printed\n%s\nand again\n%s", again, third)
		}
	})
}

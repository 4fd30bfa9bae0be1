package syntax

import (
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
)

// TestBounds reads what is too much, and wants a clear error and all that stands before it.
func TestBounds(t *testing.T) {
	t.Run("nesting", func(t *testing.T) {
		text := strings.Repeat("a {\n", 200_000) + strings.Repeat("}\n", 200_000)
		doc := Parse(&source.File{Path: "a.conf", Text: text})
		if len(doc.Errors) != 1 || doc.Errors[0].Line != maxDepth+1 ||
			doc.Errors[0].Text != fmt.Sprintf("blocks nested more than %d deep, the rest of the file is not read", maxDepth) {
			t.Errorf("%d errors, first %v", len(doc.Errors), doc.Errors[:min(1, len(doc.Errors))])
		}
		depth := 0
		for d := doc.Directives; len(d) > 0; d = d[0].Block.Directives {
			depth++
		}
		if depth != maxDepth+1 {
			t.Errorf("%d levels", depth)
		}
	})
	t.Run("nesting that is deep enough", func(t *testing.T) {
		text := strings.Repeat("a {\n", maxDepth) + strings.Repeat("}\n", maxDepth) + "b;"
		doc := Parse(&source.File{Path: "a.conf", Text: text})
		if !doc.Complete() || len(doc.Directives) != 2 {
			t.Errorf("%d directives, errors %v", len(doc.Directives), doc.Errors)
		}
	})
	t.Run("nesting without names", func(t *testing.T) {
		doc := Parse(&source.File{Path: "a.conf", Text: strings.Repeat("{", 200_000)})
		if len(doc.Errors) != maxErrors+1 {
			t.Errorf("%d errors", len(doc.Errors))
		}
	})
	t.Run("errors", func(t *testing.T) {
		doc := Parse(&source.File{Path: "a.conf", Text: strings.Repeat("a; }\n", 1000)})
		if len(doc.Errors) != maxErrors+1 || len(doc.Directives) != maxErrors+1 ||
			doc.Errors[maxErrors].Text != fmt.Sprintf("more than %d errors, the rest of the file is not read", maxErrors) {
			t.Errorf("%d errors, %d directives, last %v", len(doc.Errors), len(doc.Directives), doc.Errors[len(doc.Errors)-1])
		}
		checkDocument(t, doc)
	})
	t.Run("words", func(t *testing.T) {
		file := &source.File{Path: "a.conf", Text: "a b c;\nd e f g;\nh;\n"}
		p := newParser(file)
		p.parts = maxParts - 5
		doc := p.document()
		if got := printed(doc.Directives); got != "a b c; d e f;" || len(doc.Errors) != 1 || doc.Errors[0].Line != 2 {
			t.Errorf("%s, errors %v", got, doc.Errors)
		}
		checkDocument(t, doc)
	})
	t.Run("words without blanks", func(t *testing.T) {
		p := newParser(&source.File{Path: "a.conf", Text: strings.Repeat("a;", 100)})
		p.parts = maxParts - 5
		if doc := p.document(); len(doc.Directives) != 6 || len(doc.Errors) != 1 {
			t.Errorf("%d directives, errors %v", len(doc.Directives), doc.Errors)
		}
	})
	t.Run("one long line", func(t *testing.T) {
		text := "http { server { server_name " + strings.Repeat("www.example.com ", 1<<16) + "; } }"
		doc := Parse(&source.File{Path: "a.conf", Text: text})
		if !doc.Complete() || doc.Directives[0].Block.Directives[0].Block.Directives[0].NumArgs() != 1<<16 {
			t.Errorf("errors %v", doc.Errors)
		}
		checkDocument(t, doc)
	})
}

// TestWordsShareText holds that a word without escapes is a part of the file's text, and no copy.
func TestWordsShareText(t *testing.T) {
	text := generated(50)
	allocated := testing.AllocsPerRun(5, func() { Parse(&source.File{Path: "a.conf", Text: text}) })
	if allocated > 60 {
		t.Errorf("%v allocations for %d bytes", allocated, len(text))
	}
}

// TestSizes holds what a large configuration costs: it has hundreds of thousands of these.
func TestSizes(t *testing.T) {
	if n := unsafe.Sizeof(Directive{}); n > 32 {
		t.Errorf("a directive takes %d bytes", n)
	}
	if n := unsafe.Sizeof(word{}); n > 8 {
		t.Errorf("a word takes %d bytes", n)
	}
}

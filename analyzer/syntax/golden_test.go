package syntax

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
)

var update = flag.Bool("update", false, "write the expected files anew; commit only what is understood")

// TestGolden compares all that is read of whole files, places included, with the files beside them.
func TestGolden(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.conf")
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) == 0 {
		t.Fatal("no files")
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			doc := Parse(&source.File{Path: path, Text: string(text)})
			checkDocument(t, doc)
			got := golden(doc)
			expected := strings.TrimSuffix(path, ".conf") + ".golden"
			if *update {
				if err := os.WriteFile(expected, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(expected)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), got); d != "" {
				t.Errorf("(-expected +read):\n%s", d)
			}
		})
	}
}

// golden writes one line for each directive, brace, comment and error: its place and what is there.
func golden(doc *Document) string {
	var b strings.Builder
	goldenList(&b, doc, doc.Directives, "")
	for _, c := range doc.Comments {
		fmt.Fprintf(&b, "comment %s %q\n", place(doc, c.Start), doc.File.Text[c.Start:c.End])
	}
	for _, e := range doc.Errors {
		fmt.Fprintf(&b, "error line %d: %s; look at %s %q\n", e.Line, e.Text, place(doc, e.Span.Start), e.Span.Text())
	}
	return b.String()
}

func goldenList(b *strings.Builder, doc *Document, directives []Directive, indent string) {
	for i := range directives {
		d := &directives[i]
		fmt.Fprintf(b, "%s%s %s", indent, place(doc, d.Name().Start), goldenWord(d.Name()))
		for _, a := range d.Args() {
			fmt.Fprintf(b, " %s@%s", goldenWord(a), place(doc, a.Start))
		}
		fmt.Fprintf(b, " to %s\n", place(doc, d.End))
		if d.Block == nil {
			continue
		}
		goldenList(b, doc, d.Block.Directives, indent+"  ")
		end := "}"
		if !d.Block.Closed {
			end = "end of text"
		}
		fmt.Fprintf(b, "%s%s %s\n", indent, place(doc, d.Block.Close), end)
	}
}

// goldenWord shows the value, and the kind of quotes it stood in.
func goldenWord(w Word) string {
	if w.Quote == 0 && fmt.Sprintf("%q", w.Value) == `"`+w.Value+`"` {
		return w.Value
	}
	return fmt.Sprintf("%q", w.Value) + strings.Trim(string(rune(w.Quote)), "\x00")
}

func place(doc *Document, offset uint32) string {
	p := doc.File.Position(offset)
	return fmt.Sprintf("%d:%d", p.Line, p.Column)
}

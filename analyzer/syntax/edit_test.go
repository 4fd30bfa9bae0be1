package syntax

import (
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
)

func TestInsertLines(t *testing.T) {
	lines := []string{"a 1;", "a 2;"}
	for _, tt := range []struct{ name, text, want string }{
		{"own line", "http {\n    a 0;\n    b;\n}\n", "http {\n    a 0;\n    a 1;\n    a 2;\n    b;\n}\n"},
		{"comment behind", "http {\n\ta 0; # first\n}\n", "http {\n\ta 0; # first\n\ta 1;\n\ta 2;\n}\n"},
		{"something behind", "http {\n    a 0; b;\n}\n", "http {\n    a 0; a 1; a 2; b;\n}\n"},
		{"something before", "http { a 0;\n}\n", "http { a 0; a 1; a 2;\n}\n"},
		{"carriage returns", "http {\r\n  a 0;\r\n}\r\n", "http {\r\n  a 0;\r\n  a 1;\r\n  a 2;\r\n}\r\n"},
		{"at the end", "a 0;", "a 0;\na 1;\na 2;"},
		{"spaces behind", "http {\n  a 0;  \n}", "http {\n  a 0;  \n  a 1;\n  a 2;\n}"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			doc := Parse(&source.File{Path: "f", Text: tt.text})
			d := &doc.Directives[0]
			if d.Block != nil {
				d = &d.Block.Directives[0]
			}
			e := d.InsertLines(lines)
			if got := tt.text[:e.Span.Start] + e.Text + tt.text[e.Span.End:]; got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

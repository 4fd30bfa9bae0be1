package syntax

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
)

// A grammarCase is one spelling with its tree or its errors. Several judges run over the same table: this reader, the
// tree printed and read again, the installed nginx, gonginx, and the fuzz target that starts from it. The texts use
// directives that nginx takes with any words (env, server_name, types), so that nginx gets to the grammar.
type grammarCase struct {
	name    string
	text    string
	tree    string   // printed; behind an error, what is read in spite of it
	errors  []string // "line: words | bytes to look at"
	gonginx string   // how gonginx differs; "" where it agrees
}

const (
	// What gonginx is known to do otherwise.
	keepsEscapes = "keeps escapes in the value"
	readsOn      = "accepts what nginx refuses"
	refusesValid = "refuses what nginx accepts"
	splitsWords  = "splits words otherwise"
)

func long(n int) string { return strings.Repeat("y", n) }

var grammarCases = []grammarCase{
	// Words.
	{name: "empty"},
	{name: "blank", text: " \t\r\n\n"},
	{name: "simple", text: "env a;", tree: "env a;"},
	{name: "no blanks", text: "env a;env b;", tree: "env a; env b;"},
	{name: "blanks of every kind", text: "env\ta\r\n;\r\nenv\n\n  b ;", tree: "env a; env b;"},
	{name: "arguments over lines", text: "http { server { server_name a\n b\n c; } }", tree: "http { server { server_name a b c; } }"},
	{name: "vertical tab and form feed are no blanks", text: "env a\vb\fc;", tree: "env \"a\vb\fc\";"},
	{name: "no-break space is no blank", text: "env a\u00a0b;", tree: "env \"a\u00a0b\";"},
	{name: "any bytes", gonginx: refusesValid, text: "env \xff\xfe\x00\x01;", tree: "env \"\xff\xfe\x00\x01\";"},
	{name: "quote inside a word", text: `env a"b'c;`, tree: `env "a\"b'c";`},
	{name: "sharp inside a word", text: "env a#b;", tree: `env "a#b";`},
	{name: "closing brace inside a word", gonginx: refusesValid, text: "env a}b;", tree: `env "a}b";`},
	{name: "closing brace ends no word", gonginx: refusesValid, text: "http { server { server_name a}; } }", tree: `http { server { server_name "a}"; } }`},
	{name: "word of 4095 bytes", text: "env " + long(4095) + ";", tree: "env " + long(4095) + ";"},
	{name: "name in quotes", text: `"env" 'a';`, tree: "env a;"},
	{name: "byte order mark is a part of the name", text: "\ufeffenv a;", tree: "\"\ufeffenv\" a;"},
	{name: "byte order mark before a comment", text: "\ufeff# a\nenv b;", tree: "\"\ufeff#\" a env b;"},

	// Comments.
	{name: "comment", text: "# ; { } \" \\\nenv a; # b", tree: "env a;"},
	{name: "comment between words", text: "env # ; }\n a;", tree: "env a;"},
	{name: "comment without end", text: "env a; #", tree: "env a;"},
	{name: "comment goes on behind a carriage return", gonginx: splitsWords, text: "#\renv a;\nenv b;", tree: "env b;"},
	{name: "comment is not continued", text: "# a \\\nenv b;", tree: "env b;"},
	{name: "comment of 4095 bytes", text: "#" + strings.Repeat("c", 4094) + "\nenv a;", tree: "env a;"},
	{name: "long comment at the end", text: "env a;\n#" + strings.Repeat("c", 4095), tree: "env a;"},

	// Quotes and escapes.
	{name: "quoted", text: `env "a b"; env 'c "d" e';`, tree: `env "a b"; env "c \"d\" e";`},
	{name: "quoted over lines", text: "env \"a\nb\";\nenv c;", tree: "env \"a\nb\"; env c;"},
	{name: "empty quotes", text: `http { map "" $x { "" ''; } }`, tree: `http { map "" $x { "" ""; } }`},
	{name: "escapes in quotes", gonginx: keepsEscapes, text: `env "a\"b\'c\\d\te\rf\ng\hi\.";`, tree: "env \"a\\\"b'c\\\\d\te\rf\ng\\\\hi\\\\.\";"},
	{name: "escapes without quotes", gonginx: keepsEscapes, text: `env a\"b\'c\\d\te\ng\.\d;`, tree: "env \"a\\\"b'c\\\\d\te\ng\\\\.\\\\d\";"},
	{name: "escaped blank joins", gonginx: keepsEscapes, text: "env a\\ b\\\nc;", tree: "env \"a\\\\ b\\\\\nc\";"},
	{name: "escaped terminators", gonginx: refusesValid, text: `env a\;b\{c\};`, tree: `env "a\\;b\\{c\\}";`},
	{name: "escape first", gonginx: keepsEscapes, text: `env \"a; env \#b; env \;;`, tree: `env "\"a"; env "\\#b"; env "\\;";`},
	{name: "quote behind an escaped backslash", gonginx: refusesValid, text: `env "a\\"; env b;`, tree: `env "a\\"; env b;`},
	{name: "block behind a quote", text: `http { server { location "/a"{ } location '/b' { } } }`, tree: `http { server { location /a { } location /b { } } }`},
	{name: "parenthesis behind a quote", text: `http { server { if ($uri = "a"){ } if ($uri = "b") { } } }`, tree: `http { server { if ($uri = a ) { } if ($uri = b ) { } } }`},
	{name: "quoted of 4094 bytes", text: "env \"" + long(4094) + "\";", tree: "env " + long(4094) + ";"},
	{
		name: "last word of the file, quoted, of 4095 bytes", text: "env \"" + long(4095) + "\"", tree: "env " + long(4095) + ";",
		errors: []string{`1: unexpected end of file, expecting ";" or "}" | "` + long(4095) + `"`},
	},

	// Variables.
	{name: "variable in braces", text: "env ${a}b;", tree: `env "${a}b";`},
	{name: "variable inside a word", text: "env a${b}c${d};", tree: `env "a${b}c${d}";`},
	{name: "several braces behind a dollar", text: "env ${{{a};", tree: `env "${{{a}";`},
	{name: "dollar at the end of a word", text: "http { server { location ~ a$ { } } }", tree: "http { server { location ~ a$ { } } }"},
	{name: "escaped dollar opens no variable", gonginx: refusesValid, text: `http { server { location ~ a\${ } } }`, tree: `http { server { location ~ "a\\$" { } } }`},
	{name: "dollar in quotes", text: `env "${a}$"; env "${";`, tree: `env "${a}$"; env "${";`},

	// Blocks.
	{name: "nested", text: "http{server{location /{}}}", tree: "http { server { location / { } } }"},
	{
		name: "entries of a map", text: "http { map $uri $x { hostnames; default 0; ~^/a\\.b$ 1; \"a b\" '2'; } }",
		tree: `http { map $uri $x { hostnames; default 0; "~^/a\\.b$" 1; "a b" 2; } }`,
	},
	{name: "brace ends a word", text: "http { server { server_name a; location /{ } } }", tree: "http { server { server_name a; location / { } } }"},
	{
		name: "bound of a regex without quotes opens a block", text: "http { server { location ~ /a{3}$ { } } }",
		tree:   "http { server { location ~ /a { \"3}$\" { } } } }",
		errors: []string{`1: unexpected end of file, expecting "}" | {`},
	},
	{
		name: "missing semicolon takes the next directive in", text: "http { server { server_name a\n server_name b; } }",
		tree: "http { server { server_name a server_name b; } }",
	},
}

// described says what a document has, in the form of the table.
func described(doc *Document) (tree string, errors []string) {
	for _, e := range doc.Errors {
		errors = append(errors, fmt.Sprintf("%d: %s | %s", e.Line, e.Text, e.Span.Text()))
	}
	return printed(doc.Directives), errors
}

func TestGrammar(t *testing.T) {
	for _, c := range allCases() {
		t.Run(c.name, func(t *testing.T) {
			doc := Parse(&source.File{Path: "a.conf", Text: c.text})
			tree, errors := described(doc)
			if c.tree != tree {
				t.Errorf("tree\n%s\nexpected\n%s", tree, c.tree)
			}
			if d := cmp.Diff(c.errors, errors); d != "" {
				t.Errorf("errors (-expected +read):\n%s", d)
			}
			checkDocument(t, doc)
		})
	}
}

// TestUnclosed holds that indentation tells which block lacks its "}".
func TestUnclosed(t *testing.T) {
	for text, head := range map[string]string{
		"http {\n  server {\n":      "server {",
		"http {\n  server {\n  }\n": "http {",
		"http {\n  server {\n    location /a {\n  }\n  server {\n  }\n}\n":     "location /a {",
		"http {\n\tserver {\n\t\tlocation /a {\n\t\t}\n\tserver {\n\t}\n}\n":   "server {\n\t\tlocation",
		"http {\n    server {\n      location ~ /a{2}$ {\n      }\n    }\n}\n": "location ~ /a{",
		"http { server { location /a { } }\n":                                  "http {",
		"http {\n server { location /a { }\n}\n":                               "server {",
	} {
		doc := Parse(&source.File{Path: "a.conf", Text: text})
		if len(doc.Errors) != 1 {
			t.Errorf("%q: errors %v", text, doc.Errors)
			continue
		}
		want := strings.Index(text, head) + strings.IndexByte(head, '{')
		if got := int(doc.Errors[0].Span.Start); got != want {
			t.Errorf("%q: looks at offset %d, expected %d", text, got, want)
		}
	}
}

func allCases() []grammarCase {
	return slices.Concat(grammarCases, refusedCases, luaCases)
}

package syntax

import "strings"

// refusedCases are what nginx refuses, and what is read in spite of it.
var refusedCases = []grammarCase{
	// Braces and semicolons.
	{name: "stray closing brace", gonginx: readsOn, text: "env a;\n}\nenv b;", tree: "env a; env b;", errors: []string{`2: unexpected "}" | }`}},
	{name: "stray closing braces", gonginx: readsOn, text: "}\n}env a;", tree: "env a;", errors: []string{`1: unexpected "}" | }`, `2: unexpected "}" | }`}},
	{name: "stray semicolon", gonginx: readsOn, text: "env a;;\nenv b;", tree: "env a; env b;", errors: []string{`1: unexpected ";" | ;`}},
	{name: "semicolon behind a block", gonginx: readsOn, text: "events { };\nenv b;", tree: "events { } env b;", errors: []string{`1: unexpected ";" | ;`}},
	{name: "block without a name", gonginx: readsOn, text: "http { { server { } }\n}\nenv a;", tree: "http { server { } } env a;", errors: []string{`1: unexpected "{" | {`}},
	{
		name: "missing semicolon before the end of a block", text: "http {\nserver {\nserver_name a\n}\n}\nenv b;", tree: "http { server { server_name a; } } env b;",
		errors: []string{`4: unexpected "}" | a`},
	},
	{
		name: "missing semicolon, quoted", text: "http { server { server_name \"a\"} }\nenv b;", tree: "http { server { server_name a; } } env b;",
		errors: []string{`1: unexpected "}" | "a"`},
	},
	{name: "missing semicolon before a stray brace", text: "env a\n}\nenv b;", tree: "env a; env b;", errors: []string{`2: unexpected "}" | a`}},
	{
		name: "missing semicolon at the end", text: "env a;\nenv b # c\n\n", tree: "env a; env b;",
		errors: []string{`4: unexpected end of file, expecting ";" or "}" | b`},
	},
	{
		name: "missing semicolon at the end of a block", text: "http { server { server_name a", tree: "http { server { server_name a; } }",
		errors: []string{`1: unexpected end of file, expecting ";" or "}" | a`},
	},
	{name: "escape at the end", text: `env a\`, tree: `env "a\\";`, errors: []string{`1: unexpected end of file, expecting ";" or "}" | a\`}},
	{name: "missing closing brace", text: "http {\n  server {\n  }\n", tree: "http { server { } }", errors: []string{`4: unexpected end of file, expecting "}" | {`}},
	{
		name: "missing closing brace of an inner block", text: "http {\n  server {\n    server_name a;\n    location /a {\n  }\n}\n", tree: "http { server { server_name a; location /a { } } }",
		errors: []string{`7: unexpected end of file, expecting "}" | {`},
	},

	// What follows a closing quote.
	{name: "word behind a quote", gonginx: readsOn, text: `env "a"b;` + "\nenv c;", tree: "env a b; env c;", errors: []string{`1: unexpected "b" | b`}},
	{name: "quote behind a quote", gonginx: readsOn, text: `env "a""b";`, tree: "env a b;", errors: []string{`1: unexpected """ | "`}},
	{name: "comment behind a quote", gonginx: readsOn, text: "env \"a\"#b\n;", tree: "env a;", errors: []string{`1: unexpected "#" | #`}},
	{name: "any byte behind a quote", gonginx: readsOn, text: "env \"a\"\xff;", tree: "env a \"\xff\";", errors: []string{"1: unexpected \"\xff\" | \xff"}},
	{name: "parenthesis behind a quote starts a word", text: `http { server { server_name "a")b; } }`, tree: "http { server { server_name a )b; } }"},

	// Quotes that are not closed.
	{name: "quote without end", text: "env a;\nenv \"b;", tree: `env a; env "b;";`, errors: []string{`2: unexpected end of file, expecting ";" or "}" | "b;`}},
	{name: "forgotten quote", text: "env \"a;\nenv b;\nenv c;\n", tree: "env a; env b; env c;", errors: []string{`4: unexpected end of file, expecting ";" or "}" | "a;`}},
	{name: "forgotten quote, closed by the next", gonginx: readsOn, text: "env \"a;\nenv \"b\";\nenv c;\n", tree: "env a; env b; env c;", errors: []string{`2: unexpected "b" | "`}},
	{
		name: "forgotten quote before a block", text: "http { server { location \"/a {\n} server_name 'b'; } }\nenv c;", tree: "http { server { location /a { } server_name b; } } env c;",
		errors: []string{`3: unexpected end of file, expecting ";" or "}" | "/a {`},
	},
	{
		name: "forgotten quote in a long file", text: "env \"a;\nenv " + long(4000) + ";\nenv " + long(100) + ";\n", tree: "env a; env " + long(4000) + "; env " + long(100) + ";",
		errors: []string{`1: too long parameter, probably missing terminating """ character | "a;`},
	},

	// What fills nginx's buffer.
	{name: "word of 4096 bytes", text: "env\n" + long(4096) + ";\nenv b;", tree: "env " + long(4096) + "; env b;", errors: []string{`2: too long parameter "yyyyyyyyyy..." started | ` + long(4096)}},
	{name: "word of 4095 bytes and a blank", text: "env\n" + long(4095) + " ;\nenv b;", tree: "env " + long(4095) + "; env b;", errors: []string{`2: too long parameter "yyyyyyyyyy..." started | ` + long(4095) + " "}},
	{name: "quoted of 4095 bytes", text: "env \"" + long(4095) + "\";\nenv b;", tree: "env " + long(4095) + "; env b;", errors: []string{`1: too long parameter "yyyyyyyyyy..." started | ` + long(4095) + `"`}},
	{name: "quoted of 4096 bytes", text: "env '" + long(4096) + "';\nenv b;", tree: "env " + long(4096) + "; env b;", errors: []string{`1: too long parameter, probably missing terminating "'" character | '` + long(4096)}},
	{name: "quoted of 20000 bytes is one error", text: "env '" + long(20000) + "';\nenv b;", tree: "env " + long(20000) + "; env b;", errors: []string{`1: too long parameter, probably missing terminating "'" character | '` + long(4096)}},
	{name: "comment of 4096 bytes", text: "env a;\n# " + strings.Repeat("c", 4094) + "\nenv b;", tree: "env a; env b;", errors: []string{`2: too long parameter "# cccccccc..." started | # ` + strings.Repeat("c", 4094)}},
	{
		name: "two long words", text: "env " + long(5000) + ";\nenv\n" + long(5000) + ";", tree: "env " + long(5000) + "; env " + long(5000) + ";",
		errors: []string{`1: too long parameter "yyyyyyyyyy..." started | ` + long(4096), `3: too long parameter "yyyyyyyyyy..." started | ` + long(4096)},
	},

	// Template languages.
	{
		name: "tag of a template", text: "{{ range .Hosts }}\nenv a;\n{{ end }}\n{% if x %}\nenv b;\n{# c #}\n", tree: "env a; env b;",
		errors: []string{`1: unexpected "{" | {`, `3: unexpected "{" | {`, `4: unexpected "{" | {`, `6: unexpected "{" | {`},
	},
	{name: "braces that are no tag", gonginx: readsOn, text: "{{\nenv a; }\n}\nenv b;", tree: "env a; env b;", errors: []string{`1: unexpected "{" | {`, `1: unexpected "{" | {`}},
}

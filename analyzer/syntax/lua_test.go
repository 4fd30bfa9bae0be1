package syntax

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
)

// luaModules returns the lines that load the Lua module into nginx, and skips the test where it is not installed.
func luaModules(t *testing.T) string {
	t.Helper()
	out, err := exec.Command(nginxtest.Binary(t), "-V").CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`--modules-path=(\S+)`).FindSubmatch(out)
	if m == nil {
		t.Skip("this nginx loads no modules")
	}
	var lines strings.Builder
	for _, name := range []string{"ndk_http_module.so", "ngx_http_lua_module.so"} {
		path := filepath.Join(string(m[1]), name)
		if _, err := os.Stat(path); err != nil {
			t.Skipf("no %s beside nginx", name)
		}
		fmt.Fprintf(&lines, "load_module %s;\n", path)
	}
	return lines.String()
}

func TestLuaCasesByNginx(t *testing.T) {
	j := newJudge(t)
	modules := luaModules(t) + "events {}\n"
	for _, c := range luaCases {
		text := modules + c.text
		message, line := j.ask(text)
		j.kinds[kindOf(message)]++
		if d := differs(Parse(&source.File{Path: "a.conf", Text: text}), message, line); d != "" {
			t.Errorf("%s: nginx line %d: %q; own %s", c.name, line, message, d)
		}
	}
	t.Logf("%v", j.kinds)
}

// TestLuaByNginx puts random code into blocks and lets the Lua module say where they end: behind the block stands a
// directive that nginx refuses, with its line.
func TestLuaByNginx(t *testing.T) {
	j := newJudge(t)
	modules := luaModules(t)
	n, random := nginxtest.Cases(t, 40), nginxtest.Random(t)
	pieces := []string{"{", "}", "{", "}", "\"", "'", "\\", "\n", "\r\n", "-", "--", "--[[", "--[=[", "[[", "[=[", "]]", "]=]", "[", "]", "=", "a", " ", "\"a}\"", "'{b'", "\\\"", "-- } \n", "\x00", "\xff"}
	differences := 0
	for range n {
		var b strings.Builder
		b.WriteString(modules + "events {}\nhttp {\nserver {\n")
		if random.IntN(2) == 0 { // shift the buffer
			b.WriteString(strings.Repeat("#"+strings.Repeat("p", random.IntN(1000))+"\n", random.IntN(9)))
		}
		for i := range 1 + random.IntN(3) {
			fmt.Fprintf(&b, "location ~ %d { content_by_lua_block {x", i)
			for range random.IntN(12) {
				if random.IntN(8) == 0 {
					b.WriteString(strings.Repeat(string("ab \n-\""[random.IntN(6)]), 500+random.IntN(4000)))
				}
				b.WriteString(pieces[random.IntN(len(pieces))])
			}
			b.WriteString("}\n}\n")
		}
		b.WriteString("unknown\n\n;\n}}\n")
		text := b.String()
		doc := Parse(&source.File{Path: "a.conf", Text: text})
		message, line := j.ask(text)
		j.kinds[kindOf(message)]++
		if d := differs(doc, message, line); d != "" {
			t.Errorf("nginx line %d: %q; own %s\n%q", line, message, d, text)
			if differences++; differences == 10 {
				t.Fatal("too many differences")
			}
		}
	}
	t.Logf("%v", j.kinds)
}

// differs compares nginx's refusal with a document: with its first error, or, where nginx refuses a directive, with the
// directives that end on that line.
func differs(doc *Document, message string, line int) string {
	own := Error{Line: doc.File.Lines() + 1}
	if !doc.Complete() {
		own = doc.Errors[0]
	}
	if message == "" && doc.Complete() {
		return ""
	}
	if message == "" || grammarMessage.MatchString(message) {
		if own.Line != line || own.Text != message {
			return fmt.Sprintf("line %d: %q", own.Line, own.Text)
		}
		return ""
	}
	var names []string
	miscounts := false // the module forgets to count the lines of code that fills its buffer without a token
	var visit func([]Directive)
	visit = func(directives []Directive) {
		for i := range directives {
			d := &directives[i]
			if at := doc.File.Position(d.End - 1).Line; at == line || at > line && miscounts {
				names = append(names, d.Name().Value)
			}
			if d.Block != nil && d.Block.Code && d.Block.Close-d.Block.Open > bufferSize/2 {
				miscounts = true
			}
			if d.Block != nil {
				visit(d.Block.Directives)
			}
		}
	}
	visit(doc.Directives)
	name, unknown := strings.CutPrefix(message, "unknown directive \"")
	for _, n := range names {
		n, _, _ = strings.Cut(n, "\x00") // nginx writes no more of it
		if own.Line >= line && (!unknown || n+`"` == name || len(name) > 500 && strings.HasPrefix(n, name)) {
			return ""
		}
	}
	return fmt.Sprintf("line %d: %q; directives on nginx's line: %q", own.Line, own.Text, names)
}

func kindOf(message string) string {
	if grammarMessage.MatchString(message) {
		return strings.SplitN(message, `"`, 2)[0]
	}
	return "unknown directive"
}

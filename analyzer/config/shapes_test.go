package config

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
)

// Blocks of entries, and what else may go wrong with the shape of a block: each is the inside of http.
var shapeCases = []string{
	`map $uri $x { a { b c; } }`,
	`split_clients $uri $x{* c;90% f;* c }x% e}`,
	`split_clients $uri $x{* c;90% f;* c; }`,
	`map $uri { a 1; }`,
	`map $uri $x $y { a 1; }`,
	`map $uri $x;`,
	`map $uri $x { a; }`,
	`map $uri $x { a b c; }`,
	`map $uri $x { { } }`,
	"map $uri $x { a b;\n c {\n d e; }\n }",
	"map $uri $x { a b;\n c\n d {\n d e; }\n }",
	`map $uri $x { hostnames x; }`,
	`map $uri $x { default; }`,
	`map $uri $x { include; }`,
	`map $uri $x { include a b; }`,
	`map $uri $x { ; }`,
	`map $uri $x { a b; }}`,
	`geo $x { a { b c; } }`,
	`geo { a 1; }`,
	`geo $uri $x $y { }`,
	`geo $x { default; }`,
	`geo $x { 10.0.0.0/8 1 2; }`,
	`geo $x { ranges 1; }`,
	`geo $x { ranges; }`,
	`geo $x { proxy; }`,
	`geo $x { delete; }`,
	`geo $x { delete 10.0.0.0/8; }`,
	`geo $x { include; }`,
	`split_clients $uri { * 1; }`,
	`split_clients $uri $x { * 1 { } }`,
	`split_clients $uri $x { *; }`,
	`split_clients $uri $x { 10% 1 2; }`,
	`split_clients $uri $x { 10% { } }`,
	`split_clients $uri $x $y { }`,
	`types { a { b c; } }`,
	`types { a; }`,
	`types x { a b; }`,
	`types { a b { } }`,
	`types;`,
	`types { include a b; }`,
	`types { include; }`,
	`types { a/b c; a/d c; }`,
	`upstream { server 127.0.0.1; }`,
	`upstream a b { server 127.0.0.1; }`,
	`upstream a { server 127.0.0.1 { } }`,
	`upstream a { server; }`,
	`upstream a { x y; }`,
	`upstream a { x { } }`,
	`upstream a { keepalive; server 127.0.0.1; }`,
	`upstream a { server 127.0.0.1 weight=x; }`,
	`upstream a;`,
	`upstream a { }`,
	`upstream a { server { listen 1; } }`,
	`charset_map a { 80 e2; }`,
	`charset_map a b { 80 e2 { } }`,
	`charset_map a b { 80; }`,
	`charset_map a b { 80 e2 e3; }`,
	`charset_map a b { 8x e2; }`,
	`charset_map a b { 80 zz; }`,
	`charset_map a b { 100 e2; }`,
	`charset_map a b { 80 e2e2e2e2e2e2; }`,
	`charset_map a a { 80 e2; }`,
	`charset_map a b { 80 e2; } charset_map a b { 80 e2; }`,
	`charset_map utf-8 b { 80 e2; }`,
	`charset_map b utf-8 { 80 E282AC; }`,
	`charset_map b utf-8 { 80 ; }`,
	`charset_map a b { include x y; }`,
	`server { listen 127.0.0.1:18801; location / { limit_except { } } }`,
	`server { listen 127.0.0.1:18801; location / { limit_except GET; } }`,
	`server { listen 127.0.0.1:18801; location / { limit_except GET { x { } } } }`,
	`server { listen 127.0.0.1:18801; location / { limit_except GET { deny; } } }`,
	`server { listen 127.0.0.1:18801; location / { limit_except GET { deny all { } } } }`,
	`server { listen 127.0.0.1:18801; location / { limit_except GET { limit_except GET { } } } }`,
	`server { listen 127.0.0.1:18801; location / { if { } } }`,
	`server { listen 127.0.0.1:18801; location / { if ($uri); } }`,
	`server { listen 127.0.0.1:18801; location / { if ($uri) { x { } } } }`,
	`server { listen 127.0.0.1:18801; location / { if ($uri) { set $a { } } } }`,
	`server { listen 127.0.0.1:18801; location / { if ($uri) { return; } } }`,
	`server { listen 127.0.0.1:18801; if ($uri) { location / { } } }`,
	`map $uri $x { a {`,
	`map $uri $x { a b`,
	`map $uri $x { "a"b c; }`,
	`map $uri $x { a b; } x`,
	"types { a b b; }\n types { c b; }",
	"charset_map a b { 80 e2;\n 80 e3; }",
	`server { listen 127.0.0.1:18801; types { a b; } types { a b; } location / { types { x b; y b; } } }`,
}

func TestShapesAgainstNginx(t *testing.T) {
	binary := nginxtest.Binary(t)
	for _, text := range shapeCases {
		if diff := compare(t, binary, head+text+"\n}\n"); diff != "" {
			t.Errorf("%s\n%s", text, diff)
		}
	}
}

// TestRandomShapesAgainstNginx puts small blocks together whose words are the wrong number, or end in another way.
func TestRandomShapesAgainstNginx(t *testing.T) {
	binary, random := nginxtest.Binary(t), nginxtest.Random(t)
	failed := 0
	for i := range nginxtest.Cases(t, 60) {
		w := &shaper{Rand: random}
		w.shape()
		diff := compare(t, binary, head+w.String()+"\n}\n")
		if diff != "" && !strings.Contains(diff, "host not found") { // names are not looked for here
			t.Errorf("case %d:\n%s\n%s", i, w.String(), diff)
			if failed++; failed == 5 {
				break
			}
		}
	}
}

// A shaper writes one block.
type shaper struct {
	*rand.Rand
	strings.Builder
}

func (w *shaper) pick(of ...string) string { return of[w.IntN(len(of))] }

// rarely says yes once in n times.
func (w *shaper) rarely(n int) bool { return w.IntN(n) == 0 }

// shapes are the heads of blocks, and the lines that may stand in them.
var shapes = []struct {
	head, lines []string
	within      bool // of a location
}{
	{[]string{"map", "$uri", "$x"}, []string{"a b", "default 1", "hostnames", "volatile", "~^x y", "b $host", `"" c`, `\a d`, "*.e f", "default 2", "a g", "hostnames x"}, false},
	{[]string{"geo", "$x"}, []string{"default 1", "10.0.0.0/8 a", "ranges", "10.0.0.1-10.0.0.9 b", "delete 10.0.0.0/8", "proxy_recursive", "::1 c", "x y", "default 2"}, false},
	{[]string{"geo", "$arg_a", "$x"}, []string{"ranges", "10.0.0.1-10.0.0.9 b", "10.0.0.9-10.0.0.1 b", "10.0.0.5-10.0.0.6 c", "default x", "delete 10.0.0.5-10.0.0.6", "1 2"}, false},
	{[]string{"split_clients", "$uri", "$x"}, []string{"10% a", "20.5% b", "* c", "0.001% d", "x% e", "90% f", "0% g", "100% h"}, false},
	{[]string{"types"}, []string{"a/b c d", "e/f c", "g", "h/i j"}, false},
	{[]string{"charset_map", "a", "b"}, []string{"80 e2", "0x1 2", "1 2", "zz 1", "1 zz", "100 1", "ff 1ff"}, false},
	{[]string{"charset_map", "koi8-r", "utf-8"}, []string{"80 E282AC", "1 2", "81 D0", "82 E282ACE282", "82 E28", "100 D0"}, false},
	{[]string{"upstream", "u"}, []string{"server 127.0.0.1", "server 127.0.0.2 weight=2", "keepalive 4", "server", "least_conn", "ip_hash", "random two", "server 127.0.0.4 backup", "server unix:", "server unix:/a-b:c", "server [::1]", "server 127.0.0.1:0", "server [::1]:x", "server :80", "server 127.0.0.1:1-2", "server a/b", "server 127", "zone u 1m", "x", "server 127.0.0.3 weight=x", "down"}, false},
	{[]string{"limit_except", "GET"}, []string{"deny all", "allow 127.0.0.1", "x", "deny", "satisfy any", "deny 10.0.0.1/8", "allow unix:", "allow ::1/x", "deny a.example"}, true},
	{[]string{"if", "($uri)"}, []string{"set $a 1", "return 200", "return", "set $b", "x y", "break", "rewrite ^ /x"}, true},
	{[]string{"types"}, []string{"a/b c d", "e/f c", "g"}, true},
}

func (w *shaper) shape() {
	s := shapes[w.IntN(len(shapes))]
	if s.within {
		w.WriteString("server { listen 127.0.0.1:18801;\nlocation / {\n")
	}
	w.WriteString(s.head[0])
	for _, word := range s.head[1:] {
		switch w.IntN(24) {
		case 0, 1:
		case 2:
			w.WriteString(w.pick(" $nothing", " x", " $1", ` ""`, " $"))
		default:
			w.WriteString(" " + word)
		}
	}
	if w.rarely(12) {
		w.WriteString(w.pick(" $y", " x", "\ny"))
	}
	if w.rarely(15) {
		w.WriteString(w.pick(";", " } ", "{{"))
	}
	w.WriteString(w.pick(" {", " {\n", "{"))
	for range w.IntN(5) {
		w.line(s.lines)
	}
	w.WriteString("}")
	if s.within {
		w.WriteString("\n}\n}")
	}
}

// line writes one line of a block, at times with too many words or too few, or with another end.
func (w *shaper) line(lines []string) {
	line := w.pick(lines...)
	switch w.IntN(14) {
	case 0:
		line += w.pick(" x", " x y", "\nx", ` ""`)
	case 1:
		line, _, _ = strings.Cut(line, " ")
	case 2:
		line = w.pick("include", "include a b", "default", "", `"a"b c`, "a 'b'c", "$", "${", "{ }")
	}
	w.WriteString(line + w.ending())
}

func (w *shaper) ending() string {
	if w.rarely(10) {
		return w.pick(" { }", "{", " {\nx y;\n}\n", " }", ";;", "", "\n;\n", ";}")
	}
	return w.pick(";", "; ", ";\n", " ;\n")
}

package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/load"
)

// loadFiles writes files, the first of them the main one, and resolves them.
func loadFiles(t *testing.T, files ...string) *Tree {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		if err := os.WriteFile(filepath.Join(dir, files[i]), []byte(files[i+1]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	inputs, err := load.Load([]string{filepath.Join(dir, files[0])}, load.Options{Prefix: dir})
	if err != nil || len(inputs) != 1 {
		t.Fatalf("load: %v, %d inputs", err, len(inputs))
	}
	return Resolve(inputs[0], Options{})
}

func hasRefusal(tree *Tree, part string) bool {
	for i := range tree.Refusals {
		if strings.Contains(tree.Refusals[i].Text, part) {
			return true
		}
	}
	return false
}

// Files that come to millions of directives stop at a bound, and the tree says that it is not the whole.
func TestManyIncludes(t *testing.T) {
	tree := loadFiles(t,
		"nginx.conf", "events {}\nhttp {\n"+strings.Repeat("include a.conf;\n", 50_000)+"}\n",
		"a.conf", strings.Repeat("add_header A 1;\n", 100))
	if tree.Complete() || !hasRefusal(tree, "4,000,000") {
		t.Errorf("complete %v, refusals %d", tree.Complete(), len(tree.Refusals))
	}
	if n := len(tree.HTTP.Items); n == 0 || n > maxExpanded {
		t.Errorf("%d items", n)
	}
}

// A million includes of one file, and forty files that include the next one twice, which comes to 2^40 readings: what
// loads them stops first.
func TestEndlessIncludes(t *testing.T) {
	tree := loadFiles(t, "nginx.conf", "events {}\nhttp {\n"+strings.Repeat("include a.conf;\n", 1_000_000)+"}\n", "a.conf", "")
	if tree.Complete() || len(tree.Refusals) == 0 {
		t.Errorf("complete %v, refusals %d", tree.Complete(), len(tree.Refusals))
	}
	files := []string{"nginx.conf", "events {}\nhttp { include f0.conf; }\n"}
	for i := range 40 {
		files = append(files, fmt.Sprintf("f%d.conf", i), strings.Repeat(fmt.Sprintf("include f%d.conf;\n", i+1), 2))
	}
	tree = loadFiles(t, append(files, "f40.conf", "")...)
	if tree.Complete() || len(tree.Refusals) == 0 {
		t.Errorf("complete %v, refusals %d", tree.Complete(), len(tree.Refusals))
	}
}

// Blocks nested without end stop at a bound.
func TestDeepBlocks(t *testing.T) {
	for _, block := range []string{"location / {", "if ($x) {", "nonsense {", "map $a $b {"} {
		text := "events {}\nhttp { server {" + strings.Repeat(block, 200_000)
		tree := resolveText(t, text, "")
		if tree.Complete() || len(tree.Refusals) == 0 {
			t.Errorf("%s: complete %v, %d refusals", block, tree.Complete(), len(tree.Refusals))
		}
	}
}

// Wrong in the same way a hundred thousand times: in one place it is told once, in many it is told so often that
// everybody understands.
func TestManyRefusals(t *testing.T) {
	tree := resolveText(t, "events {}\nhttp {"+strings.Repeat("limit_req zone=x burst=0;\n", 100_000)+"}", "")
	kinds := map[RefusalKind]int{}
	for i := range tree.Refusals {
		kinds[tree.Refusals[i].Kind]++
	}
	if n := kinds[InvalidBurst]; n != maxRefusals {
		t.Errorf("%d refusals", n)
	}
	if n := len(tree.Refusals) + tree.LeftOut; n < 100_000 {
		t.Errorf("%d refusals with those left out", n)
	}
	tree = loadFiles(t,
		"nginx.conf", "events {}\nhttp { server {"+strings.Repeat("location / { include a.conf; }\n", 1000)+"} }",
		"a.conf", "limit_req zone=x burst=0;")
	count := 0
	for i := range tree.Refusals {
		if tree.Refusals[i].Kind == InvalidBurst {
			count++
		}
	}
	if count != 1 {
		t.Errorf("told %d times", count)
	}
}

// Large ranges of ports in many servers stay bounded.
func TestPortRanges(t *testing.T) {
	tree := resolveText(t, "events {}\nhttp {"+strings.Repeat("server { listen 1-65535; }\n", 200)+"}", "")
	if len(tree.HTTP.Servers) != 200 || tree.HTTP.Servers[199].Listens[0].LastPort != 65535 {
		t.Error("ranges are not kept")
	}
}

// Every prefix of a configuration, and the configuration without any one of its bytes, gives a tree.
func TestNoPanic(t *testing.T) {
	text := `events {} http { limit_req_zone $x zone=a:1m rate=1r/s; map $a $b { default 1; include x; } log_format f a;
geo $g { default 1; } split_clients $a $s { 50% a; } upstream u { server a; } access_log x f; error_page 404 =200 /x;
server { listen 80 ssl; server_name a; if ($x = 1) { set $y 1; } location /a { limit_req zone=a burst=1; limit_conn c 1;
limit_except GET { deny all; } if ($z) { return 1; } location ~ ^/a/(?<n>.) { alias x; root y; rewrite a b last; } } set_real_ip_from 1.2.3.4/8; } }`
	for i := range text {
		resolveText(t, text[:i], "")
		resolveText(t, text[:i]+text[i+1:], "")
		for _, context := range [][]string{{"http"}, {"http", "server"}, {"http", "server", "location"}, {"http", "server", "if"}, {"events"}, {"nonsense"}} {
			resolveFragment(t, text[i:], context...)
		}
	}
}

// Locations nest as deep as nginx's stack lets them, some ten thousand; deeper ones are not read, and the tree says so. What
// names the place of one stays short.
func TestDeepLocations(t *testing.T) {
	deep := func(n int) *Tree {
		return loadFiles(t, "nginx.conf", "events {}\nhttp { server { listen 80; "+strings.Repeat("location / {\n", n)+"internal;"+strings.Repeat("}", n)+"}}\n")
	}
	tree := deep(9_000)
	if !tree.Complete() || len(tree.Refusals) > 0 {
		t.Fatalf("complete %v, refusals %v", tree.Complete(), tree.Refusals)
	}
	n, innermost := 0, (*Location)(nil)
	for l := range tree.HTTP.Servers[0].AllLocations {
		n, innermost = n+1, l
	}
	context := innermost.Context()
	if n != 9_000 || !innermost.Internal || len(context) != maxContext+1 || context[0] != "http" || context[maxContext/2] != "8962 more blocks" {
		t.Errorf("%d locations, the innermost in %q", n, context)
	}
	tree = deep(11_000)
	if tree.Complete() || !hasRefusal(tree, "nested more than 10") {
		t.Errorf("complete %v, refusals %v", tree.Complete(), tree.Refusals)
	}
}

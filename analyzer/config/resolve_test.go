package config

import (
	"slices"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/load"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
)

// resolveText resolves a main file without includes.
func resolveText(t testing.TB, text, version string) *Tree {
	t.Helper()
	return resolveFile(&source.File{Path: "/etc/nginx/nginx.conf", Text: text}, load.Tree, version)
}

// resolveFragment resolves a text that stands in the given blocks.
func resolveFragment(t testing.TB, text string, context ...string) *Tree {
	t.Helper()
	doc := syntax.Parse(&source.File{Path: "fragment.conf", Text: text})
	return Resolve(&load.Input{Kind: load.Fragment, Context: context, Main: doc, Documents: []*syntax.Document{doc}}, Options{})
}

func resolveFile(file *source.File, kind load.Kind, version string) *Tree {
	doc := syntax.Parse(file)
	return Resolve(&load.Input{Path: file.Path, Kind: kind, Main: doc, Documents: []*syntax.Document{doc}}, Options{Version: version})
}

// TestTorn: of a directive that nginx cannot read the reader's words are all that is said; what it means is taken for what was
// meant, and what stands behind it is looked at as ever.
func TestTorn(t *testing.T) {
	for _, c := range []struct {
		http string
		want []string
	}{
		{`server { set $x "abc"d; return 200 $x; nonsense 1; }`, []string{`unexpected "d"`, `unknown directive "nonsense"`}},
		{`limit_req_zone $uri "zone=z:1m"x rate=1r/s; server { limit_req zone=z; }`, []string{`unexpected "x"`}},
		{`limit_req_zone $uri zone=z:1m rate=1r/s; server { limit_req zone=z "burst=0"1; limit_req zone=z burst=0; }`, []string{`unexpected "1"`, `invalid burst value "burst=0"`}},
		{`server { location / "x"y { set $x "abc"; nonsense 1; } }`, []string{`unexpected "y"`}},
	} {
		tree := resolveFile(&source.File{Path: "nginx.conf", Text: "events {}\nhttp {\n" + c.http + "\n}\n"}, load.Tree, "1.22.1")
		var got []string
		for _, r := range tree.Refusals {
			got = append(got, r.Text)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.http, got, c.want)
		}
	}
}

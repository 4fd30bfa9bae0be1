package config

import (
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

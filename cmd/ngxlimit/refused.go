package main

import (
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
)

// maxRefused bounds what is told of a configuration that is wrong everywhere.
const maxRefused = 10

// tellRefused warns on standard error where nginx refuses a configuration: what requests meet there is that of the rest.
// It returns as assumptions which limits are left out for it, and what could not be read.
func (a *app) tellRefused(tree *config.Tree) (said []string) {
	var first string
	more := 0
	for i := range tree.Refusals {
		r := &tree.Refusals[i]
		if r.Warning {
			continue
		}
		if first == "" {
			at, what := r.Span.From(), "nginx refuses this configuration"
			if r.Kind == config.MissingInclude && !strings.HasPrefix(r.Text, "open()") { // words of ours, not nginx's
				what = "not all of this configuration is read"
			}
			first = fmt.Sprintf("%s: %s:%d:%d: %s; what follows is what the rest of it would do", what, r.Span.File.Path, at.Line, at.Column, r.Text)
		}
		text := leftOut(tree, r)
		switch {
		case text == "":
		case len(said) < maxRefused:
			said = append(said, text)
		default:
			more++
		}
	}
	if first == "" {
		return nil
	}
	complain(a.stderr, errors.New("warning: "+first))
	switch {
	case len(said) == 0:
		return []string{first}
	case more > 0:
		said = append(said, fmt.Sprintf("%d more places that nginx refuses, or that could not be read, are left out", more))
	}
	return said
}

// leftOut says what the configuration lacks for a refusal: a limit, or what could not be read; "" for anything else.
func leftOut(tree *config.Tree, r *config.Refusal) string {
	at := fmt.Sprintf("%s:%d", r.Span.File.Path, r.Span.From().Line)
	if r.Shipped {
		return fmt.Sprintf("what is included at %s is taken as the file that comes with nginx, in which no limit stands: %s", at, r.Text)
	}
	if r.Kind == config.MissingInclude {
		return fmt.Sprintf("what is included at %s is left out, as it cannot be read: %s", at, r.Text)
	}
	if r.Kind == config.SyntaxError {
		return fmt.Sprintf("what stands at %s may be left out, as nginx refuses it: %s", at, r.Text)
	}
	if r.Kind == config.UnsupportedVersion { // it is followed all the same
		return ""
	}
	name := directiveAt(tree, r.Span)
	if !strings.HasPrefix(name, "limit_req") && !strings.HasPrefix(name, "limit_conn") {
		return ""
	}
	return fmt.Sprintf("%s at %s is left out, as nginx refuses it: %s", name, at, r.Text)
}

// directiveAt is the name of the innermost directive that holds a place; "" where there is none.
func directiveAt(tree *config.Tree, at source.Span) (name string) {
	for _, doc := range tree.Input.Documents {
		if doc.File != at.File {
			continue
		}
		list := doc.Directives
		for {
			d := lastBefore(list, at.Start)
			switch {
			case d == nil:
				return name
			case at.Start < d.End:
				return d.Name().Value
			case d.Block == nil:
				return name
			}
			name, list = d.Name().Value, d.Block.Directives
		}
	}
	return ""
}

// lastBefore is the last of the directives of a block that begins at an offset or before it.
func lastBefore(list []syntax.Directive, at uint32) *syntax.Directive {
	i := sort.Search(len(list), func(i int) bool { return list[i].Name().Start > at })
	if i == 0 {
		return nil
	}
	return &list[i-1]
}

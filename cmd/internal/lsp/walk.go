package lsp

import (
	"github.com/ngxlimit/ngxlimit/analyzer/directive"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
)

// walk goes through a configuration in nginx's order, with the place that each directive stands at; 0 is one where it may
// not stand. It ends where each says so. A file that is included at several places of one kind is gone through once.
// Enter is told of each file and each kind of place that it is included at.
func (v *view) walk(each func(*syntax.Directive, directive.Context) bool, enter func(*syntax.Document, directive.Context)) {
	type list struct {
		directives []syntax.Directive
		at         directive.Context
	}
	type visit struct {
		doc *syntax.Document
		at  directive.Context
	}
	start := v.start()
	seen := map[visit]bool{{v.input.Main, start}: true}
	stack := []list{{v.input.Main.Directives, start}}
	enter(v.input.Main, start)
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if len(top.directives) == 0 {
			stack = stack[:len(stack)-1]
			continue
		}
		d, at := &top.directives[0], top.at
		top.directives = top.directives[1:]
		if !each(d, at) {
			return
		}
		if d.Block != nil && !d.Block.Code {
			stack = append(stack, list{d.Block.Directives, at.Inside(d.Name().Value)})
			continue
		}
		docs := v.input.Includes(d)
		for i := len(docs) - 1; i >= 0; i-- {
			if next := (visit{docs[i], at}); !seen[next] && !v.input.Again(docs[i]) {
				seen[next] = true
				enter(docs[i], at)
				stack = append(stack, list{docs[i].Directives, at})
			}
		}
	}
}

// start is the place at which the main file stands.
func (v *view) start() directive.Context {
	at, err := directive.ParsePath(v.input.Context)
	if err != nil {
		return directive.Main
	}
	return at
}

// placesOf are the kinds of places at which a file stands.
func (v *view) placesOf(doc *syntax.Document) (at directive.Context) {
	v.walk(func(*syntax.Directive, directive.Context) bool { return true }, func(in *syntax.Document, where directive.Context) {
		if in == doc {
			at |= where
		}
	})
	return at
}

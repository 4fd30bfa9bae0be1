package rule

import (
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/load"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
)

// Whole says whether all that nginx reads is before us, so that something may be called absent. Besides what Tree.Complete
// asks, no include by pattern may have led to nothing: a copy of /etc/nginx without its sites-enabled/ is read without a
// fault, and lacks every server.
func (f *Facts) Whole() bool { return f.whole() }

func (f *Facts) findWhole() bool {
	if f.Tree == nil || !f.Tree.Complete() {
		return false
	}
	if f.Tree.Input.Kind == load.Dump {
		return true
	}
	var stack []*syntax.Block
	for _, doc := range f.Tree.Input.Documents {
		if !f.allIncluded(doc.Directives, &stack) {
			return false
		}
	}
	for len(stack) > 0 {
		b := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if !f.allIncluded(b.Directives, &stack) {
			return false
		}
	}
	return true
}

// allIncluded looks at the includes of one block, and puts the blocks within it onto the stack.
func (f *Facts) allIncluded(ds []syntax.Directive, stack *[]*syntax.Block) bool {
	for i := range ds {
		d := &ds[i]
		switch {
		case d.Block != nil && !d.Block.Code:
			*stack = append(*stack, d.Block)
		case d.Block == nil && d.Name().Value == "include" && strings.ContainsAny(d.Arg(0), "*?["):
			if len(f.Tree.Input.Includes(d)) == 0 {
				return false
			}
		}
	}
	return true
}

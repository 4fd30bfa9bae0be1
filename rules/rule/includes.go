package rule

import (
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/load"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
)

// AllMatched says whether each include by pattern led to a file, as far as that tells anything. A copy of /etc/nginx without
// its sites-enabled/ is read without a fault and lacks every server; a dump holds all that nginx itself found.
func (f *Facts) AllMatched() bool { return f.allMatched() }

func (f *Facts) findAllMatched() bool {
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

package document

import (
	"errors"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// What evaluating may cost, in bytes that are made: one expression, and all of a folder. A few lines can ask for more
// than any memory holds, each made of the one before it twice.
const (
	mostCost  = 1 << 20
	mostSpent = 64 << 20
)

// eval evaluates an expression, unless that would take too much.
func (t *terraform) eval(e hclsyntax.Expression, ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	c := t.cost(e, ctx)
	if t.spent += c; c > mostCost || t.spent > mostSpent {
		return cty.DynamicVal, hcl.Diagnostics{{Severity: hcl.DiagError, Summary: "there is too much of it"}}
	}
	return e.Value(ctx)
}

// cost estimates how many bytes an expression makes, from above.
func (t *terraform) cost(e hclsyntax.Expression, ctx *hcl.EvalContext) int {
	r := e.Range()
	sum, joins := r.End.Byte-r.Start.Byte, false
	_ = hclsyntax.VisitAll(e, func(n hclsyntax.Node) hcl.Diagnostics {
		switch n := n.(type) {
		case *hclsyntax.ForExpr:
			sum = min(sum+t.costOfFor(n, ctx), mostCost+1)
		case *hclsyntax.SplatExpr:
			sum = mostCost + 1
		case *hclsyntax.FunctionCallExpr:
			joins = joins || n.Name == "join" || n.Name == "format"
		case *hclsyntax.ScopeTraversalExpr:
			for c := ctx; c != nil; c = c.Parent() {
				if _, ok := c.Variables[n.Traversal.RootName()]; !ok {
					continue
				}
				if v, diags := n.Traversal.TraverseAbs(c); !diags.HasErrors() {
					sum = min(sum+sizeOf(v), mostCost+1)
				}
				break
			}
		}
		return nil
	})
	if joins {
		sum = min(sum, mostCost/sum+1) * sum // each element may be repeated with each other
	}
	return sum
}

// sizeOf is how many bytes a value holds, about.
func sizeOf(v cty.Value) int {
	n := 8
	if !v.IsKnown() || v.IsNull() {
		return n
	}
	if v.Type() == cty.String {
		return n + len(v.AsString())
	}
	if v.CanIterateElements() {
		for it := v.ElementIterator(); it.Next() && n <= mostCost; {
			_, item := it.Element()
			n += sizeOf(item)
		}
	}
	return n
}

// format is Terraform's, without widths beyond three digits.
var format = function.New(&function.Spec{
	Params:   []function.Parameter{{Name: "format", Type: cty.String}},
	VarParam: &function.Parameter{Name: "args", Type: cty.DynamicPseudoType, AllowNull: true},
	Type:     function.StaticReturnType(cty.String),
	Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		if wide(args[0].AsString()) {
			return cty.NilVal, errors.New("the width is too large")
		}
		return stdlib.Format(args[0], args[1:]...)
	},
})

// wide says whether a format has a number of four digits or more behind a "%".
func wide(s string) bool {
	verb, digits := false, 0
	for i := range len(s) {
		switch c := s[i]; {
		case c == '%':
			verb, digits = !verb, 0
		case verb && '0' <= c && c <= '9':
			if digits++; digits > 3 {
				return true
			}
		case verb && (c == '.' || c == '+' || c == '-' || c == ' ' || c == '#' || c == '[' || c == ']'):
			digits = 0
		default:
			verb = false
		}
	}
	return false
}

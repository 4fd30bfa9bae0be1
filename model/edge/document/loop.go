package document

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// mostTurns bounds how often the bodies of all for expressions of a folder are looked at: they may be nested.
const mostTurns = 100_000

// turn is one element of what a for expression goes through, as its body sees it.
func turn(e *hclsyntax.ForExpr, ctx *hcl.EvalContext, it cty.ElementIterator) *hcl.EvalContext {
	key, item := it.Element()
	inner := ctx.NewChild()
	inner.Variables = map[string]cty.Value{e.ValVar: item}
	if e.KeyVar != "" {
		inner.Variables[e.KeyVar] = key
	}
	return inner
}

// elements is what a for expression goes through, where that can be known.
func (t *terraform) elements(e hclsyntax.Expression, ctx *hcl.EvalContext) (cty.Value, bool) {
	v, diags := t.eval(e, ctx)
	return v, !diags.HasErrors() && v.IsWhollyKnown() && !v.IsNull() && v.CanIterateElements()
}

// costOfFor estimates how many bytes a for expression makes: its body is looked at for each element. Where it cannot be
// known what it goes through it makes nothing.
func (t *terraform) costOfFor(e *hclsyntax.ForExpr, ctx *hcl.EvalContext) int {
	all, ok := t.elements(e.CollExpr, ctx)
	if !ok {
		return 0
	}
	sum := 0
	for it := all.ElementIterator(); it.Next() && sum <= mostCost; {
		if t.turns++; t.turns > mostTurns {
			return mostCost + 1
		}
		inner := turn(e, ctx, it)
		for _, part := range []hclsyntax.Expression{e.KeyExpr, e.ValExpr, e.CondExpr} {
			if part != nil {
				sum += t.cost(part, inner)
			}
		}
	}
	return sum
}

// forValue writes a for expression out, so that what it makes keeps the places of its body; nil where that cannot be.
func (t *terraform) forValue(e *hclsyntax.ForExpr, ctx *hcl.EvalContext, depth int) *Value {
	all, ok := t.elements(e.CollExpr, ctx)
	if !ok || e.Group {
		return nil
	}
	v := &Value{Kind: List, Span: t.span(e.Range())}
	if e.KeyExpr != nil {
		v.Kind = Object
	}
	for it := all.ElementIterator(); it.Next(); {
		if t.turns++; t.turns > mostTurns {
			return nil
		}
		inner := turn(e, ctx, it)
		if e.CondExpr != nil {
			wanted, diags := t.eval(e.CondExpr, inner)
			if diags.HasErrors() || !wanted.IsKnown() || wanted.IsNull() || wanted.Type() != cty.Bool {
				return nil
			}
			if wanted.False() {
				continue
			}
		}
		made := t.value(e.ValExpr, inner, depth+1)
		if e.KeyExpr == nil {
			v.Items = append(v.Items, made)
			continue
		}
		name, diags := t.eval(e.KeyExpr, inner)
		if diags.HasErrors() || !name.IsKnown() || name.IsNull() || name.Type() != cty.String {
			return nil
		}
		v.Fields = append(v.Fields, Field{name.AsString(), t.span(e.KeyExpr.Range()), made})
	}
	return v
}

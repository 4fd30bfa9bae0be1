package document

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
)

// terraform is the files of one folder.
type terraform struct {
	files   map[string]*source.File
	context *hcl.EvalContext
	values  int
	spent   int // see cost
	turns   int // of for expressions, see costOfFor
}

// functions are those of Terraform's that only work on what is given.
var functions = map[string]function.Function{
	"concat": stdlib.ConcatFunc, "join": stdlib.JoinFunc, "format": format, "lower": stdlib.LowerFunc, "upper": stdlib.UpperFunc,
	"trimspace": stdlib.TrimSpaceFunc, "chomp": stdlib.ChompFunc, "merge": stdlib.MergeFunc, "flatten": stdlib.FlattenFunc,
	"length": stdlib.LengthFunc, "compact": stdlib.CompactFunc, "distinct": stdlib.DistinctFunc, "max": stdlib.MaxFunc, "min": stdlib.MinFunc,
	"keys": stdlib.KeysFunc, "values": stdlib.ValuesFunc, "split": stdlib.SplitFunc, "coalesce": stdlib.CoalesceFunc,
	"lookup": stdlib.LookupFunc, "element": stdlib.ElementFunc, "contains": stdlib.ContainsFunc, "reverse": stdlib.ReverseListFunc, "sort": stdlib.SortFunc,
	"slice": stdlib.SliceFunc, "substr": stdlib.SubstrFunc, "trim": stdlib.TrimFunc, "trimprefix": stdlib.TrimPrefixFunc, "trimsuffix": stdlib.TrimSuffixFunc,
	"ceil": stdlib.CeilFunc, "floor": stdlib.FloorFunc, "zipmap": stdlib.ZipmapFunc, "jsonencode": stdlib.JSONEncodeFunc, "jsondecode": stdlib.JSONDecodeFunc,
	"tostring": stdlib.MakeToFunc(cty.String), "tonumber": stdlib.MakeToFunc(cty.Number), "tobool": stdlib.MakeToFunc(cty.Bool),
	"toset": stdlib.MakeToFunc(cty.Set(cty.DynamicPseudoType)), "tolist": stdlib.MakeToFunc(cty.List(cty.DynamicPseudoType)),
	"tomap": stdlib.MakeToFunc(cty.Map(cty.DynamicPseudoType)),
}

// mostRounds bounds how long a chain of locals, each made of the one before it, is followed.
const mostRounds = 64

// resolve finds out what variables and locals stand for.
func (t *terraform) resolve(blocks []*hclsyntax.Block) {
	vars, locals := map[string]cty.Value{}, map[string]cty.Value{}
	open := map[string]hclsyntax.Expression{}
	t.context = &hcl.EvalContext{Functions: functions, Variables: map[string]cty.Value{}}
	for _, b := range blocks {
		switch {
		case b.Type == "variable" && len(b.Labels) == 1:
			if a := b.Body.Attributes["default"]; a != nil {
				if v, diags := t.eval(a.Expr, t.context); !diags.HasErrors() && !v.IsNull() {
					vars[b.Labels[0]] = v
				}
			}
		case b.Type == "locals":
			for name, a := range b.Body.Attributes {
				open[name] = a.Expr
			}
		}
	}
	t.context.Variables["var"] = cty.ObjectVal(vars)
	for range mostRounds {
		t.context.Variables["local"] = cty.ObjectVal(locals)
		before := len(open)
		for _, name := range sorted(open) {
			if v, diags := t.eval(open[name], t.context); !diags.HasErrors() && v.IsWhollyKnown() {
				locals[name] = v
				delete(open, name)
			}
		}
		if len(open) == before || len(open) == 0 {
			break
		}
	}
	t.context.Variables["local"] = cty.ObjectVal(locals)
}

func sorted(m map[string]hclsyntax.Expression) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// value turns an expression into a value. Lists and objects that are written out keep the places of their parts.
func (t *terraform) value(e hclsyntax.Expression, ctx *hcl.EvalContext, depth int) *Value {
	v := &Value{Span: t.span(e.Range())}
	if t.values++; depth > deepest || t.values > mostRows {
		v.Kind, v.Why = Unknown, "there is too much of it"
		return v
	}
	switch e := e.(type) {
	case *hclsyntax.TupleConsExpr:
		v.Kind = List
		for _, item := range e.Exprs {
			v.Items = append(v.Items, t.value(item, ctx, depth+1))
		}
		return v
	case *hclsyntax.ObjectConsExpr:
		v.Kind = Object
		for _, item := range e.Items {
			name, diags := t.eval(item.KeyExpr, ctx)
			if diags.HasErrors() || !name.IsKnown() || name.IsNull() || name.Type() != cty.String {
				v.Kind, v.Why = Unknown, "the name of a field cannot be known"
				return v
			}
			v.Fields = append(v.Fields, Field{name.AsString(), t.span(item.KeyExpr.Range()), t.value(item.ValueExpr, ctx, depth+1)})
		}
		return v
	case *hclsyntax.ParenthesesExpr:
		return t.value(e.Expression, ctx, depth+1)
	case *hclsyntax.ForExpr:
		if made := t.forValue(e, ctx, depth); made != nil {
			return made
		}
	}
	got, diags := t.eval(e, ctx)
	if diags.HasErrors() || !got.IsWhollyKnown() {
		v.Kind, v.Why = Unknown, t.why(e, ctx, diags)
		return v
	}
	made := fromCty(got, v.Span, depth)
	if made.Kind == String {
		made.pieces = t.pieces(e, ctx)
	}
	return made
}

// why says why an expression has no value.
func (t *terraform) why(e hclsyntax.Expression, ctx *hcl.EvalContext, diags hcl.Diagnostics) string {
	for _, v := range e.Variables() {
		if resolves(v, ctx) {
			continue
		}
		name := traversal(v)
		switch v.RootName() {
		case "var":
			if _, d := v.TraverseAbs(t.context); d.HasErrors() {
				return name + " has no default, and its value is not in the files"
			}
		case "local":
			if _, d := v.TraverseAbs(t.context); d.HasErrors() {
				return name + " cannot be resolved from the files"
			}
		default:
			return name + " is known to Terraform only when it runs"
		}
	}
	if len(diags) > 0 {
		return "Terraform's expression cannot be evaluated here: " + small(diags[0].Summary)
	}
	return "it is known to Terraform only when it runs"
}

// resolves says whether a name is known where it stands.
func resolves(name hcl.Traversal, ctx *hcl.EvalContext) bool {
	for c := ctx; c != nil; c = c.Parent() {
		if _, ok := c.Variables[name.RootName()]; ok {
			v, diags := name.TraverseAbs(c)
			return !diags.HasErrors() && v.IsWhollyKnown()
		}
	}
	return false
}

// traversal writes a name as in the file: var.limit.
func traversal(t hcl.Traversal) string {
	var b strings.Builder
	for _, step := range t {
		switch step := step.(type) {
		case hcl.TraverseRoot:
			b.WriteString(step.Name)
		case hcl.TraverseAttr:
			b.WriteString("." + step.Name)
		case hcl.TraverseIndex:
			b.WriteString("[...]")
		}
	}
	return b.String()
}

// fromCty turns a computed value into one of ours; all of it has the same place.
func fromCty(c cty.Value, at source.Span, depth int) *Value {
	c, _ = c.UnmarkDeep()
	v := &Value{Span: at}
	switch kind := c.Type(); {
	case c.IsNull():
	case depth > deepest:
		v.Kind, v.Why = Unknown, "there is too much of it"
	case kind == cty.String:
		v.Kind, v.Text = String, c.AsString()
	case kind == cty.Bool:
		v.Kind, v.Bool = Bool, c.True()
	case kind == cty.Number:
		v.Kind, v.Text = Number, c.AsBigFloat().Text('f', -1)
	case kind.IsObjectType() || kind.IsMapType():
		v.Kind = Object
		for it := c.ElementIterator(); it.Next(); {
			name, item := it.Element()
			v.Fields = append(v.Fields, Field{name.AsString(), at, fromCty(item, at, depth+1)})
		}
	case c.CanIterateElements():
		v.Kind = List
		for it := c.ElementIterator(); it.Next(); {
			_, item := it.Element()
			v.Items = append(v.Items, fromCty(item, at, depth+1))
		}
	default:
		v.Kind, v.Why = Unknown, fmt.Sprintf("it is %s", kind.FriendlyName())
	}
	return v
}

// pieces says where the parts of a text stand.
func (t *terraform) pieces(e hclsyntax.Expression, ctx *hcl.EvalContext) []piece {
	tpl, ok := e.(*hclsyntax.TemplateExpr)
	if !ok {
		return nil
	}
	outer := t.span(tpl.SrcRange)
	heredoc := strings.HasPrefix(outer.Text(), "<<")
	var list []piece
	at := 0
	for _, part := range tpl.Parts {
		v, diags := t.eval(part, ctx)
		if diags.HasErrors() || v.IsNull() || !v.IsKnown() || v.Type() != cty.String {
			return nil
		}
		p := piece{at: at, how: foreign}
		span := t.span(part.Range())
		if _, literal := part.(*hclsyntax.LiteralValueExpr); literal {
			p.how = quoted
			if heredoc {
				p.how = bare
			}
		}
		p.start, p.end = span.Start, span.End
		if n := uint32(len(v.AsString())); p.how == bare && n < p.end-p.start {
			p.start = p.end - n // <<- takes the indent off
		}
		list = append(list, p)
		at += len(v.AsString())
	}
	return list
}

// dynamic writes out a dynamic block: one block for each element of a list that can be known.
func (t *terraform) dynamic(b *hclsyntax.Block, ctx *hcl.EvalContext, depth int) []*Value {
	at := t.span(b.DefRange())
	dark := func(why string) []*Value { return []*Value{{Kind: Unknown, Why: why, Span: at}} }
	each, name := b.Body.Attributes["for_each"], b.Labels[0]
	if it := b.Body.Attributes["iterator"]; it != nil {
		name = hcl.ExprAsKeyword(it.Expr)
	}
	var content *hclsyntax.Block
	for _, inner := range b.Body.Blocks {
		if inner.Type == "content" {
			content = inner
		}
	}
	if each == nil || content == nil || name == "" {
		return dark("the dynamic block has no for_each, or no content")
	}
	v, diags := t.eval(each.Expr, ctx)
	if diags.HasErrors() || !v.IsWhollyKnown() || v.IsNull() || !v.CanIterateElements() {
		return dark("for_each: " + t.why(each.Expr, ctx, diags))
	}
	var rows []*Value
	for it := v.ElementIterator(); it.Next(); {
		if len(rows) > 1000 {
			return append(rows, dark("the dynamic block makes more than 1000 blocks")...)
		}
		key, item := it.Element()
		inner := ctx.NewChild()
		inner.Variables = map[string]cty.Value{name: cty.ObjectVal(map[string]cty.Value{"key": key, "value": item})}
		row := t.body(content.Body, inner, depth+1)
		row.Span = at
		rows = append(rows, row)
	}
	return rows
}

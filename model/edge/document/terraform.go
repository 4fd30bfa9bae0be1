package document

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
)

// A Resource is one block of Terraform, as an object: its attributes, and its blocks as lists of objects. Of a module, whose
// Type is "module", there is the source alone.
type Resource struct {
	Type, Name string // "cloudflare_ruleset", "rate_limits"
	Value      *Value
	Span       source.Span // of its head
}

// Terraform reads files of one folder and returns their resources, in order, one for each element of their for_each. Variables stand for their defaults, and
// locals for what they are made of. Errors are *Error.
func Terraform(files []*source.File) ([]Resource, error) {
	t := &terraform{files: map[string]*source.File{}}
	var blocks []*hclsyntax.Block
	for _, f := range files {
		body, err := parseHCL(f)
		if err != nil {
			return nil, err
		}
		t.files[f.Path] = f
		blocks = append(blocks, body.Blocks...)
	}
	t.resolve(blocks)
	var all []Resource
	for _, b := range blocks {
		if b.Type == "module" && len(b.Labels) == 1 {
			r := Resource{Type: b.Type, Name: b.Labels[0], Span: t.span(b.DefRange()), Value: &Value{Kind: Object}}
			if a := b.Body.Attributes["source"]; a != nil {
				r.Value.Fields = []Field{{a.Name, t.span(a.NameRange), t.value(a.Expr, t.context, 0)}}
			}
			all = append(all, r)
		}
		if (b.Type != "resource" && b.Type != "data") || len(b.Labels) != 2 {
			continue
		}
		for _, ctx := range t.instances(b) {
			r := Resource{Type: b.Labels[0], Name: b.Labels[1], Span: t.span(b.DefRange())}
			r.Value = t.body(b.Body, ctx, 0)
			r.Value.Span = r.Span
			if b.Type == "data" {
				r.Type = "data." + r.Type
			}
			all = append(all, r)
		}
	}
	return all, nil
}

// mostInstances bounds those of one block.
const mostInstances = 1000

// instances are the surroundings of each resource that a block makes: by for_each or count where what they go by can be
// known, else one, of which each.key, each.value and count.index are not known.
func (t *terraform) instances(b *hclsyntax.Block) []*hcl.EvalContext {
	one := []*hcl.EvalContext{t.context}
	each, count := b.Body.Attributes["for_each"], b.Body.Attributes["count"]
	switch {
	case each != nil:
		all, ok := t.elements(each.Expr, t.context)
		if !ok || all.LengthInt() > mostInstances {
			return one
		}
		var list []*hcl.EvalContext
		for it := all.ElementIterator(); it.Next(); {
			key, item := it.Element()
			inner := t.context.NewChild()
			inner.Variables = map[string]cty.Value{"each": cty.ObjectVal(map[string]cty.Value{"key": key, "value": item})}
			list = append(list, inner)
		}
		return list
	case count != nil:
		v, diags := t.eval(count.Expr, t.context)
		if diags.HasErrors() || !v.IsWhollyKnown() || v.IsNull() || v.Type() != cty.Number {
			return one
		}
		n, _ := v.AsBigFloat().Int64()
		if n < 0 || n > mostInstances {
			return one
		}
		list := make([]*hcl.EvalContext, n)
		for i := range list {
			list[i] = t.context.NewChild()
			list[i].Variables = map[string]cty.Value{"count": cty.ObjectVal(map[string]cty.Value{"index": cty.NumberIntVal(int64(i))})}
		}
		return list
	}
	return one
}

// parseHCL parses one file. The parser calls itself for what is nested, so that nesting is bounded before.
func parseHCL(f *source.File) (*hclsyntax.Body, error) {
	whole := source.Span{File: f}
	if len(f.Text) > Largest/4 {
		return nil, &Error{whole, fmt.Sprintf("the file is larger than %d MiB", Largest/4>>20)}
	}
	if err := shallow(f); err != nil {
		return nil, err
	}
	parsed, diags := hclsyntax.ParseConfig([]byte(f.Text), f.Path, hcl.InitialPos)
	for _, d := range diags {
		if d.Severity != hcl.DiagError {
			continue
		}
		at := whole
		if d.Subject != nil {
			at.Start, at.End = bound(f, d.Subject.Start.Byte), bound(f, d.Subject.End.Byte)
		}
		return nil, &Error{at, "it is not Terraform: " + small(d.Summary) + ": " + small(d.Detail)}
	}
	body, ok := parsed.Body.(*hclsyntax.Body)
	if !ok {
		return nil, &Error{whole, "it is not Terraform"}
	}
	return body, nil
}

func bound(f *source.File, at int) uint32 { return uint32(min(max(at, 0), len(f.Text))) }

// small makes a sentence a clause.
func small(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	s, _, _ = strings.Cut(s, ". ")
	s = strings.TrimSuffix(s, ".")
	if s == "" {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

// body turns a block into an object: attributes as they are, blocks of one name as a list.
func (t *terraform) body(b *hclsyntax.Body, ctx *hcl.EvalContext, depth int) *Value {
	v := &Value{Kind: Object, Span: t.span(b.SrcRange)}
	if depth > deepest {
		return &Value{Kind: Unknown, Why: "blocks are nested too deep", Span: v.Span}
	}
	for _, a := range inOrder(b.Attributes) {
		v.Fields = append(v.Fields, Field{a.Name, t.span(a.NameRange), t.value(a.Expr, ctx, 0)})
	}
	for _, inner := range b.Blocks {
		name, rows := inner.Type, []*Value{}
		if inner.Type == "dynamic" && len(inner.Labels) == 1 {
			name, rows = inner.Labels[0], t.dynamic(inner, ctx, depth)
		} else {
			row := t.body(inner.Body, ctx, depth+1)
			row.Span = t.span(inner.DefRange())
			rows = append(rows, row)
		}
		list := v.Get(name)
		if list == nil || list.Kind != List {
			list = &Value{Kind: List, Span: t.span(inner.DefRange())}
			v.Fields = append(v.Fields, Field{name, t.span(inner.TypeRange), list})
		}
		list.Items = append(list.Items, rows...)
	}
	return v
}

// inOrder are attributes as written, which HCL keeps by name.
func inOrder(all hclsyntax.Attributes) []*hclsyntax.Attribute {
	list := make([]*hclsyntax.Attribute, 0, len(all))
	for _, a := range all {
		at := len(list)
		for at > 0 && list[at-1].NameRange.Start.Byte > a.NameRange.Start.Byte {
			at--
		}
		list = append(list, nil)
		copy(list[at+1:], list[at:])
		list[at] = a
	}
	return list
}

func (t *terraform) span(r hcl.Range) source.Span {
	f := t.files[r.Filename]
	if f == nil {
		return source.Span{}
	}
	return source.Span{File: f, Start: bound(f, r.Start.Byte), End: bound(f, r.End.Byte)}
}

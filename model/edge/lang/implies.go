package lang

import (
	"slices"
	"strings"
)

// Implies says whether every request that one expression matches is certainly matched by another, as far as their form
// tells: false says nothing.
func (e *Expr) Implies(other *Expr) bool {
	i := implication{left: mostSteps}
	return i.holds(e.root, other.root)
}

// Always says whether the expression is just true.
func (e *Expr) Always() bool {
	c, ok := e.root.(*constant)
	return ok && c.b
}

// Compared returns the texts that a field is compared with for equality, in order.
func (e *Expr) Compared(field string) []string {
	var list []string
	var walk func(node)
	walk = func(n node) {
		switch n := n.(type) {
		case *and:
			for _, p := range n.parts {
				walk(p)
			}
		case *or:
			for _, p := range n.parts {
				walk(p)
			}
		case *comparison:
			if n.op == "eq" && n.base == text && n.left.String() == field {
				list = append(list, n.right.s)
			}
		case *in:
			if n.left.String() == field {
				list = append(list, n.texts...)
			}
		}
	}
	walk(e.root)
	return list
}

// mostSteps bounds the search for one implication.
const mostSteps = 10_000

// implication is a search under way; left bounds its steps.
type implication struct {
	left  int
	texts map[node]string // how nodes are written; nil where that is not kept
}

// text is how a node is written.
func (i *implication) text(n node) string {
	if i.texts == nil {
		return n.String()
	}
	s, ok := i.texts[n]
	if !ok {
		s = n.String()
		i.texts[n] = s
	}
	return s
}

func (i *implication) holds(a, b node) bool {
	if i.left--; i.left < 0 {
		return false
	}
	if c, ok := b.(*constant); ok && c.b {
		return true
	}
	if c, ok := a.(*constant); ok && !c.b {
		return true
	}
	if b, ok := b.(*and); ok {
		return !slices.ContainsFunc(b.parts, func(n node) bool { return !i.holds(a, n) })
	}
	if a, ok := a.(*or); ok {
		return !slices.ContainsFunc(a.parts, func(n node) bool { return !i.holds(n, b) })
	}
	if i.text(a) == i.text(b) {
		return true
	}
	if b, ok := b.(*or); ok && slices.ContainsFunc(b.parts, func(n node) bool { return i.holds(a, n) }) {
		return true
	}
	if a, ok := a.(*and); ok {
		return slices.ContainsFunc(a.parts, func(n node) bool { return i.holds(n, b) })
	}
	c, ok := a.(*comparison)
	return ok && c.op == "eq" && c.base == text && i.holdsFor(b, i.text(c.left), c.right.s)
}

// holdsFor says whether a condition holds where a field has a value.
func (i *implication) holdsFor(b node, field, v string) bool {
	switch b := b.(type) {
	case *in:
		return i.text(b.left) == field && truth((&in{left: &literal{text, str(v)}, texts: b.texts, numbers: b.numbers, set: b.set}).eval(&Scope{})) == True
	case *contains:
		return i.text(b.left) == field && strings.Contains(v, b.part)
	case *like:
		return i.text(b.left) == field && b.w.match(v)
	case *application:
		if len(b.args) != 2 || i.text(b.args[0]) != field {
			return false
		}
		with, ok := b.args[1].(*literal)
		switch {
		case !ok:
			return false
		case b.name == "starts_with":
			return strings.HasPrefix(v, with.v.s)
		case b.name == "ends_with":
			return strings.HasSuffix(v, with.v.s)
		}
	}
	return false
}

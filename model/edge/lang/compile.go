package lang

import (
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/model/edge"
)

// An expression is asked of millions of requests. Its nodes are therefore turned into functions of their own types once,
// which hand on a truth or a text and not a whole value. What is rare has no such function and is evaluated as a node;
// both give the same answers.

// cond is a compiled condition.
type cond func(*Scope) Truth

// texter is a compiled text.
type texter func(*Scope) (string, state)

// condOf compiles a condition.
func condOf(n node) cond {
	switch n := n.(type) {
	case *constant:
		return fixed(n.b)
	case *and:
		return decidedBy(False, n.parts)
	case *or:
		return decidedBy(True, n.parts)
	case *not:
		of := condOf(n.node)
		return func(s *Scope) Truth {
			switch of(s) {
			case True:
				return False
			case False:
				return True
			case Unknown:
			}
			return Unknown
		}
	case *quantifier:
		return quantifierOf(n)
	case *comparison:
		if n.base == text {
			return comparisonOf(n)
		}
	case *contains:
		return textTest(n.left, func(v string) bool { return strings.Contains(v, n.part) })
	case *matches:
		return textTest(n.left, n.re.Match)
	case *like:
		return textTest(n.left, n.w.match)
	case *in:
		return inOf(n)
	case *application:
		if test := affixOf(n); test != nil {
			return textTest(n.args[0], test)
		}
	}
	return func(s *Scope) Truth { return truth(n.eval(s)) }
}

func fixed(b bool) cond {
	t := truthOf(b)
	return func(*Scope) Truth { return t }
}

func truthOf(b bool) Truth {
	if b {
		return True
	}
	return False
}

// decidedBy is an "and" or an "or": one part with the truth decides.
func decidedBy(t Truth, parts []node) cond {
	list := make([]cond, len(parts))
	for i, p := range parts {
		list[i] = condOf(p)
	}
	other := True
	if t == True {
		other = False
	}
	return func(s *Scope) Truth {
		got := other
		for _, part := range list {
			if is := part(s); is == t {
				return t
			} else if is == Unknown {
				got = Unknown
			}
		}
		return got
	}
}

// textTest asks something of a text; of one that is missing it is no.
func textTest(left node, test func(string) bool) cond {
	of := textOf(left)
	return func(s *Scope) Truth {
		switch v, st := of(s); st {
		case present:
			return truthOf(test(v))
		case unknown:
			return Unknown
		case missing:
		}
		return False
	}
}

func comparisonOf(n *comparison) cond {
	right := n.right.s
	switch n.op {
	case "eq":
		return textTest(n.left, func(v string) bool { return v == right })
	case "ne":
		return textTest(n.left, func(v string) bool { return v != right })
	case "lt":
		return textTest(n.left, func(v string) bool { return v < right })
	case "le":
		return textTest(n.left, func(v string) bool { return v <= right })
	case "gt":
		return textTest(n.left, func(v string) bool { return v > right })
	}
	return textTest(n.left, func(v string) bool { return v >= right })
}

// fewTexts is a set that is gone through faster than it is looked up in.
const fewTexts = 4

func inOf(n *in) cond {
	switch {
	case n.texts == nil:
	case len(n.texts) <= fewTexts:
		return textTest(n.left, func(v string) bool { return slices.Contains(n.texts, v) })
	default:
		set := make(map[string]struct{}, len(n.texts))
		for _, s := range n.texts {
			set[s] = struct{}{}
		}
		return textTest(n.left, func(v string) bool { _, found := set[v]; return found })
	}
	return func(s *Scope) Truth { return truth(n.eval(s)) }
}

// affixOf is the test of starts_with or ends_with by a text that is written out; nil for another function.
func affixOf(n *application) func(string) bool {
	if n.name != "starts_with" && n.name != "ends_with" {
		return nil
	}
	with, ok := n.args[1].(*literal)
	if !ok {
		return nil
	}
	if n.name == "starts_with" {
		return func(v string) bool { return strings.HasPrefix(v, with.v.s) }
	}
	return func(v string) bool { return strings.HasSuffix(v, with.v.s) }
}

// quantifierOf asks of each element of a map's entry. Of an array that is not there neither any nor all is true.
func quantifierOf(n *quantifier) cond {
	over, ok := n.over.(*entry)
	if !ok {
		return func(s *Scope) Truth { return truth(n.eval(s)) }
	}
	body := condOf(n.body)
	decides, other := True, False
	if n.name == "all" {
		decides, other = False, True
	}
	return func(s *Scope) Truth {
		if over.of.obscure(s, over.key).state == unknown {
			return Unknown
		}
		_, v, at := over.of.src(s, over.key, 0)
		if at < 0 {
			return False
		}
		got := other
		for at >= 0 {
			s.elem = str(v)
			if is := body(s); is == decides {
				return decides
			} else if is == Unknown {
				got = Unknown
			}
			_, v, at = over.of.src(s, over.key, at)
		}
		return got
	}
}

// textOf compiles a text.
func textOf(n node) texter {
	switch n := n.(type) {
	case *single:
		if get := n.f.text; get != nil {
			return func(s *Scope) (string, state) { return get(s.Request), present }
		}
	case *each:
		return func(s *Scope) (string, state) { return s.elem.s, s.elem.state }
	case *element:
		if of, ok := n.of.(*entry); ok {
			return elementOf(of, n.n)
		}
	case *application:
		if change := map[string]func(string) string{"lower": edge.Lower, "upper": upper}[n.name]; change != nil {
			of := textOf(n.args[0])
			return func(s *Scope) (string, state) {
				v, st := of(s)
				if st == present {
					v = change(v)
				}
				return v, st
			}
		}
	}
	return func(s *Scope) (string, state) {
		v := n.eval(s)
		return v.s, v.state
	}
}

// elementOf is one of the values that a map has for a name.
func elementOf(of *entry, n int) texter {
	return func(s *Scope) (string, state) {
		if of.of.dark != nil {
			if st := of.of.obscure(s, of.key).state; st != present {
				return "", st
			}
		}
		_, v, at := of.of.src(s, of.key, 0)
		for i := 0; i < n && at >= 0; i++ {
			_, v, at = of.of.src(s, of.key, at)
		}
		if at < 0 {
			return "", missing
		}
		return v, present
	}
}

package lang

import (
	"strconv"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/pcre"
)

// Conditions answer in three values, as Kleene's logic has it: "and" is no as soon as one part is no, whatever cannot be
// known of the others.

type constant struct{ b bool }

func (n *constant) kind() kind        { return kind{base: boolean} }
func (n *constant) eval(*Scope) value { return yes(n.b) }
func (n *constant) String() string    { return strconv.FormatBool(n.b) }

type and struct{ parts []node }

func (n *and) kind() kind     { return kind{base: boolean} }
func (n *and) String() string { return joined(n.parts, " and ") }

func (n *and) eval(s *Scope) value {
	open := false
	for _, part := range n.parts {
		switch truth(part.eval(s)) {
		case False:
			return yes(false)
		case Unknown:
			open = true
		case True:
		}
	}
	if open {
		return value{state: unknown}
	}
	return yes(true)
}

type or struct{ parts []node }

func (n *or) kind() kind     { return kind{base: boolean} }
func (n *or) String() string { return joined(n.parts, " or ") }

func (n *or) eval(s *Scope) value {
	open := false
	for _, part := range n.parts {
		switch truth(part.eval(s)) {
		case True:
			return yes(true)
		case Unknown:
			open = true
		case False:
		}
	}
	if open {
		return value{state: unknown}
	}
	return yes(false)
}

type xor struct{ parts []node }

func (n *xor) kind() kind     { return kind{base: boolean} }
func (n *xor) String() string { return joined(n.parts, " xor ") }

func (n *xor) eval(s *Scope) value {
	odd := false
	for _, part := range n.parts {
		switch truth(part.eval(s)) {
		case Unknown:
			return value{state: unknown}
		case True:
			odd = !odd
		case False:
		}
	}
	return yes(odd)
}

func joined(parts []node, with string) string {
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = p.String()
	}
	return "(" + strings.Join(texts, with) + ")"
}

type not struct{ node node }

func (n *not) kind() kind     { return kind{base: boolean} }
func (n *not) String() string { return "not " + n.node.String() }

func (n *not) eval(s *Scope) value {
	switch truth(n.node.eval(s)) {
	case True:
		return yes(false)
	case False:
		return yes(true)
	case Unknown:
	}
	return value{state: unknown}
}

// comparison compares with one value.
type comparison struct {
	left  node
	op    string
	right value
	base  base
}

func (n *comparison) kind() kind { return kind{base: boolean, each: n.left.kind().each} }

func (n *comparison) String() string {
	return n.left.String() + " " + n.op + " " + shownValue(n.right, n.base)
}

func (n *comparison) eval(s *Scope) value {
	v := n.left.eval(s)
	if v.gone() {
		return v
	}
	c := 0
	switch n.base {
	case text:
		c = strings.Compare(v.s, n.right.s)
	case integer:
		switch {
		case v.n < n.right.n:
			c = -1
		case v.n > n.right.n:
			c = 1
		}
	case address:
		c = v.ip.Compare(n.right.ip)
	case anything, boolean:
	}
	switch n.op {
	case "eq":
		return yes(c == 0)
	case "ne":
		return yes(c != 0)
	case "lt":
		return yes(c < 0)
	case "le":
		return yes(c <= 0)
	case "gt":
		return yes(c > 0)
	}
	return yes(c >= 0)
}

func shownValue(v value, b base) string {
	switch {
	case b == integer:
		return strconv.FormatInt(v.n, 10)
	case b == address || v.ip.IsValid():
		return v.ip.String()
	}
	return quote(v.s)
}

type contains struct {
	left node
	part string
}

func (n *contains) kind() kind     { return kind{base: boolean, each: n.left.kind().each} }
func (n *contains) String() string { return n.left.String() + " contains " + quote(n.part) }

func (n *contains) eval(s *Scope) value {
	v := n.left.eval(s)
	if v.gone() {
		return v
	}
	return yes(strings.Contains(v.s, n.part))
}

// matches runs a regular expression anywhere in a text. Cloudflare's engine is Rust's, which like Go's takes time in
// proportion to the text, and knows neither look-around nor back-references.
type matches struct {
	left node
	text string
	re   *pcre.Test
}

func (n *matches) kind() kind     { return kind{base: boolean, each: n.left.kind().each} }
func (n *matches) String() string { return n.left.String() + " matches " + quote(n.text) }

func (n *matches) eval(s *Scope) value {
	v := n.left.eval(s)
	if v.gone() {
		return v
	}
	return yes(n.re.Match(v.s))
}

type like struct {
	left node
	w    *wildcard
}

func (n *like) kind() kind     { return kind{base: boolean, each: n.left.kind().each} }
func (n *like) String() string { return n.left.String() + " " + n.w.String() }

func (n *like) eval(s *Scope) value {
	v := n.left.eval(s)
	if v.gone() {
		return v
	}
	return yes(n.w.match(v.s))
}

// quote writes a text as the language does: raw where an escape would be needed.
func quote(s string) string {
	if !strings.ContainsAny(s, `"\\`) {
		return `"` + s + `"`
	}
	hashes := ""
	for strings.Contains(s, `"`+hashes) {
		hashes += "#"
	}
	return "r" + hashes + `"` + s + `"` + hashes
}

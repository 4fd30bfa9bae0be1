package lang

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/pcre"
	"github.com/ngxlimit/ngxlimit/analyzer/spelling"
)

// comparisons are the spellings of the operators that compare.
var comparisons = map[string]string{
	"eq": "eq", "==": "eq", "ne": "ne", "!=": "ne", "lt": "lt", "<": "lt", "le": "le", "<=": "le", "gt": "gt", ">": "gt",
	"ge": "ge", ">=": "ge", "contains": "contains", "matches": "matches", "~": "matches", "in": "in", "wildcard": "wildcard", "strict": "strict wildcard",
}

// compared reads the comparison behind a value, if there is one.
func (p *parser) compared(left node) (node, error) {
	t := p.at()
	op, ok := comparisons[t.text]
	if !ok || t.kind != tOp && t.kind != tIdent {
		return left, p.noOperator(t)
	}
	p.next++
	if op == "strict wildcard" {
		if err := p.expect("wildcard"); err != nil {
			return nil, err
		}
	}
	k := left.kind()
	switch {
	case k.shape == table:
		return nil, p.fail(t, "%s is a map: name one of its entries", snip(left.String()))
	case k.shape == array:
		return nil, p.fail(t, "%s is an array: compare one of its elements, or each with [*] inside any(...)", snip(left.String()))
	case k.base == boolean:
		return nil, p.fail(t, "%s is true or false by itself, and is not compared", snip(left.String()))
	}
	switch op {
	case "contains", "matches", "wildcard", "strict wildcard":
		if k.base != text && k.base != anything {
			return nil, p.fail(t, "%s is for texts, and %s is %s", op, snip(left.String()), k)
		}
		p.uses = append(p.uses, Use{Name: op, Start: t.start, End: t.end})
		return p.textual(left, op)
	case "in":
		return p.among(left)
	case "lt", "le", "gt", "ge":
		if k.base == address {
			return nil, p.fail(t, "addresses have no order: %s is for numbers and texts", t.text)
		}
	}
	v, err := p.literal(k.base)
	if err != nil {
		return nil, err
	}
	return &comparison{left, op, v, k.base}, nil
}

// noOperator refuses a word that was meant as an operator and is none.
func (p *parser) noOperator(t *token) error {
	if t.kind != tIdent || t.text == "and" || t.text == "or" || t.text == "xor" {
		return nil
	}
	low := strings.ToLower(t.text)
	if _, ok := comparisons[low]; ok || low == "and" || low == "or" || low == "xor" || low == "not" {
		return p.fail(t, "operators are written small: %s", low)
	}
	if _, ok := functions[t.text]; ok {
		return p.fail(t, "%s is a function: %s(..., ...)", t.text, t.text)
	}
	names := []string{"and", "or", "xor"}
	for name := range comparisons {
		names = append(names, name)
	}
	if near := spelling.Nearest(t.text, names); near != "" {
		return p.fail(t, "unknown operator %s: did you mean %s?", t.shown(), near)
	}
	return p.fail(t, "unknown operator %s", t.shown())
}

// textual reads what is to the right of an operator for texts.
func (p *parser) textual(left node, op string) (node, error) {
	t := p.take()
	if t.kind != tString && t.kind != tRaw {
		return nil, p.unexpected(t, "a text in quotes")
	}
	how := plain
	switch op {
	case "matches":
		how = pattern
	case "wildcard", "strict wildcard":
		how = stars
	}
	s, err := p.str(t, how)
	if err != nil {
		return nil, err
	}
	switch op {
	case "contains":
		return &contains{left, s}, nil
	case "matches":
		re, err := pcre.NewTest(s)
		if err != nil {
			return nil, p.fail(t, "the regular expression cannot be run: %s", regexError(err))
		}
		return &matches{left, s, re}, nil
	}
	w, err := newWildcard(s, op == "strict wildcard")
	if err != nil {
		return nil, p.fail(t, "%s", err)
	}
	return &like{left, w}, nil
}

// regexError is what is wrong with a regular expression.
func regexError(err error) string { return strings.TrimPrefix(err.Error(), "error parsing regexp: ") }

// among reads a set or a list.
func (p *parser) among(left node) (node, error) {
	b := left.kind().base
	open := p.take()
	if open.kind == tOp && open.text == "$" {
		return p.inList(left, open)
	}
	if open.kind != tOp || open.text != "{" {
		return nil, p.unexpected(open, "{ or a $list")
	}
	set := &in{left: left}
	for {
		t := p.at()
		if p.accept("}") {
			break
		}
		if t.kind == tEnd {
			return nil, p.fail(open, "the set is not closed")
		}
		if b == anything {
			b = baseOf(t)
		}
		if err := p.member(set, b); err != nil {
			return nil, err
		}
		p.accept(",")
	}
	if set.empty() {
		return nil, p.fail(open, "the set is empty")
	}
	set.finish()
	return set, nil
}

// baseOf is the kind of value that a token is.
func baseOf(t *token) base {
	if t.kind == tString || t.kind == tRaw {
		return text
	}
	if t.kind == tInt {
		return integer
	}
	if t.kind == tV4 || t.kind == tV6 {
		return address
	}
	return anything
}

// member reads one value, range or network of a set.
func (p *parser) member(set *in, b base) error {
	t := p.take()
	if got := baseOf(t); got != b {
		return p.fail(t, "%s is no %s as the others are", t.shown(), strings.TrimPrefix(strings.TrimPrefix(b.String(), "a "), "an "))
	}
	switch b {
	case text:
		s, err := p.str(t, plain)
		if err != nil {
			return err
		}
		set.texts = append(set.texts, s)
	case integer:
		from, err := number(t)
		if err != nil {
			return p.fail(t, "%s", err)
		}
		to := from
		if p.at().kind == tRange {
			p.take()
			last := p.take()
			if last.kind != tInt {
				return p.unexpected(last, "the last number of the range")
			}
			if to, err = number(last); err != nil || to < from {
				return p.fail(last, "the range %d..%s ends before it begins", from, last.shown())
			}
		}
		set.numbers = append(set.numbers, [2]int64{from, to})
	case address:
		if strings.Contains(t.text, "/") {
			n, err := netip.ParsePrefix(t.text)
			if err != nil {
				return p.fail(t, "%s is no network", t.shown())
			}
			set.networks.AddPrefix(n.Masked())
			set.shown = append(set.shown, t.text)
			return nil
		}
		return p.addresses(set, t)
	case anything, boolean:
	}
	return nil
}

func (p *parser) addresses(set *in, t *token) error {
	from, err := netip.ParseAddr(t.text)
	if err != nil {
		return p.fail(t, "%s is no address", t.shown())
	}
	if p.at().kind != tRange {
		set.networks.Add(from)
		set.shown = append(set.shown, t.text)
		return nil
	}
	p.take()
	last := p.take()
	to, err := netip.ParseAddr(last.text)
	if err != nil || to.Is4() != from.Is4() || to.Less(from) {
		return p.fail(last, "%s does not end a range that begins with %s", last.shown(), from)
	}
	set.networks.AddRange(rangeOf(from, to))
	set.shown = append(set.shown, t.text+".."+last.text)
	return nil
}

func (p *parser) inList(left node, dollar *token) (node, error) {
	t := p.take()
	if t.kind != tIdent || t.start != dollar.end {
		return nil, p.unexpected(t, "the name of a list")
	}
	p.uses = append(p.uses, Use{Name: "$" + t.text, Start: dollar.start, End: t.end})
	if l := p.env.Lists[t.text]; l != nil {
		if b := left.kind().base; b != anything && !l.holds(b) {
			return nil, p.fail(t, "the list $%s has %s, and %s is %s", t.text, l.what(), snip(left.String()), b)
		}
		return &inList{left, "$" + t.text, l, ""}, nil
	}
	why := fmt.Sprintf("the list $%s was not given (--list %s=FILE)", t.text, t.text)
	if strings.HasPrefix(t.text, "cf.") {
		why = fmt.Sprintf("the list $%s is Cloudflare's own, and its entries are not public", t.text)
	}
	return &inList{left, "$" + t.text, nil, why}, nil
}

// literal reads the right side of a comparison.
func (p *parser) literal(b base) (value, error) {
	t := p.take()
	got := baseOf(t)
	switch {
	case got == anything:
		return value{}, p.unexpected(t, "a text in quotes, a number or an address")
	case b != anything && got != b:
		return value{}, p.fail(t, "%s is compared with %s, and %s is %s", strings.TrimPrefix(b.String(), "a "), b, t.shown(), got)
	}
	switch got {
	case text:
		s, err := p.str(t, plain)
		return str(s), err
	case integer:
		n, err := number(t)
		if err != nil {
			return value{}, p.fail(t, "%s", err)
		}
		return num(n), nil
	case anything, boolean, address:
	}
	a, err := netip.ParseAddr(t.text)
	if err != nil {
		return value{}, p.fail(t, "%s is no address; networks stand in a set: in {%s}", t.shown(), t.shown())
	}
	return value{ip: a}, nil
}

func number(t *token) (int64, error) {
	n, err := strconv.ParseInt(t.text, 10, 64)
	if err != nil {
		return 0, errors.New("the number is too large")
	}
	return n, nil
}

// How the backslashes of a text in quotes are read.
type quoting uint8

const (
	plain   quoting = iota // \" and \\
	pattern                // \" only: the rest is the regular expression's own
	stars                  // plain, and \* stays for the pattern
)

// str is the value of a text in quotes.
func (p *parser) str(t *token, how quoting) (string, error) {
	if t.kind == tRaw {
		return t.text, nil
	}
	s := t.text[1 : len(t.text)-1]
	if !strings.Contains(s, `\`) {
		return s, nil
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch c := s[i]; {
		case c == '"':
			b.WriteByte('"')
		case how == pattern:
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '\\':
			b.WriteByte('\\')
		case c == '*' && how == stars:
			b.WriteString(`\*`)
		default:
			return "", &Error{t.start + i, t.start + i + 2, fmt.Sprintf(`unknown escape \%c: texts have \" and \\ only, and r"..." has none`, c)}
		}
	}
	return b.String(), nil
}

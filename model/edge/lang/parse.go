package lang

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/spelling"
	"github.com/ngxlimit/ngxlimit/model/edge"
)

// deepest bounds how far expressions may be nested.
const deepest = 64

// An Expr is an expression that has been read. It may be asked by many at once, each with a Scope of its own.
type Expr struct {
	Text string
	Uses []Use // the fields, functions, lists and operators that were named, in order
	root node
	test cond // root, compiled
}

// A Use is a name in an expression.
type Use struct {
	Name       string // "http.request.uri.path", "lower", "$office", "matches"
	Field      string // the whole of a field with its key: http.request.headers["x-api-key"]; "" for others
	Key        string // that key
	Start, End int    // bytes from the expression's start
	Response   bool   // it is known only from the answer
}

// An Env is what expressions may refer to.
type Env struct {
	Lists map[string]*List // by name, without the "$"
	Plan  string           // what cf.zone.plan is: "ENT"; "" for unknown
}

// Parse reads an expression. Errors are *Error.
func Parse(text string, env *Env) (*Expr, error) {
	p, err := newParser(text, env)
	if err != nil {
		return nil, err
	}
	if p.at().kind == tEnd {
		return nil, p.fail(p.at(), "it is empty")
	}
	root, err := p.logic(0)
	if err != nil {
		return nil, err
	}
	if t := p.at(); t.kind != tEnd {
		return nil, p.unexpected(t, "and, or, xor or the end")
	}
	return &Expr{text, p.uses, root, condOf(root)}, nil
}

// Match asks the expression.
func (e *Expr) Match(s *Scope) Truth {
	s.why = ""
	return e.test(s)
}

// truth is the answer that a value is; one that is not there is no.
func truth(v value) Truth {
	switch {
	case v.state == unknown:
		return Unknown
	case v.state == missing || !v.b:
		return False
	}
	return True
}

type parser struct {
	tokens []token
	next   int
	env    *Env
	uses   []Use
	depth  int
	calls  []*call // functions whose arguments are being read
}

// A call is a function whose arguments are being read.
type call struct {
	name  string
	arg   int
	over  list   // what any or all goes through
	elem  string // its text
	outer bool   // any or all is itself, not what is called inside it
}

func newParser(text string, env *Env) (*parser, error) {
	tokens, err := split(text)
	if err != nil {
		return nil, err
	}
	if env == nil {
		env = &Env{}
	}
	return &parser{tokens: tokens, env: env}, nil
}

func (p *parser) at() *token { return &p.tokens[p.next] }

func (p *parser) take() *token {
	t := &p.tokens[p.next]
	if t.kind != tEnd {
		p.next++
	}
	return t
}

func (p *parser) is(text string) bool {
	t := p.at()
	return (t.kind == tOp || t.kind == tIdent) && t.text == text
}

func (p *parser) accept(text string) bool {
	if !p.is(text) {
		return false
	}
	p.next++
	return true
}

func (p *parser) expect(text string) error {
	if p.accept(text) {
		return nil
	}
	return p.unexpected(p.at(), text)
}

func (p *parser) fail(t *token, format string, args ...any) error {
	return &Error{t.start, t.end, fmt.Sprintf(format, args...)}
}

func (p *parser) unexpected(t *token, want string) error {
	return p.fail(t, "%s where %s is expected", t.shown(), want)
}

func (p *parser) deeper(t *token) error {
	if p.depth++; p.depth > deepest {
		return p.fail(t, "it is nested more than %d deep", deepest)
	}
	return nil
}

// logics are the operators between conditions; what binds more has the higher number.
var logics = []struct{ english, c string }{{"or", "||"}, {"xor", "^^"}, {"and", "&&"}}

// logic reads conditions joined by operators that bind at least as much as level.
func (p *parser) logic(level int) (node, error) {
	if level == len(logics) {
		return p.condition()
	}
	left, err := p.logic(level + 1)
	if err != nil {
		return nil, err
	}
	op := logics[level]
	var parts []node
	for {
		t := p.at()
		if !p.accept(op.english) && !p.accept(op.c) {
			break
		}
		right, err := p.logic(level + 1)
		if err != nil {
			return nil, err
		}
		for _, n := range []node{left, right} {
			if err := p.needBool(n, t); err != nil {
				return nil, err
			}
		}
		if parts == nil {
			parts = []node{left}
		}
		parts = append(parts, right)
	}
	if parts == nil {
		return left, nil
	}
	switch op.english {
	case "and":
		return &and{parts}, nil
	case "xor":
		return &xor{parts}, nil
	}
	return &or{parts}, nil
}

func (p *parser) needBool(n node, t *token) error {
	if k := n.kind(); k.shape != one || k.base != boolean && k.base != anything {
		return p.fail(t, "%s joins conditions, and %s is %s", t.text, snip(n.String()), k)
	}
	return nil
}

// condition reads one condition: a negated one, one in parentheses, a comparison, or what is true or false itself.
func (p *parser) condition() (node, error) {
	t := p.at()
	if err := p.deeper(t); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	switch {
	case p.accept("not") || p.accept("!"):
		n, err := p.condition()
		if err != nil {
			return nil, err
		}
		return &not{n}, p.needBool(n, t)
	case p.accept("("):
		n, err := p.logic(0)
		if err != nil {
			return nil, err
		}
		return n, p.expect(")")
	}
	left, err := p.operand()
	if err != nil {
		return nil, err
	}
	n, err := p.compared(left)
	if err != nil {
		return nil, err
	}
	if len(p.calls) == 0 {
		if k := n.kind(); k.shape != one || k.base != boolean && k.base != anything {
			return nil, p.unexpected(p.at(), "a comparison of "+snip(n.String()))
		}
	}
	return n, nil
}

// operand reads a field, a function or true and false, with the indexes behind it.
func (p *parser) operand() (node, error) {
	t := p.take()
	if t.kind != tIdent {
		if t.kind == tOp && t.text == "$" {
			return nil, p.fail(t, "a list stands behind in only")
		}
		return nil, p.unexpected(t, "a field or a function")
	}
	var n node
	var err error
	switch {
	case t.text == "true" || t.text == "false":
		return &constant{t.text == "true"}, nil
	case p.is("("):
		n, err = p.function(t)
	default:
		n, err = p.field(t)
	}
	if err != nil {
		return nil, err
	}
	from := len(p.uses) - 1
	for p.is("[") {
		if n, err = p.index(n); err != nil {
			return nil, err
		}
		if f, ok := n.(*entry); ok && from >= 0 && p.uses[from].Start == t.start {
			p.uses[from].Field, p.uses[from].Key, p.uses[from].End = f.String(), f.key, p.tokens[p.next-1].end
		}
	}
	return n, nil
}

// index reads ["key"], [0] or [*].
func (p *parser) index(n node) (node, error) {
	open := p.take()
	t := p.take()
	k := n.kind()
	var made node
	switch {
	case t.kind == tString || t.kind == tRaw:
		key, err := p.str(t, plain)
		if err != nil {
			return nil, err
		}
		m, ok := n.(*mapField)
		if !ok {
			return nil, p.fail(t, "%s is %s and has no names", snip(n.String()), k)
		}
		made = &entry{m, key}
	case t.kind == tInt:
		l, ok := n.(list)
		i, err := number(t)
		if err != nil || i < 0 || i > 1<<20 {
			return nil, p.fail(t, "%s is no index", t.shown())
		}
		if !ok || k.shape != array {
			return nil, p.fail(t, "%s is %s and has no elements", snip(n.String()), k)
		}
		made = &element{l, int(i)}
	case t.kind == tOp && t.text == "*":
		all, err := p.splat(n, open)
		if err != nil {
			return nil, err
		}
		made = all
	default:
		return nil, p.unexpected(t, "a name, a number or *")
	}
	return made, p.expect("]")
}

// splat reads the [*] behind an array: inside any and all it stands for each element in turn.
func (p *parser) splat(n node, t *token) (node, error) {
	if m, ok := n.(*mapped); ok {
		return m.node, nil // a function's result for each element
	}
	l, ok := n.(list)
	if !ok || n.kind().shape != array {
		return nil, p.fail(t, "%s is %s and has no elements", snip(n.String()), n.kind())
	}
	i := slices.IndexFunc(p.calls, func(c *call) bool { return c.outer })
	if i < 0 {
		return nil, p.fail(t, "[*] stands inside any(...) or all(...) only")
	}
	c := p.calls[i]
	for _, inner := range p.calls[i:] {
		if inner.arg > 0 {
			return nil, p.fail(t, "[*] stands in the first argument of a function only")
		}
	}
	switch {
	case c.over == nil:
		c.over, c.elem = l, l.String()
	case c.elem != l.String():
		return nil, p.fail(t, "%s goes through %s already, and through one array only", c.name, snip(c.elem))
	}
	return &each{l}, nil
}

// field reads the name of a field.
func (p *parser) field(t *token) (node, error) {
	n, f, ok := fieldNode(t.text, p.env)
	if !ok {
		if near := spelling.Nearest(t.text, fieldNames()); near != "" {
			return nil, p.fail(t, "unknown field %s: did you mean %s?", t.shown(), near)
		}
		if _, ok := functions[t.text]; ok {
			return nil, p.fail(t, "%s is a function: it needs its arguments in parentheses", t.shown())
		}
		return nil, p.fail(t, "unknown field %s", t.shown())
	}
	p.uses = append(p.uses, Use{Name: t.text, Field: t.text, Start: t.start, End: t.end, Response: f.response})
	return n, nil
}

// snip cuts a long text for a message.
func snip(s string) string {
	if len(s) > 60 {
		return s[:57] + "..."
	}
	return s
}

// Read notes what an expression looks at.
func (e *Expr) Read(r *edge.Reads) { read(e.Uses, r) }

// Read notes what a characteristic looks at.
func (k *Key) Read(r *edge.Reads) { read(k.Uses, r) }

func read(uses []Use, r *edge.Reads) {
	for i := range uses {
		u := &uses[i]
		switch u.Name {
		case "http.user_agent":
			r.AddHeader("user-agent")
		case "http.referer":
			r.AddHeader("referer")
		case "http.cookie":
			r.AddHeader("cookie")
		case "http.request.headers":
			r.AddHeader(u.Key)
		case "http.request.cookies":
			r.AddCookie(u.Key)
		case "http.response.headers":
			r.AddAnswer(u.Key)
		case "http.response.content_type.media_type":
			r.AddAnswer("content-type")
		}
		r.Query = r.Query || strings.Contains(u.Name, ".uri") && !strings.Contains(u.Name, ".uri.path") || u.Name == "http.request.full_uri"
	}
}

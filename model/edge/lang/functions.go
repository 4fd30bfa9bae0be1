package lang

import (
	"encoding/base64"
	"net/netip"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/spelling"
	"github.com/ngxlimit/ngxlimit/model/edge"
)

// A function is one that the documentation lists and that rate limiting rules may use.
type function struct {
	args   []string // what each argument is; "?" at the end for one that may be left out, "..." for one or more
	result base
	run    func(s *Scope, args []value) value // where all arguments are there
	dark   string                             // why it cannot be known
}

var functions = map[string]function{
	"any":                 {args: []string{"each"}, result: boolean},
	"all":                 {args: []string{"each"}, result: boolean},
	"lower":               {[]string{"text"}, text, func(_ *Scope, a []value) value { return str(edge.Lower(a[0].s)) }, ""},
	"upper":               {[]string{"text"}, text, func(_ *Scope, a []value) value { return str(upper(a[0].s)) }, ""},
	"len":                 {[]string{"text or array"}, integer, func(_ *Scope, a []value) value { return num(int64(len(a[0].s))) }, ""},
	"starts_with":         {[]string{"text", "text"}, boolean, func(_ *Scope, a []value) value { return yes(strings.HasPrefix(a[0].s, a[1].s)) }, ""},
	"ends_with":           {[]string{"text", "text"}, boolean, func(_ *Scope, a []value) value { return yes(strings.HasSuffix(a[0].s, a[1].s)) }, ""},
	"concat":              {[]string{"text", "text..."}, text, concat, ""},
	"substring":           {[]string{"text", "number", "number?"}, text, substring, ""},
	"url_decode":          {[]string{"text", "text?"}, text, urlDecode, ""},
	"decode_base64":       {[]string{"text"}, text, decodeBase64, ""},
	"remove_bytes":        {[]string{"text", "text"}, text, removeBytes, ""},
	"cidr":                {[]string{"address", "number", "number"}, address, cidr, ""},
	"cidr6":               {[]string{"address", "number"}, address, cidr6, ""},
	"lookup_json_string":  {[]string{"text", "key..."}, text, nil, byBody},
	"lookup_json_integer": {[]string{"text", "key..."}, integer, nil, byBody},
}

// unusable are functions of the language that rate limiting rules may not call, or that are not modelled.
var unusable = map[string]string{
	"regex_replace": "rate limiting rules may not use it", "to_string": "rate limiting rules may not use it",
	"wildcard_replace": "rate limiting rules may not use it", "uuidv4": "rate limiting rules may not use it",
	"encode_base64": "it is not modelled", "sha256": "it is not modelled", "split": "it is not modelled", "join": "it is not modelled",
	"has_key": "it is not modelled", "has_value": "it is not modelled", "bit_slice": "it is not modelled",
	"is_timed_hmac_valid_v0": "it is not modelled", "remove_query_args": "it is not modelled", "trim": "it is not modelled",
}

func functionNames() []string {
	names := make([]string, 0, len(functions))
	for name := range functions {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// function reads a call; the name has been read.
func (p *parser) function(t *token) (node, error) {
	f, ok := functions[t.text]
	if !ok {
		if why := unusable[t.text]; why != "" {
			return nil, p.fail(t, "function %s: %s", t.text, why)
		}
		if near := spelling.Nearest(t.text, functionNames()); near != "" {
			return nil, p.fail(t, "unknown function %s: did you mean %s?", t.shown(), near)
		}
		return nil, p.fail(t, "unknown function %s", t.shown())
	}
	if err := p.deeper(t); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	p.next++ // (
	p.uses = append(p.uses, Use{Name: t.text, Start: t.start, End: t.end})
	c := &call{name: t.text, outer: f.args[0] == "each"}
	if c.outer && slices.ContainsFunc(p.calls, func(c *call) bool { return c.outer }) {
		return nil, p.fail(t, "%s stands in no other any or all", t.text)
	}
	p.calls = append(p.calls, c)
	defer func() { p.calls = p.calls[:len(p.calls)-1] }()
	args, err := p.arguments(t, c, &f)
	if err != nil {
		return nil, err
	}
	if c.outer {
		return p.quantifier(t, c, args[0])
	}
	n := &application{name: t.text, f: f, args: args, why: t.text + ": " + f.dark}
	if l, ok := args[0].(list); ok && t.text == "len" {
		return &length{l}, nil
	}
	if args[0].kind().each {
		n.each = true
		return &mapped{n}, nil
	}
	return n, nil
}

func (p *parser) arguments(t *token, c *call, f *function) ([]node, error) {
	var args []node
	for {
		at := p.at()
		want := f.args[min(len(args), len(f.args)-1)]
		if len(args) >= len(f.args) && !strings.HasSuffix(want, "...") {
			return nil, p.fail(at, "%s takes at most %d arguments", t.text, len(f.args))
		}
		n, err := p.argument(at, c, strings.TrimRight(want, ".?"))
		if err != nil {
			return nil, err
		}
		args = append(args, n)
		c.arg++
		if p.accept(",") {
			continue
		}
		if err := p.expect(")"); err != nil {
			return nil, err
		}
		break
	}
	least := len(f.args)
	if strings.HasSuffix(f.args[least-1], "?") {
		least--
	}
	if len(args) < least {
		return nil, p.fail(t, "%s takes %d arguments, and has %d", t.text, least, len(args))
	}
	return args, nil
}

// argument reads one argument and sees that it is what the function takes.
func (p *parser) argument(t *token, c *call, want string) (node, error) {
	if c.outer {
		return p.logic(0)
	}
	switch b := baseOf(t); {
	case b == text && (want == "text" || want == "key"):
		p.next++
		s, err := p.str(t, plain)
		return &literal{text, str(s)}, err
	case b == integer && (want == "number" || want == "key"):
		p.next++
		n, err := number(t)
		if err != nil {
			return nil, p.fail(t, "%s", err)
		}
		return &literal{integer, num(n)}, nil
	case b != anything:
		return nil, p.fail(t, "%s takes a %s here, and %s is %s", c.name, want, t.shown(), b)
	}
	n, err := p.operand()
	if err != nil {
		return nil, err
	}
	k := n.kind()
	ok := k.base == anything && k.shape == one
	switch want {
	case "text":
		ok = ok || k.base == text && k.shape == one
	case "text or array":
		ok = ok || k.base == text && k.shape == one || k.shape == array
	case "address":
		ok = ok || k.base == address
	case "number", "key":
	}
	if _, inner := n.(*mapped); inner && want == "text" {
		n, ok = n.(*mapped).node, k.base == text
	}
	if !ok {
		return nil, p.fail(t, "%s takes a %s here, and %s is %s", c.name, want, snip(n.String()), k)
	}
	return n, nil
}

// quantifier makes the node of any or all.
func (p *parser) quantifier(t *token, c *call, body node) (node, error) {
	if m, ok := body.(*mapped); ok {
		body = m.node
	}
	if c.over == nil {
		return nil, p.fail(t, "%s goes through an array: it needs one with [*]", t.text)
	}
	if k := body.kind(); k.base != boolean || k.shape != one {
		return nil, p.fail(t, "%s needs a comparison of each element, and %s is %s", t.text, snip(body.String()), k)
	}
	return &quantifier{t.text, c.over, body}, nil
}

// quantifier is any or all.
type quantifier struct {
	name string
	over list
	body node
}

func (n *quantifier) kind() kind     { return kind{base: boolean} }
func (n *quantifier) String() string { return n.name + "(" + n.body.String() + ")" }

// eval asks for each element. Of an array that is not there neither any nor all is true.
func (n *quantifier) eval(s *Scope) value {
	v, at := n.over.next(s, 0)
	if v.gone() {
		return v
	}
	open, decides := false, True
	if n.name == "all" {
		decides = False
	}
	for at >= 0 {
		s.elem = v
		switch got := truth(n.body.eval(s)); got {
		case decides:
			return yes(decides == True)
		case Unknown:
			open = true
		case True, False:
		}
		v, at = n.over.next(s, at)
	}
	if open {
		return value{state: unknown}
	}
	return yes(decides == False)
}

// length is how many elements an array has.
type length struct{ of list }

func (n *length) kind() kind     { return kind{base: integer} }
func (n *length) String() string { return "len(" + n.of.String() + ")" }

func (n *length) eval(s *Scope) value {
	v, at := n.of.next(s, 0)
	if v.gone() {
		return v
	}
	count := int64(0)
	for at >= 0 {
		count++
		_, at = n.of.next(s, at)
	}
	return num(count)
}

// literal is a value that is written as an argument.
type literal struct {
	base base
	v    value
}

func (n *literal) kind() kind        { return kind{base: n.base} }
func (n *literal) String() string    { return shownValue(n.v, n.base) }
func (n *literal) eval(*Scope) value { return n.v }

// application is a function with its arguments.
type application struct {
	name string
	f    function
	args []node
	each bool
	why  string // it cannot be known; "" where it can
}

func (n *application) kind() kind { return kind{base: n.f.result, each: n.each} }

func (n *application) String() string {
	texts := make([]string, len(n.args))
	for i, a := range n.args {
		texts[i] = a.String()
	}
	call := n.name + "(" + strings.Join(texts, ", ") + ")"
	if n.each {
		call += "[*]"
	}
	return call
}

func (n *application) eval(s *Scope) value {
	before := len(s.args) // arguments lie in the scope, so that no call needs memory of its own
	defer func() { s.args = s.args[:before] }()
	for _, a := range n.args {
		v := a.eval(s)
		if v.gone() {
			return v
		}
		s.args = append(s.args, v)
	}
	if n.f.run == nil {
		return s.dark(n.why)
	}
	return n.f.run(s, s.args[before:])
}

func upper(s string) string {
	for i := range len(s) {
		if 'a' <= s[i] && s[i] <= 'z' {
			b := []byte(s)
			for i, c := range b {
				if 'a' <= c && c <= 'z' {
					b[i] = c &^ 0x20
				}
			}
			return string(b)
		}
	}
	return s
}

func concat(_ *Scope, args []value) value {
	n := 0
	for i := range args {
		n += len(args[i].s)
	}
	b := make([]byte, 0, n)
	for i := range args {
		b = append(b, args[i].s...)
	}
	return str(string(b))
}

// substring counts in bytes, from the end where a number is negative.
func substring(_ *Scope, args []value) value {
	s := args[0].s
	at := func(n int64) int {
		if n < 0 {
			n += int64(len(s))
		}
		return int(min(max(n, 0), int64(len(s))))
	}
	from, to := at(args[1].n), len(s)
	if len(args) > 2 {
		to = at(args[2].n)
	}
	if from >= to {
		return str("")
	}
	return str(s[from:to])
}

// urlDecode decodes %XX and +; with the option "r" again and again, as long as it changes anything.
func urlDecode(_ *Scope, args []value) value {
	s := edge.Unescape(args[0].s, true)
	if len(args) < 2 || !strings.Contains(args[1].s, "r") {
		return str(s)
	}
	for range 16 {
		next := edge.Unescape(s, true)
		if next == s {
			break
		}
		s = next
	}
	return str(s)
}

func decodeBase64(_ *Scope, args []value) value {
	s := strings.TrimRight(args[0].s, "=")
	b, err := base64.RawStdEncoding.DecodeString(s)
	if err != nil {
		return value{state: missing}
	}
	return str(string(b))
}

func removeBytes(_ *Scope, args []value) value {
	if !strings.ContainsAny(args[0].s, args[1].s) {
		return args[0]
	}
	b := make([]byte, 0, len(args[0].s))
	for i := range len(args[0].s) {
		if c := args[0].s[i]; strings.IndexByte(args[1].s, c) < 0 {
			b = append(b, c)
		}
	}
	return str(string(b))
}

// cidr is the network of an address: so many bits of an IPv4 one, so many of an IPv6 one.
func cidr(_ *Scope, args []value) value {
	if args[0].ip.Is4() {
		return network(args[0].ip, args[1].n)
	}
	return network(args[0].ip, args[2].n)
}

// cidr6 is the network of an IPv6 address; an IPv4 address stays whole.
func cidr6(_ *Scope, args []value) value {
	if args[0].ip.Is4() {
		return args[0]
	}
	return network(args[0].ip, args[1].n)
}

func network(a netip.Addr, bits int64) value {
	if bits < 0 || bits > int64(a.BitLen()) {
		return value{state: missing}
	}
	return value{ip: netip.PrefixFrom(a, int(bits)).Masked().Addr()}
}

package pipeline

import (
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/pcre"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
)

// rewrite runs the rewrite directives of the level at hand, and says whether they ended the request there.
func (r *run) rewrite() (answer, bool) {
	c := r.conf
	if c.is(noRewrite) {
		return answer{}, false
	}
	if len(c.opaque) > 0 {
		r.assumeOpaque(c, rewritePhase, "may end the request before the limiters; it is taken to let it pass")
	}
	if len(c.codes) == 0 {
		return answer{}, false
	}
	// nginx quotes captures until the first rewrite has run.
	quote := true
	for i := 0; i < len(c.codes); i++ {
		code := &c.codes[i]
		switch code.op {
		case opSet:
			r.set(code.name, r.eval(code.text, quote))
		case opBreak:
			r.rewritten = r.rewritten || r.uriChanged
			r.uriChanged = false
			return answer{}, false
		case opReturn:
			return r.returns(code), true
		case opIf:
			holds, err := r.holds(code, quote)
			if err != nil && !r.mayOnlySet(c.codes[i:], err) {
				return r.unknown(), true
			}
			if !holds {
				i += code.skip
			} else if code.branch != nil {
				r.enter(r.g.branch(c, code.branch))
			}
		case opRewrite:
			matched, err := r.match(code.pattern, r.vars.URI)
			if err != nil {
				r.lose(where(code.item), err)
				return r.unknown(), true
			}
			if !matched {
				continue
			}
			if code.redirect {
				r.redirect = r.known(r.eval(code.text, true))
				if code.addArgs {
					r.redirect = r.withArgs(r.redirect, code.joiner())
				}
				r.step(c, "rewrite", r.redirect)
				return r.finalize(code.status, EndRewrite), true
			}
			quote = false
			if !r.rewriteURI(code) {
				if r.lost {
					return r.unknown(), true
				}
				return r.finalize(500, EndRewrite), true
			}
			r.step(c, "rewrite", r.vars.URI)
			if code.last {
				return answer{}, false
			}
		}
	}
	return answer{}, false
}

// unknown ends a request whose way cannot be followed any further; an assumption has said why.
func (r *run) unknown() answer { return answer{EndUnknown, 0, r.conf} }

// returns answers as a return directive does: with a text, or with a code below 400, directly; else as any error, so
// that error_page applies.
func (r *run) returns(code *instruction) answer {
	r.step(r.conf, "return", code.item.Arg(0))
	if code.status >= 400 && !code.hasText {
		return r.finalize(code.status, EndReturn)
	}
	switch code.status {
	case 301, 302, 303, 307, 308:
		r.redirect = r.known(r.eval(code.text, false))
		return r.finalize(code.status, EndReturn)
	}
	return r.sent(code.status, EndReturn)
}

// rewriteURI replaces URI and arguments. A "?" in the replacement, not in a variable's value, begins the arguments.
func (r *run) rewriteURI(code *instruction) bool {
	r.touch(code.text)
	uri, args, hasArgs := r.split(code.text)
	if r.lost {
		return false
	}
	if hasArgs {
		if code.addArgs && r.vars.Args != "" {
			args += "&" + r.vars.Args
		}
		r.vars.Args = args
	} else if !code.addArgs {
		r.vars.Args = ""
	}
	r.vars.URI = uri
	r.internal = true
	r.uriChanged, r.rewritten = code.restart, r.rewritten || !code.restart
	return uri != ""
}

// joiner is what stands between a redirect's address and the arguments sent: "&" where the replacement itself has some.
func (code *instruction) joiner() string {
	for _, p := range code.text.Parts {
		if strings.Contains(p.Literal, "?") {
			return "&"
		}
	}
	return "?"
}

// withArgs adds the request's arguments to an address.
func (r *run) withArgs(to, joiner string) string {
	if r.vars.Args == "" {
		return to
	}
	return to + joiner + r.vars.Args
}

// split yields a replacement for this request, parted at its last literal "?". Captures behind it are escaped where the
// URI was sent with escapes.
func (r *run) split(t value.Template) (uri, args string, hasArgs bool) {
	b := r.vars.Build()
	at := 0
	for _, p := range t.Parts {
		if p.Variable != "" {
			b.Add(r.part(p, hasArgs))
			continue
		}
		rest := p.Literal
		for {
			before, after, found := strings.Cut(rest, "?")
			b.Add(before)
			if !found {
				break
			}
			at, hasArgs, rest = b.Len(), true, after
		}
	}
	v := b.Value()
	s, ok := v.Known()
	if !ok {
		r.assume("rewrite: " + v.Reason())
		r.lost = true
		return "", "", false
	}
	if hasArgs {
		return s[:at], s[at:], true
	}
	return s, "", false
}

// eval yields a template's value, with captures escaped where quote is set and the URI was sent with escapes. It is
// unknown as soon as a part of it is.
func (r *run) eval(t value.Template, quote bool) value.Value {
	r.touch(t)
	if !quote || !r.escaped {
		return t.Eval(r.vars)
	}
	b := r.vars.Build()
	for _, p := range t.Parts {
		s := p.Literal
		if p.Variable != "" {
			v := r.vars.Variable(p.Variable)
			text, known := v.Known()
			if s = text; !known {
				return v
			}
			if isCapture(p.Variable) {
				s = escapeArgs(s)
			}
		}
		if !b.Add(s) {
			break
		}
	}
	return b.Value()
}

// part yields one variable of a replacement. An unknown one is taken as empty, and said.
func (r *run) part(p value.Part, quote bool) string {
	s := r.known(r.vars.Variable(p.Variable))
	if quote && r.escaped && isCapture(p.Variable) {
		return escapeArgs(s)
	}
	return s
}

func isCapture(name string) bool { return len(name) == 1 && name[0] >= '1' && name[0] <= '9' }

// escapeArgs escapes what may not stand in arguments as it is, by nginx's table (ngx_escape_uri, NGX_ESCAPE_ARGS).
func escapeArgs(s string) string {
	const hex = "0123456789ABCDEF"
	needs := func(c byte) bool {
		return c <= ' ' || c >= 0x7f || c == '"' || c == '#' || c == '%' || c == '&' || c == '+' || c == '?' ||
			c == ';' || c == '<' || c == '>' || c == '\\' || c == '^' || c == '`' || c == '{' || c == '|' || c == '}'
	}
	n := 0
	for i := range len(s) {
		if needs(s[i]) {
			n++
		}
	}
	if n == 0 {
		return s
	}
	b := make([]byte, 0, len(s)+2*n)
	for i := range len(s) {
		if c := s[i]; needs(c) {
			b = append(b, '%', hex[c>>4], hex[c&15])
		} else {
			b = append(b, c)
		}
	}
	return string(b)
}

// holds judges the condition of an if. One whose variables are not known is taken not to hold, and said. An error is of a
// regex that could not be decided.
func (r *run) holds(code *instruction, quote bool) (bool, error) {
	c := &code.test
	if isFileTest(c.op) {
		return r.fileTest(code), nil
	}
	if c.op == "?" {
		r.assumeAt(code.item, "its condition cannot be read; it is taken not to hold")
		return false, nil
	}
	left := r.eval(c.left, false)
	s, ok := left.Known()
	if !ok {
		r.assumeAt(code.item, left.Reason()+"; its condition is taken not to hold")
		return false, nil
	}
	switch c.op {
	case "":
		return s != "" && s != "0", nil
	case "=", "!=":
		right := r.eval(c.right, quote)
		t, ok := right.Known()
		if !ok {
			r.assumeAt(code.item, right.Reason()+"; its condition is taken not to hold")
			return false, nil
		}
		return (s == t) == (c.op == "="), nil
	}
	matched, err := r.match(c.pattern, s)
	return matched == (c.op[0] == '~'), err
}

// mayOnlySet looks at an if, the first of the codes, whose regex could not be decided. Where its block does nothing but
// give values to variables, these are not known from then on, and the request goes on; else it is lost.
func (r *run) mayOnlySet(codes []instruction, err error) bool {
	code := &codes[0]
	block := codes[1 : 1+code.skip]
	sets := !pcre.Exceeded(err) && (code.branch == nil || len(code.branch.Items) == code.skip && len(r.conf.tryFiles) == 0)
	for i := range block {
		sets = sets && block[i].op == opSet
	}
	if !sets {
		r.lose(where(code.item), err)
		return false
	}
	r.assumeAt(code.item, err.Error()+"; whether it matches, and what the variables that it sets hold, cannot be known")
	for i := range block {
		r.set(block[i].name, value.Unknown(err.Error()))
	}
	return true
}

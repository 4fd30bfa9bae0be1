package value

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/hostname"
)

// A Template is a complex value: text with variables in it.
type Template struct {
	Text  string // as written
	Parts []Part // nil for empty text
}

// A Part is a piece of a template: literal text, or the name of a variable without "$" and in lower case (a capture is
// "1" to "9").
type Part struct {
	Literal, Variable string

	fixed *builtin // what the variable is, so that nobody looks for it by its name; nil where that is not known. See Definitions.Bind
}

var errVariableName = errors.New("invalid variable name")

// Parse reads a complex value. The error is in nginx's words: invalid variable name; the closing bracket in "x"
// variable is missing; unknown "1" variable.
func Parse(text string) (Template, error) {
	t := Template{Text: text}
	for rest := text; rest != ""; {
		n := strings.IndexByte(rest, '$')
		if n < 0 {
			n = len(rest)
		}
		if n > 0 {
			t.Parts = append(t.Parts, Part{Literal: rest[:n]})
			rest = rest[n:]
			continue
		}
		name, after, err := variable(rest[1:])
		if err != nil {
			return Template{Text: text}, err
		}
		t.Parts = append(t.Parts, Part{Variable: name, fixed: fixed(name)})
		rest = after
	}
	return t, nil
}

// variable reads the name behind a "$" and returns what follows it.
func variable(s string) (name, rest string, err error) {
	if s == "" {
		return "", "", errVariableName
	}
	if '1' <= s[0] && s[0] <= '9' { // $10 is $1 and a "0"
		return s[:1], s[1:], nil
	}
	if s[0] != '{' {
		n := nameLength(s)
		if n == 0 {
			return "", "", errVariableName
		}
		return hostname.Lower(s[:n]), s[n:], nil
	}
	if s = s[1:]; s == "" {
		return "", "", errVariableName
	}
	n := nameLength(s)
	switch {
	case n == len(s) || s[n] != '}':
		return "", "", fmt.Errorf("the closing bracket in \"%s\" variable is missing", s[:n])
	case n == 0:
		return "", "", errVariableName
	case n == 1 && '1' <= s[0] && s[0] <= '9': // no capture: nginx looks for a variable of that name
		return "", "", fmt.Errorf("unknown \"%s\" variable", s[:n])
	}
	return hostname.Lower(s[:n]), s[n+1:], nil
}

// nameLength is the length of the variable name that s starts with.
func nameLength(s string) int {
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c|0x20 && c|0x20 <= 'z', '0' <= c && c <= '9', c == '_':
		default:
			return i
		}
	}
	return len(s)
}

// Constant returns the template's text where it has no variables.
func (t Template) Constant() (string, bool) {
	for _, p := range t.Parts {
		if p.Variable != "" {
			return "", false
		}
	}
	return t.Text, true
}

// Variables lists the names of the template's variables, each once, in order; captures are "1" to "9".
func (t Template) Variables() []string {
	var names []string
	for i, p := range t.Parts {
		if p.Variable != "" && !uses(t.Parts[:i], p.Variable) {
			names = append(names, p.Variable)
		}
	}
	return names
}

func uses(parts []Part, name string) bool {
	for i := range parts {
		if parts[i].Variable == name {
			return true
		}
	}
	return false
}

// Eval yields the template's value for one request; unknown as soon as one of its variables is, with that one's reason,
// and where it would be longer than MaxLength. Each of its variables is computed once.
func (t Template) Eval(r *Request) Value {
	r.flush(t.Parts)
	switch len(t.Parts) {
	case 0:
		return Value{}
	case 1:
		return t.Parts[0].eval(r)
	}
	b := r.Build()
	for i := range t.Parts {
		v := t.Parts[i].eval(r)
		if v.unknown != "" {
			return v
		}
		if !b.Add(v.text) {
			break
		}
	}
	return b.Value()
}

func (p *Part) eval(r *Request) Value {
	if p.Variable == "" {
		return Of(p.Literal)
	}
	return r.variable(p.Variable, p.fixed, false)
}

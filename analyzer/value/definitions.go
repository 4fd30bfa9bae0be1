package value

import (
	"fmt"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/hostname"
	"github.com/ngxlimit/ngxlimit/analyzer/pcre"
)

// Definitions are the variables that a configuration itself defines: by map, geo and split_clients, by set, and by
// modules that fill them. The zero Definitions are empty. They are built by one goroutine and then only read.
type Definitions struct {
	vars    map[string]definition
	bound   map[string]*builtin // see Bind
	regexes pcre.Cache
}

// A definition computes one variable. It may evaluate others through the request.
type definition interface {
	value(r *Request) Value
	// volatile says that the value is computed again for every use, and not once in a request.
	volatile() bool
	// sources are the variables that the definition itself reads.
	sources() []string
}

// A Problem is what nginx says of a definition: an error, where Warning is false, makes it refuse the configuration.
type Problem struct {
	Entry   int    // the index of the entry within the block; -1 for the block as a whole
	Text    string // nginx's words, without file and line
	Warning bool
}

// problems collects what is wrong with one definition.
type problems []Problem

func (p *problems) refuse(entry int, format string, args ...any) {
	*p = append(*p, Problem{Entry: entry, Text: fmt.Sprintf(format, args...)})
}

func (p *problems) warn(entry int, format string, args ...any) {
	*p = append(*p, Problem{Entry: entry, Text: fmt.Sprintf(format, args...), Warning: true})
}

// define adds a definition under a variable's name as written, with its "$". As in nginx the last one of a name counts.
func (d *Definitions) define(p *problems, written string, def definition) {
	if !strings.HasPrefix(written, "$") {
		p.refuse(-1, "invalid variable name \"%s\"", written)
		return
	}
	name := hostname.Lower(written[1:])
	if text := Reserved(name); text != "" {
		p.refuse(-1, "%s", text)
		return
	}
	if d.vars == nil {
		d.vars = map[string]definition{}
	}
	d.vars[name] = def
}

// Reserved returns nginx's words against a definition of the variable of that name (without "$"); "" where a
// configuration may define it.
func Reserved(name string) string {
	name = hostname.Lower(name)
	if name == "" {
		return "invalid variable name \"$\""
	}
	if b, ok := builtins[name]; ok && !b.changeable {
		return fmt.Sprintf("the duplicate \"%s\" variable", name)
	}
	return ""
}

// Declare makes a variable known that is given its value while a request runs. With an empty reason it is one that the
// rewrite phase sets (set, a named capture): empty until then. Else it is Unknown for that reason, as "$x is set by
// auth_request_set from a subrequest's answer". A map, geo or split_clients of the same name keeps its value until then.
// The name comes without "$"; the error is in nginx's words.
func (d *Definitions) Declare(name, reason string) error {
	name = hostname.Lower(name)
	if text := Reserved(name); text != "" {
		return fmt.Errorf("%s", text)
	}
	if d.vars == nil {
		d.vars = map[string]definition{}
	}
	_, defined := d.vars[name]
	_, builtin := builtins[name]
	if !defined && (!builtin || reason != "") { // until it is set, nginx's own variable has its own value
		d.vars[name] = declared(reason)
	}
	return nil
}

// declared is a variable without a definition of its own: the reason why it is unknown, or "" for an empty value.
type declared string

func (r declared) value(*Request) Value {
	if r == "" {
		return Value{}
	}
	return Unknown(string(r))
}

func (declared) volatile() bool    { return false }
func (declared) sources() []string { return nil }

// Regex returns the regex of a map's entry; the same one for the same pattern.
func (d *Definitions) Regex(pattern string, caseless bool) *pcre.Regex {
	return d.regexes.Get(pattern, caseless)
}

// Defined says whether the configuration defines the variable of that name (without "$").
func (d *Definitions) Defined(name string) bool {
	if d == nil {
		return false
	}
	_, ok := d.vars[hostname.Lower(name)]
	return ok
}

// Asks returns the names of the variables that get a value when the variable of a name (without "$") is computed: its
// sources, and, of a map, those of all its values, of which one is taken. A geo by the client's own address asks for none.
func (d *Definitions) Asks(name string) []string {
	if d == nil {
		return nil
	}
	switch def := d.vars[hostname.Lower(name)].(type) {
	case *mapping:
		return def.asks()
	case *geo:
		if def.source == "" {
			return nil
		}
		return def.sources()
	case nil:
		return nil
	default:
		return def.sources()
	}
}

// OfClient says whether the variable of a name (without "$") is a geo by the client's own address.
func (d *Definitions) OfClient(name string) bool {
	if d == nil {
		return false
	}
	g, ok := d.vars[hostname.Lower(name)].(*geo)
	return ok && g.source == ""
}

// Sources returns the names of the variables that the definition of a variable reads; nil where it reads none or is
// none of a configuration.
func (d *Definitions) Sources(name string) []string {
	if d == nil {
		return nil
	}
	if def, ok := d.vars[hostname.Lower(name)]; ok {
		return def.sources()
	}
	return nil
}

// Package directive knows which directives exist: where each may stand, how many arguments it takes, whether it has a
// block, and in which versions of nginx it is known. It repeats nginx's own check of a directive, in nginx's order and
// words. It knows nothing of what a directive does, and takes no view on its values beyond their kind.
//
// The table of nginx's own modules is generated from nginx's source; a second one, written by hand, has what is newer
// than that source, what was removed before it, and the modules of others.
package directive

import (
	"fmt"
	"iter"
	"sync"
)

//go:generate go run gen.go gen_changes.go $NGINX_SOURCE
//go:generate go run gen_extra.go

// A Directive is a name with everything that is known about it.
type Directive struct {
	Name string
	own  []Variant // of nginx's own modules, in the order in which nginx asks them
	more []Variant // newer, older, or of other modules
}

// A Variant is a directive as one module defines it. A name may have several: "server" of http, of upstream, of mail.
type Variant struct {
	Name     string
	Module   string  // ngx_http_limit_req_module; for what is not nginx's own, the name of its project
	Contexts Context // where it may stand
	Args     Args    // how many arguments
	Block    bool    // ends with "{", not with ";"
	Unique   bool    // a second one on the same level is refused with "is duplicate"
	Kind     Kind    // how the value is read; None where the module reads it in a way of its own
	Words    []string
	Since    Version // first version of nginx with it; 0 where not known, or older than 1.0
	Gone     Version // first version without it; 0 while it is there
	Instead  string  // what nginx names in its place when it warns of it, `listen ... ssl`
	Obsolete bool    // the warning calls it obsolete, not deprecated: it is without effect
	Old      Version // first version that warns of it; 0 if none
	Origin   Origin
}

// An Origin says whose a directive is.
type Origin uint8

// The origins.
const (
	Nginx      Origin = iota // nginx's own modules, whether built in or not
	Commercial               // NGINX Plus
	Fork                     // Angie, OpenResty, Tengine, freenginx
	Module                   // a module of others
)

// A Kind says how nginx reads a directive's value, for those that are read by a function common to many.
type Kind uint8

// The kinds of value.
const (
	None    Kind = iota
	Flag         // "on" or "off"
	String       // any text
	Number       // a whole number
	Size         // bytes, with k or m
	Offset       // bytes, with k, m or g
	Msec         // a time, kept in milliseconds
	Sec          // a time, kept in seconds
	Enum         // one of Words
	Bitmask      // any of Words
	Buffers      // a number and a size
	Path         // a folder and up to three level widths
	Access       // user:rw group:r
	Complex      // text with variables
	Pair         // a name and a value, any number of times on a level
	List         // any number of times on a level
)

// Lookup returns what is known of a name.
func Lookup(name string) (Directive, bool) {
	d, ok := index()[name]
	return d, ok
}

// index finds names; it is made on first use, in a fraction of a millisecond, so that a start costs nothing.
var index = sync.OnceValue(newIndex)

func newIndex() map[string]Directive {
	names := make(map[string]Directive, len(table)+len(extra))
	for name, run := range runs(table) {
		names[name] = Directive{Name: name, own: run}
	}
	for name, run := range runs(extra) {
		d := names[name]
		d.Name, d.more = name, run
		names[name] = d
	}
	return names
}

// runs yields the variants of each name, which stand together.
func runs(variants []Variant) iter.Seq2[string, []Variant] {
	return func(yield func(string, []Variant) bool) {
		for i := 0; i < len(variants); {
			j := i + 1
			for j < len(variants) && variants[j].Name == variants[i].Name {
				j++
			}
			if !yield(variants[i].Name, variants[i:j:j]) {
				return
			}
			i = j
		}
	}
}

// Variants calls yield for each variant, nginx's own modules first.
func (d Directive) Variants(yield func(*Variant) bool) {
	for i := range d.own {
		if !yield(&d.own[i]) {
			return
		}
	}
	for i := range d.more {
		if !yield(&d.more[i]) {
			return
		}
	}
}

// Contexts returns all places in which the directive may stand.
func (d Directive) Contexts() Context {
	var c Context
	for v := range d.Variants {
		c |= v.Contexts
	}
	return c
}

// Allowed says whether the directive may stand at a place. Inside of Entries and Opaque everything may.
func (d Directive) Allowed(at Context) bool {
	_, ok := d.In(at)
	return ok || at&(Entries|Opaque) != 0
}

// In returns the variant that nginx takes at a place: the first that may stand there.
func (d Directive) In(at Context) (*Variant, bool) {
	for v := range d.Variants {
		if v.Contexts&at != 0 {
			return v, true
		}
	}
	return nil, false
}

// Known says whether a version of nginx has the directive. The zero Version has everything that is not gone.
func (v *Variant) Known(version Version) bool {
	if version == 0 {
		return v.Gone == 0
	}
	return v.Since <= version && (v.Gone == 0 || version < v.Gone)
}

// Known says whether a version of nginx has the directive in any of its variants.
func (d Directive) Known(version Version) bool {
	for v := range d.Variants {
		if v.Known(version) {
			return true
		}
	}
	return false
}

// Warning returns what a version of nginx says of the directive whenever it is used; "" where it says nothing.
func (v *Variant) Warning(version Version) string {
	if v.Old == 0 || version != 0 && version < v.Old {
		return ""
	}
	kind := "deprecated"
	if v.Obsolete {
		kind = "obsolete"
	}
	if v.Instead == "" {
		return fmt.Sprintf(`the "%s" directive is %s, ignored`, v.Name, kind)
	}
	return fmt.Sprintf(`the "%s" directive is %s, use the "%s" directive instead`, v.Name, kind, v.Instead)
}

// A Fault is why nginx refuses a directive before its module has seen it.
type Fault uint8

// The faults, in the order in which nginx looks for them.
const (
	OK            Fault = iota
	Unknown             // no module has it
	NotAllowed          // no module has it at this place
	NotTerminated       // a block where none may be
	NoOpening           // a ";" where a block must be
	Arguments           // more or fewer than it takes
)

// Text returns nginx's words for the fault of a directive.
func (f Fault) Text(name string) string {
	switch f {
	case OK:
	case Unknown:
		return fmt.Sprintf(`unknown directive "%s"`, name)
	case NotAllowed:
		return fmt.Sprintf(`"%s" directive is not allowed here`, name)
	case NotTerminated:
		return fmt.Sprintf(`directive "%s" is not terminated by ";"`, name)
	case NoOpening:
		return fmt.Sprintf(`directive "%s" has no opening "{"`, name)
	case Arguments:
		return fmt.Sprintf(`invalid number of arguments in "%s" directive`, name)
	}
	return ""
}

// CheckArgs repeats nginx's check of a directive with n arguments that ends with a block or with ";".
func (v *Variant) CheckArgs(n int, hasBlock bool) Fault {
	switch {
	case hasBlock && !v.Block:
		return NotTerminated
	case !hasBlock && v.Block:
		return NoOpening
	case !v.Args.Take(n):
		return Arguments
	}
	return OK
}

// Check repeats what nginx does with a directive before the module sees it (ngx_conf_handler): it finds the variant
// that the place and the version have, and looks at its end and its arguments. The variant is nil where none is found:
// Unknown and NotAllowed. A variant that only other versions have is no variant; whoever wants to name it uses Lookup.
func Check(name string, at Context, version Version, n int, hasBlock bool) (*Variant, Fault) {
	if at&(Entries|Opaque) != 0 {
		return nil, OK
	}
	d, _ := Lookup(name)
	fault := Unknown
	for v := range d.Variants {
		if !v.Known(version) {
			continue
		}
		if v.Contexts&at != 0 {
			return v, v.CheckArgs(n, hasBlock)
		}
		fault = NotAllowed
	}
	return nil, fault
}

package config

import (
	"fmt"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/directive"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
)

// A use is the first place that asks for a variable.
type use struct {
	name  string
	item  Item
	word  syntax.Word
	level *Level
}

// template reads a complex value, and notes the variables that it asks for.
func (r *resolver) template(it Item, w syntax.Word, l *Level) (value.Template, bool) {
	t, err := r.parse(w.Value)
	if err != nil {
		r.refuseWord(it, w, l, InvalidValue, err.Error())
		return t, false
	}
	for _, p := range t.Parts {
		if p.Variable != "" && (len(p.Variable) > 1 || p.Variable[0] > '9') {
			r.use(p.Variable, it, w, l)
		}
	}
	return t, true
}

// parse reads a text as a complex value. Ten thousand servers of one make write the same ones.
func (r *resolver) parse(text string) (value.Template, error) {
	if t, ok := r.templates[text]; ok {
		return t, nil
	}
	t, err := value.Parse(text)
	if err == nil {
		r.templates[text] = t
	}
	return t, err
}

func (r *resolver) use(name string, it Item, w syntax.Word, l *Level) {
	if !r.used[name] {
		r.used[name] = true
		if !value.Builtin(name) || directive.VariableSince(name) > r.version {
			r.uses = append(r.uses, use{name, it, w, l})
		}
	}
}

// scripted returns which arguments of a directive are complex values, for those of nginx's own that read them in a way
// of their own: from first up to, but not including, last. late ones are read when the http block closes.
func scripted(name string, args int) (first, last int, late bool) {
	switch name {
	case "proxy_set_header", "grpc_set_header", "fastcgi_param", "uwsgi_param", "scgi_param":
		return 1, 2, true
	case "add_header", "add_trailer":
		return 1, 2, false
	case "proxy_pass", "fastcgi_pass", "uwsgi_pass", "scgi_pass", "grpc_pass", "memcached_pass", "root", "alias",
		"map", "split_clients":
		return 0, 1, false
	case "try_files", "index":
		return 0, args, false
	case "error_page":
		return args - 1, args, false
	}
	return 0, 0, false
}

// readUses notes the variables of a directive that has no reader of its own.
func (r *resolver) readUses(it Item, variant *directive.Variant, s *scope) bool {
	first, last, late := scripted(it.Name().Value, it.NumArgs())
	if variant.Kind == directive.Complex {
		first, last = 0, 1
	}
	for i := first; i < last && i < it.NumArgs(); i++ {
		w := it.Word(i)
		if strings.IndexByte(w.Value, '$') < 0 {
			continue
		}
		if late {
			r.later(it, w, s.level)
			continue
		}
		if _, ok := r.template(it, w, s.level); !ok {
			return false
		}
	}
	return true
}

// later keeps a value until the http block closes: a well-formed one the first time only, since it asks for the same again.
func (r *resolver) later(it Item, w syntax.Word, l *Level) {
	if _, err := r.parse(w.Value); err == nil {
		if r.wellFormed[w.Value] {
			return
		}
		r.wellFormed[w.Value] = true
	}
	r.late = append(r.late, use{"", it, w, l})
}

// lateUses notes the variables of what nginx reads when it settles the locations of a server, at the end of http.
func (r *resolver) lateUses() {
	if len(r.http.Servers) == 0 {
		return
	}
	end := r.lastLine()
	for _, u := range r.late {
		if _, err := r.parse(u.word.Value); err != nil {
			r.refuse(u.level, Refusal{Kind: InvalidValue, Span: u.item.WordSpan(u.word), Line: end, Text: err.Error()})
			continue
		}
		r.template(u.item, u.word, u.level)
	}
}

// lastLine is the line at which the http block closes, 0 where it is not written: nginx names it for much of what it finds
// then.
func (r *resolver) lastLine() int {
	d := r.http.Directive
	if d == nil {
		return 0
	}
	return d.File.Position(d.Block.Close).Line
}

// unknownVariables refuses the variables that nothing defines. nginx finds them when the http block closes, and names
// no line. A module that is not nginx's own may define any variable, so with one of those in use nothing is refused.
func (r *resolver) unknownVariables() {
	if r.partial() || r.foreigners {
		return
	}
	for _, u := range r.uses {
		if !r.http.Variables.Defined(u.name) {
			kind := InvalidValue
			if value.Builtin(u.name) {
				kind = UnsupportedVersion
			}
			r.refuse(u.level, Refusal{
				Kind: kind, Span: u.item.WordSpan(u.word), Text: fmt.Sprintf(`unknown "%s" variable`, u.name),
			})
		}
	}
}

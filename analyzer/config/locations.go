package config

import (
	"fmt"
	"slices"
	"strings"
)

// splitLocation reads the arguments of a location: a modifier and a pattern, apart or glued together.
func splitLocation(args []string) (modifier, pattern string, ok bool) {
	if len(args) == 2 {
		switch args[0] {
		case "=", "^~", "~", "~*":
			return args[0], args[1], true
		}
		return "", "", false
	}
	text := args[0]
	for _, m := range []string{"=", "^~", "~*", "~", "@"} {
		if rest, cut := strings.CutPrefix(text, m); cut {
			return m, rest, true
		}
	}
	return "", text, true
}

// locationPattern reads the head of a location.
func (r *resolver) locationPattern(it Item, s *scope) (modifier, pattern string, ok bool) {
	args := make([]string, it.NumArgs())
	for i, w := range it.Args() {
		args[i] = w.Value
	}
	if modifier, pattern, ok = splitLocation(args); !ok {
		r.refuseWord(it, it.Word(0), s.level, InvalidValue, "invalid location modifier "+quoted(it.Arg(0)))
		return
	}
	if modifier == "~" || modifier == "~*" {
		r.regex(it, it.LastWord(), pattern, modifier == "~*", s)
	}
	return modifier, pattern, ok
}

// name is the location as nginx's messages name it: its pattern, and that of a named one with its "@".
func (l *Location) name() string {
	if l.Modifier == "@" {
		return "@" + l.Pattern
	}
	return l.Pattern
}

func (l *Location) regex() bool { return l.Modifier == "~" || l.Modifier == "~*" }

// checkNesting refuses a location that may not stand inside of the one around it.
func (r *resolver) checkNesting(it Item, l *Location, s *scope) {
	outer := s.location
	if outer == nil || outer.Directive == nil {
		return
	}
	var text string
	switch {
	case outer.Modifier == "=":
		text = fmt.Sprintf(`location "%s" cannot be inside the exact location "%s"`, l.name(), outer.name())
	case outer.Modifier == "@":
		text = fmt.Sprintf(`location "%s" cannot be inside the named location "%s"`, l.name(), outer.name())
	case l.Modifier == "@":
		text = fmt.Sprintf(`named location "%s" can be on the server level only`, l.name())
	case !l.regex() && !strings.HasPrefix(l.name(), outer.name()):
		text = fmt.Sprintf(`location "%s" is outside location "%s"`, l.name(), outer.name())
	default:
		return
	}
	around := outer.Directive.Head()
	r.refuse(s.level, Refusal{Kind: DirectiveNotAllowed, Span: it.Head(), Line: line(it.Directive), Text: text, Related: &around})
}

// root looks at root and alias, of which a level may have one.
func (r *resolver) root(it Item, _ *visit, s *scope) {
	name := it.Name().Value
	for _, u := range r.unique[s.once:] {
		if other := u.item.Name().Value; other != name && (other == "root" || other == "alias") {
			earlier := u.item.Head()
			r.refuse(s.level, Refusal{
				Kind: DuplicateDirective, Span: it.Head(), Line: line(it.Directive), Related: &earlier,
				Text: fmt.Sprintf(`"%s" directive is duplicate, "%s" directive was specified earlier`, name, other),
			})
			return
		}
	}
	for _, variable := range []string{"document_root", "realpath_root"} {
		if strings.Contains(it.Arg(0), "$"+variable) || strings.Contains(it.Arg(0), "${"+variable+"}") {
			r.refuseWord(it, it.Word(0), s.level, InvalidValue,
				fmt.Sprintf(`the $%s variable cannot be used in the "%s" directive`, variable, name))
			return
		}
	}
	if name == "alias" && s.level.Kind == KindLocation && s.location.Modifier == "@" {
		r.refuseHead(it, s.level, DirectiveNotAllowed, `the "alias" directive cannot be used inside the named location`)
	}
}

// methods are those that limit_except knows.
var methods = []string{
	"GET", "HEAD", "POST", "PUT", "DELETE", "MKCOL", "COPY", "MOVE", "OPTIONS", "PROPFIND", "PROPPATCH", "LOCK", "UNLOCK", "PATCH",
}

// knownMethods refuses a limit_except of a method that nginx has not.
func (r *resolver) knownMethods(it Item, s *scope) {
	for _, w := range it.Args() {
		if !slices.Contains(methods, strings.ToUpper(w.Value)) {
			r.refuseWord(it, w, s.level, InvalidValue, "invalid method "+quoted(w.Value))
			return
		}
	}
}

// internalWithin makes what stands in an internal location internal as well: no inner location can undo it.
func (h *HTTP) internalWithin() {
	for _, s := range h.Servers {
		for l := range s.AllLocations {
			l.Internal = l.Internal || l.Outer != nil && l.Outer.Internal
		}
	}
}

// duplicateLocations refuses two locations of one kind and pattern next to each other. nginx finds them when the http
// block has closed, and names the second.
func (r *resolver) duplicateLocations() {
	for _, s := range r.http.Servers {
		r.duplicatesAmong(s.Locations)
		for l := range s.AllLocations {
			r.duplicatesAmong(l.Locations)
		}
	}
}

func (r *resolver) duplicatesAmong(ls []*Location) {
	if len(ls) <= fewLocations {
		for i, l := range ls {
			for _, earlier := range ls[:i] {
				if l.duplicates(earlier) {
					r.refuseDuplicate(l, earlier)
					break
				}
			}
		}
		return
	}
	type key struct {
		exact   bool
		pattern string
	}
	taken := make(map[key]*Location, len(ls))
	for _, l := range ls {
		k := key{l.Modifier == "=", l.Pattern}
		if earlier := taken[k]; earlier != nil && l.duplicates(earlier) {
			r.refuseDuplicate(l, earlier)
		} else if l.plain() {
			taken[k] = l
		}
	}
}

// fewLocations are compared with each other without a table.
const fewLocations = 24

// plain says whether a location is found by its pattern's text.
func (l *Location) plain() bool { return !l.regex() && l.Modifier != "@" }

func (l *Location) duplicates(o *Location) bool {
	return l.Pattern == o.Pattern && (l.Modifier == "=") == (o.Modifier == "=") && l.plain() && o.plain()
}

func (r *resolver) refuseDuplicate(l, earlier *Location) {
	first := earlier.Directive.Head()
	r.refuse(l.Parent, Refusal{
		Kind: DuplicateDirective, Span: l.Directive.Head(), Line: line(l.Directive), Related: &first,
		Text: fmt.Sprintf(`duplicate location "%s"`, l.Pattern),
	})
}

// AllLocations calls yield for each location of the server, nested ones after the one around them, in the order of the
// configuration.
func (s *Server) AllLocations(yield func(*Location) bool) {
	walkLocations(s.Locations, yield)
}

// walkLocations goes as deep as locations nest, which is bounded when they are read.
func walkLocations(ls []*Location, yield func(*Location) bool) bool {
	for _, l := range ls {
		if !yield(l) || !walkLocations(l.Locations, yield) {
			return false
		}
	}
	return true
}

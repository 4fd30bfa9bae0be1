package config

import (
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/directive"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
)

// A checkKey is what nginx's look-up of a directive depends on.
type checkKey struct {
	name string
	at   directive.Context
}

// checked is the look-up's result, kept because a configuration says the same few names again and again.
type checked struct {
	variant *directive.Variant
	fault   directive.Fault
	warning string  // what nginx says of the directive whenever it is used
	foreign bool    // of no module of nginx itself
	module  string  // that brings it, if nginx may be built without; else ""
	handle  handler // nil where the directive means nothing to the tree
}

// A handler takes a directive into the tree.
type handler func(r *resolver, it Item, v *visit, s *scope)

// A uniqueItem is a directive that may stand on a level once.
type uniqueItem struct {
	variant *directive.Variant
	item    Item
}

// lookup finds the variant of a directive that nginx takes at a place. The entries of a map are no directives, and a
// million of them may each have another name.
func (r *resolver) lookup(name string, at directive.Context) checked {
	if at == directive.Entries {
		return checked{}
	}
	key := checkKey{name, at}
	c, ok := r.checks[key]
	if !ok {
		c.variant, c.fault = directive.Check(name, at, r.version, 0, false)
		if c.variant != nil {
			c.fault = directive.OK // its arguments are looked at each time
			c.warning = c.variant.Warning(r.version)
			c.foreign = c.variant.Origin != directive.Nginx
			c.module = loadable(c.variant)
		}
		c.handle = handlerOf(name, at)
		r.checks[key] = c
	}
	return c
}

// directive checks one directive as nginx does before its module sees it, and takes it into the tree. Of one that is torn
// the reader has said what is wrong.
func (r *resolver) directive(it Item, torn bool, v *visit, s *scope) {
	if s.into != nil {
		r.scratch = append(r.scratch, it)
	}
	c := r.lookup(it.Name().Value, s.at)
	fits := func() bool {
		return c.variant != nil && c.variant.CheckArgs(it.NumArgs(), it.Block != nil) == directive.OK
	}
	switch {
	case torn && it.Block != nil && !fits():
		r.skip(it, v, s)
		return
	case torn && it.Block == nil, !terminated(it.Directive):
		if c.handle != nil && fits() { // what stands here is taken for what was meant
			r.muted++
			c.handle(r, it, v, s)
			r.muted--
		}
		return
	}
	if !r.checkItem(it, c, s) {
		r.refusedZone(it)
		r.skip(it, v, s)
		return
	}
	if c.module != "" {
		r.modules.use(c.module)
	}
	switch {
	case c.foreign || s.at == directive.Opaque:
		r.foreign(it)
	case s.at&directive.AnyHTTP != 0 && !r.readUses(it, c.variant, s):
		r.skip(it, v, s)
		return
	}
	switch {
	case c.handle != nil:
		c.handle(r, it, v, s)
	case it.Block != nil:
		r.otherBlock(it, v, s)
	}
}

// check is checkItem for a directive that was not looked up.
func (r *resolver) check(it Item, s *scope) bool {
	if !terminated(it.Directive) {
		return false
	}
	return r.checkItem(it, r.lookup(it.Name().Value, s.at), s)
}

// checkItem says whether nginx takes the directive at this place, with its end and its arguments.
func (r *resolver) checkItem(it Item, c checked, s *scope) bool {
	switch s.at {
	case directive.Opaque:
		return true
	case directive.Entries:
		if it.Block != nil {
			r.refuse(s.level, Refusal{Kind: SyntaxError, Span: opening(it.Directive), Line: line(it.Directive), Text: `unexpected "{"`})
		}
		return it.Block == nil
	default:
	}
	fault := c.fault
	if c.variant != nil {
		fault = c.variant.CheckArgs(it.NumArgs(), it.Block != nil)
	}
	if fault != directive.OK {
		r.refuseFault(it, fault, s)
		return false
	}
	if c.variant.Unique && !r.first(it, c.variant, s) {
		return false
	}
	if !r.checkValue(it, c.variant, s) {
		return false
	}
	if c.warning != "" {
		r.refuse(s.level, Refusal{
			Kind: UnsupportedVersion, Span: it.WordSpan(it.Name()), Line: line(it.Directive), Text: c.warning, Warning: true,
		})
	}
	return true
}

// first says whether the directive is the first of its kind on the level.
func (r *resolver) first(it Item, variant *directive.Variant, s *scope) bool {
	for i := s.once; i < len(r.unique); i++ {
		if u := &r.unique[i]; u.variant == variant {
			earlier := u.item.Span()
			r.refuse(s.level, Refusal{
				Kind: DuplicateDirective, Span: it.Head(), Line: line(it.Directive), Related: &earlier,
				Text: quoted(it.Name().Value) + " directive is duplicate",
			})
			return false
		}
	}
	r.unique = append(r.unique, uniqueItem{variant, it})
	return true
}

// refuseFault tells a fault of the look-up. A name that another version of nginx has is not unknown to us.
func (r *resolver) refuseFault(it Item, fault directive.Fault, s *scope) {
	name, _, _ := strings.Cut(it.Name().Value, "\x00") // nginx's message ends there
	out := Refusal{Span: it.WordSpan(it.Name()), Line: line(it.Directive), Text: fault.Text(name)}
	switch fault {
	case directive.Unknown:
		out.Kind = UnknownDirective
		if _, ok := directive.Lookup(name); ok {
			out.Kind = UnsupportedVersion
		} else {
			r.foreigners = true
		}
	case directive.NotAllowed:
		out.Kind = DirectiveNotAllowed
		if d, _ := directive.Lookup(name); d.Allowed(s.at) {
			out.Kind = UnsupportedVersion
		}
	case directive.NotTerminated:
		out.Kind, out.Span = SyntaxError, opening(it.Directive)
	case directive.NoOpening:
		out.Kind, out.Span = SyntaxError, it.Span()
	case directive.OK:
		return
	case directive.Arguments:
		out.Kind, out.Span = TooManyArguments, r.surplus(it, s)
	}
	r.refuse(s.level, out)
}

// surplus is where to look when the number of arguments is wrong: at those too many, else at the whole head.
func (r *resolver) surplus(it Item, s *scope) source.Span {
	variant := r.lookup(it.Name().Value, s.at).variant
	if _, most := variant.Args.Bounds(); most >= 0 && most < it.NumArgs() {
		return source.Span{File: it.File, Start: it.Word(most).Start, End: it.LastWord().End}
	}
	return it.Head()
}

// skip passes over a block whose directive was refused; its grammar is still looked at.
func (r *resolver) skip(it Item, v *visit, s *scope) {
	if it.Block != nil {
		r.syntaxErrors(v, s.level, int(it.Block.Close), 0)
	}
}

// otherBlock reads a block that the tree has no place for: its directives are checked, and forgotten.
func (r *resolver) otherBlock(it Item, v *visit, s *scope) {
	at := s.at.Inside(it.Name().Value)
	if at == 0 {
		at = directive.Opaque
	}
	r.block(it, v, &scope{at: at, level: s.level})
}

// opening is the "{" of a directive's block.
func opening(d *syntax.Directive) source.Span {
	return source.Span{File: d.File, Start: d.Block.Open, End: d.Block.Open + 1}
}

// terminated says whether the directive ends with a ";" or a block, as opposed to the end of its file or a stray brace.
func terminated(d *syntax.Directive) bool {
	if d.Block != nil {
		return true
	}
	return d.End > 0 && int(d.End) <= len(d.File.Text) && d.File.Text[d.End-1] == ';' && d.End > d.Head().End
}

// reached is the offset up to which nginx has read when it takes the directive.
func reached(d *syntax.Directive) int {
	if terminated(d) {
		return int(d.End)
	}
	return 0
}

// line is the line that nginx names for whatever is wrong with a directive: that of its ";" or "{".
func line(d *syntax.Directive) int {
	if d.End == 0 {
		return 1
	}
	return d.File.Position(d.End - 1).Line
}

func quoted(s string) string { return `"` + s + `"` }

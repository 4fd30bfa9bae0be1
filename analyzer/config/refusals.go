package config

import (
	"sort"

	"github.com/ngxlimit/ngxlimit/analyzer/load"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
)

// found is a refusal whose context is written out at the end: a server's name may come after what is wrong in it.
type found struct {
	refusal Refusal
	level   *Level
	entry   int // of a block of entries: the line
}

// A refusalKey keeps a place that is read several times, in a file that several places include, from being told of
// several times.
type refusalKey struct {
	file  *source.File
	start uint32
	text  string
}

// What is kept of a configuration that is wrong everywhere: so many refusals of a kind. Of those beyond, so many are told
// apart; further ones count as often as they are met.
const (
	maxRefusals = 10_000
	maxSeen     = 200_000
)

// refuse notes what nginx refuses, or warns of, at this point of its reading.
func (r *resolver) refuse(l *Level, out Refusal) {
	if r.muted > 0 || r.ended() {
		return
	}
	key := refusalKey{out.Span.File, out.Span.Start, out.Text}
	if _, ok := r.seen[key]; ok {
		return
	}
	if len(r.seen) < maxSeen {
		r.seen[key] = struct{}{}
	}
	if r.kept[out.Kind] >= maxRefusals {
		r.tree.LeftOut++
		return
	}
	r.kept[out.Kind]++
	if !out.Warning {
		r.refused++
	}
	r.found = append(r.found, found{out, l, r.entry})
}

// refuseWord refuses a directive for one of its words.
func (r *resolver) refuseWord(it Item, w syntax.Word, l *Level, kind RefusalKind, text string) {
	r.refuse(l, Refusal{Kind: kind, Span: it.WordSpan(w), Line: line(it.Directive), Text: text})
}

// refuseHead refuses a directive as a whole.
func (r *resolver) refuseHead(it Item, l *Level, kind RefusalKind, text string) {
	r.refuse(l, Refusal{Kind: kind, Span: it.Head(), Line: line(it.Directive), Text: text})
}

// finish writes the refusals into the tree.
func (r *resolver) finish() {
	r.remainingProblems()
	r.tree.Assumed = r.assumed()
	for _, doc := range r.in.Documents {
		r.tree.loose = r.tree.loose || !doc.Complete()
	}
	if len(r.found) == 0 {
		return
	}
	r.tree.Refusals = make([]Refusal, len(r.found))
	for i, f := range r.found {
		f.refusal.Context = f.level.Context()
		r.tree.Refusals[i] = f.refusal
	}
}

// syntaxErrors tells the errors of grammar that stand before an offset and were not told yet. torn says that one stands
// behind the start of a directive.
func (r *resolver) syntaxErrors(v *visit, l *Level, before int, start uint32) (torn bool) {
	for len(v.errors) > 0 && int(v.errors[0].Read) < before {
		e := &v.errors[0]
		v.errors = v.errors[1:]
		r.broken = true
		r.refuse(l, Refusal{Kind: SyntaxError, Span: e.Span, Line: e.Line, Text: e.Text})
		torn = torn || e.Span.Start > start
	}
	return torn
}

// sortProblems prepares the input's problems to be told where nginx meets them.
func (r *resolver) sortProblems() {
	if len(r.in.Problems) == 0 {
		return
	}
	r.told = make([]bool, len(r.in.Problems))
	r.problems = make(map[*source.File][]int)
	for i := range r.in.Problems {
		f := r.in.Problems[i].Span.File
		r.problems[f] = append(r.problems[f], i)
	}
	for _, ps := range r.problems {
		sort.SliceStable(ps, func(i, j int) bool { return r.problemStart(ps[i]) < r.problemStart(ps[j]) })
	}
}

func (r *resolver) problemStart(i int) uint32 { return r.in.Problems[i].Span.Start }

// problemsOf tells the problems that belong to a directive.
func (r *resolver) problemsOf(d *syntax.Directive, l *Level) {
	ps := r.problems[d.File]
	i := sort.Search(len(ps), func(i int) bool { return r.problemStart(ps[i]) >= d.Name().Start })
	for ; i < len(ps) && r.problemStart(ps[i]) < d.End; i++ {
		if of := r.in.Problems[ps[i]].Include; of != nil && of != d {
			continue // nginx has not come to it yet
		}
		r.tell(ps[i], l, MissingInclude)
		if l != nil && !r.in.Problems[ps[i]].Shipped {
			l.Unread = true
		}
	}
}

// remainingProblems tells the problems that belong to no include that was read: of the input as a whole.
func (r *resolver) remainingProblems() {
	for i, told := range r.told {
		switch {
		case told:
		case r.in.Problems[i].Include != nil: // something within the circle was refused before
			r.tell(i, nil, MissingInclude)
		default:
			r.tree.loose = true
			r.tell(i, nil, SyntaxError)
		}
	}
}

func (r *resolver) tell(i int, l *Level, kind RefusalKind) {
	if r.told[i] {
		return
	}
	p := &r.in.Problems[i]
	r.told[i], r.broken = true, r.broken || !p.Shipped
	r.refuse(l, Refusal{Kind: kind, Span: p.Span, Line: p.Line, Text: p.Text, Shipped: p.Shipped, Warning: p.Passed})
}

// partial says that something was not read by now, so that nothing may be refused for being absent.
func (r *resolver) partial() bool {
	return r.broken || r.tree.cut || r.in.Kind == load.Fragment
}

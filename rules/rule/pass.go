package rule

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
)

// A Pass is one rule's view of one configuration. What several rules need is computed once, on first use, and shared
// by all passes over the same Facts.
type Pass struct {
	*Facts
	rule    *Rule
	pool    pool
	chunk   []Finding // findings that were not handed on yet
	take    func([]Finding)
	defects []string
	silent  bool // asked for the whole configuration, and did not have it
}

// Whole says that all of the configuration was read and understood, and that it is no fragment. A rule asks it before it
// concludes from something that is absent: a zone that no limit uses, a directive that is not in effect, a location
// without a limit. Where the answer is no it reports nothing of the kind, since what is missing may stand in what was not
// read; that it was silent is noted, and people are told once for all rules.
//
// Ask as late as possible, when all else speaks for a finding. WholeAt and WholeIn ask for less and are silent less often:
// an include that is missing in one server says nothing about another.
func (p *Pass) Whole() bool { return p.whole(p.Tree.Complete()) }

// WholeAt is Whole for what is concluded from the settings in effect at a level: nothing is missing at it, nor at the
// levels around it.
func (p *Pass) WholeAt(l *config.Level) bool { return p.whole(p.Tree.CompleteAt(l)) }

// WholeIn is Whole for what is concluded from where requests to a server go: nothing is missing in it, nor in http. A
// fragment that holds the server's own block is taken as enough.
func (p *Pass) WholeIn(s *config.Server) bool { return p.whole(p.completeIn(s)) }

func (p *Pass) whole(is bool) bool {
	p.silent = p.silent || !is
	return is
}

// An Outcome is what came of a rule.
type Outcome struct {
	Defects []string // faults of the rule itself (a place outside its file, an empty message): a test fails on them, and a user is told
	Silent  bool     // it may have kept findings to itself, since the configuration is not whole
}

// chunkSize is how many findings a chunk holds at most.
const chunkSize = 512

// Run applies a rule to what Facts hold. Its findings, with the rule's severity and confidence where it named no other, are
// taken piece by piece while there come more: of tens of thousands not all have to be held.
func Run(r *Rule, facts *Facts, take func([]Finding)) Outcome {
	p := &Pass{Facts: facts, rule: r, take: take}
	func() {
		defer func() {
			if v := recover(); v != nil {
				p.defects = append(p.defects, fmt.Sprintf("rule %s stopped: %v", r.Name, v))
			}
		}()
		if r.Check != nil {
			r.Check(p)
		}
	}()
	if len(p.chunk) > 0 {
		take(p.chunk)
	}
	return Outcome{p.defects, p.silent}
}

// Report adds a finding. It has exactly one primary place, which must lie within its file.
func (p *Pass) Report(f Finding) {
	f.Rule = p.rule
	if f.Severity == "" {
		f.Severity = p.rule.Severity
	}
	if f.Confidence == "" {
		f.Confidence = p.rule.Confidence
	}
	f.Places = max(f.Places, 1)
	if why := f.invalid(); why != "" {
		p.defects = append(p.defects, fmt.Sprintf("rule %s reported %s", p.rule.Name, why))
		if f.Primary.File == nil {
			return
		}
		f.Primary = clamp(f.Primary)
	}
	f.Evidence = p.pool.share(f.Evidence)
	p.keep(f)
}

func (p *Pass) keep(f Finding) {
	if n := len(p.chunk); n == cap(p.chunk) {
		if n > 0 {
			p.take(p.chunk)
		}
		p.chunk = make([]Finding, 0, min(max(4*n, 1), chunkSize))
	}
	p.chunk = append(p.chunk, f)
}

// invalid says what is wrong with the finding; "" where nothing is.
func (f *Finding) invalid() string {
	switch {
	case f.Message == "":
		return "an empty message"
	case !valid(f.Primary):
		return fmt.Sprintf("a place outside its file: %q", f.Message)
	}
	for _, l := range f.Related {
		if !valid(l.Span) || l.Message == "" {
			return fmt.Sprintf("an invalid related place: %q", f.Message)
		}
	}
	if f.Fix == nil {
		return ""
	}
	for _, e := range f.Fix.Edits {
		if !valid(e.Span) {
			return fmt.Sprintf("an edit outside its file: %q", f.Fix.Title)
		}
	}
	return ""
}

func valid(s source.Span) bool {
	return s.File != nil && s.Start <= s.End && int(s.End) <= len(s.File.Text)
}

func clamp(s source.Span) source.Span {
	n := uint32(len(s.File.Text))
	s.End = min(s.End, n)
	s.Start = min(s.Start, s.End)
	return s
}

// Of starts a finding about a directive as it stands at a level: its subject, its includes and its context. The primary
// place is the directive's head until the rule narrows it.
func Of(item config.Item, at *config.Level) Finding {
	return Finding{Primary: item.Head(), Subject: item.Directive, Via: item.Via, At: at}
}

// WholeFor is Whole for what is concluded of a zone: from what its key goes through, and from what stands beside its limits
// and before them.
func (p *Pass) WholeFor(z *Zone) bool {
	if len(z.Uses) == 0 || len(p.Flow(z.Key).Blocks) > 0 {
		return p.Whole()
	}
	if p.Tree.Complete() {
		return true
	}
	for i := range z.Uses {
		for _, place := range z.Uses[i].Places {
			if place.Judges() && !p.WholeAt(place.Level) {
				return false
			}
		}
	}
	return true
}

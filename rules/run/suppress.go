package run

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// Held is a finding that a comment holds back.
type Held struct {
	rule.Finding
	Comment source.Span
	Reason  string
	Until   string // the last day of it, "2027-01-31"; "" for no end
}

// suppress takes out the findings that a comment holds back, and adds one for each comment that is at fault: without a
// reason, past its date, naming no rule that exists, or of no use. Findings about comments cannot be suppressed. Of what is
// off anyway, a comment is of use and nothing is held.
func (s *sifter) suppress(found []*rule.Finding, rules []*rule.Rule) (kept []*rule.Finding, held []Held, about []*rule.Finding) {
	if len(s.comments) == 0 {
		return found, nil, nil
	}
	known := names(s.options.Known, rules)
	holds := make(map[place]*comment)
	for _, c := range s.comments {
		c.judge(known, s.options.Today)
		for _, name := range c.rules {
			if c.fault == "" {
				holds[place{c.span.File, c.target, name}] = c
			}
		}
	}
	for _, f := range found {
		if by := holdsBack(holds, f); by != nil {
			if f.Severity != Off {
				held = append(held, Held{*f, by.span, by.reason, by.until})
			}
			continue
		}
		kept = append(kept, f)
	}
	if of := named(rules, rule.Suppression); of != nil {
		running := names(rules)
		for _, c := range s.comments {
			if f := c.finding(of, running, s.tree == nil || s.tree.Complete()); f != nil {
				about = append(about, f)
			}
		}
	}
	return kept, held, about
}

// A place is a rule on one line of one file, whose findings there a comment holds back.
type place struct {
	file   *source.File
	number int
	rule   string
}

// holdsBack looks for a comment on each line that the finding's directive covers, and marks the one that is used.
func holdsBack(holds map[place]*comment, f *rule.Finding) *comment {
	first, last := f.Primary.From().Line, f.Primary.To().Line
	if f.Subject != nil && f.Subject.File == f.Primary.File {
		head := f.Subject.Span()
		first, last = min(first, head.From().Line), max(last, head.To().Line)
	}
	for n := first; n <= last; n++ {
		if c := holds[place{f.Primary.File, n, f.Rule.Name}]; c != nil {
			c.used[f.Rule.Name] = true
			return c
		}
	}
	return nil
}

// finding says what is wrong with the comment itself. That a comment is of no use is not said of a rule that did not
// run, nor where something could not be read: the fault may lie there.
func (c *comment) finding(about *rule.Rule, running map[string]bool, complete bool) *rule.Finding {
	say := func(message string) *rule.Finding {
		return &rule.Finding{
			Rule: about, Severity: about.Severity, Confidence: about.Confidence,
			Message: message, Primary: c.span, Places: 1,
		}
	}
	if c.fault != "" {
		f := say(c.fault)
		if c.mistaken {
			f.Severity, f.Confidence = rule.Note, rule.Medium
		}
		return f
	}
	if !complete {
		return nil
	}
	var unused, kept []string
	told := map[string]bool{} // a list may name a rule more than once
	for _, name := range c.rules {
		switch {
		case told[name]:
		case !c.used[name] && running[name]:
			unused = append(unused, name)
		default:
			kept = append(kept, name)
		}
		told[name] = true
	}
	if len(unused) == 0 {
		return nil
	}
	f := say(fmt.Sprintf("the suppression holds nothing back: no finding of %s on line %d", rule.Some(unused), c.target))
	f.Fix = c.keep(kept, unused)
	return f
}

func names(lists ...[]*rule.Rule) map[string]bool {
	set := make(map[string]bool)
	for _, list := range lists {
		for _, r := range list {
			set[r.Name] = true
		}
	}
	return set
}

func named(rules []*rule.Rule, name string) *rule.Rule {
	for _, r := range rules {
		if r.Name == name {
			return r
		}
	}
	return nil
}

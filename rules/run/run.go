// Package run applies a list of rules to one configuration and puts the findings into their final form, step by step:
// what is the same is put together, severities are set, fingerprints are computed, suppressions are obeyed, and the
// order is fixed. It knows no single rule, reads no clock, and shows nothing.
package run

import (
	"cmp"
	"runtime"
	"slices"
	"sync"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// Options say how a run judges.
type Options struct {
	Settings      rule.Settings
	Severities    map[string]rule.Severity // by rule name, in place of what the rule says; may be Off
	Overrides     []Override               // that stand above Severities where they apply
	MinConfidence rule.Confidence          // findings that are less sure are dropped; "" keeps all
	Today         string                   // "2026-11-30": suppressions until an earlier day have ended; "" ends none
	Known         []*rule.Rule             // every rule there is, so that a suppression of one that does not run is not called unused; nil takes the rules that run

	Everything bool // keep all findings, however many there are of a rule

	Around func(*rule.Rule) (done func()) // nil, or called before each rule, and done behind it; by several goroutines

	// Before are findings that were there before: as many of each identity are left out, and taken off it, so that what
	// remains of it was not found any more. Numbers go on where those of an input judged before ended; nil begins anew.
	Before   Tally
	compares bool // Before has any; it is counted down while other configurations are judged
	Numbers  Numbers

	NoFingerprints bool // nobody asks for them
}

// A Result is what a run found.
type Result struct {
	Findings   []rule.Finding // in the order in which nginx reads the files, then by place, then by rule
	LeftOut    int            // findings beyond those that are kept of a rule and a severity
	Suppressed int            // findings that a comment held back
	Held       []Held         // the first of them
	Before     int            // findings of Options.Before
	Silent     []string       // rules that may have kept findings to themselves, since the configuration is not whole; sorted
	Defects    []string       // faults of rules themselves; a run with any did not do all of its work
}

// All applies the rules to the configuration. The result depends on its arguments alone: not on the order of the rules,
// nor on how many of them run at the same time.
func All(rules []*rule.Rule, tree *config.Tree, o Options) Result {
	o.Settings.Today = cmp.Or(o.Settings.Today, o.Today)
	return On(rule.NewFacts(tree, o.Settings), rules, o)
}

// On is All over facts that the caller shares with others; Options.Settings are those of the facts.
func On(facts *rule.Facts, rules []*rule.Rule, o Options) Result {
	if o.Numbers == nil {
		o.Numbers = Numbers{}
	}
	o.compares = len(o.Before) > 0
	return judge(facts, rules, &o).settle()
}

// A judged is what the rules found in one configuration, in order, before it is compared with what is known.
type judged struct {
	*sifter
	rules    []*rule.Rule
	outcomes []sifted
	found    []*rule.Finding
	left     int
}

// judge runs the rules. It reads the options, and changes nothing of them.
func judge(facts *rule.Facts, rules []*rule.Rule, o *Options) *judged {
	tree := facts.Tree
	s := &sifter{options: o, tree: tree, order: fileOrder(tree), places: newPlaces(tree), comments: findComments(tree)}
	j := &judged{sifter: s, rules: rules, outcomes: s.apply(rules, facts)}
	facts.Forget()
	j.found, j.left = gather(j.outcomes)
	s.sort(j.found)
	setEffects(j.found, rules, j.outcomes)
	return j
}

// settle brings what was found into its final form. What inputs share, Options.Before and Options.Numbers, goes on.
func (s *judged) settle() Result {
	o := s.options
	found, left := s.found, s.left
	s.fingerprint(found)
	found, held, about := s.suppress(found, s.rules)
	s.fingerprint(about)
	s.grade(about)
	// What is off or less sure is dropped behind the comments, so that none is called unused for want of what it holds back.
	found = dropOff(append(found, about...))
	found, before := o.Before.leaveOut(found)
	found = dropUnsure(found, o.MinConfidence)
	s.sort(found)
	if !o.Everything {
		told, folded := foldMistaken(found)
		kept, beyond := keepSome(told)
		found, left = kept, left+folded+len(beyond)
	}
	result := Result{Findings: values(found), LeftOut: left, Suppressed: len(held), Held: held[:min(len(held), maxFindings)], Before: before}
	for i, o := range s.outcomes {
		result.Defects = append(result.Defects, o.defects...)
		if o.silent {
			result.Silent = append(result.Silent, s.rules[i].Name)
		}
	}
	slices.Sort(result.Silent)
	return result
}

// A sifted is what came of one rule: its findings in order, what is the same put together.
type sifted struct {
	found   []*rule.Finding
	left    int                 // findings beyond those that can be kept
	causes  []*syntax.Directive // that these warn of, where findings of other rules tell effects
	defects []string
	silent  bool
}

// A sifter takes the steps that can be taken for each rule on its own.
type sifter struct {
	options  *Options
	tree     *config.Tree
	order    func(*source.File) int
	places   *places
	comments []*comment
}

// apply runs the rules on as many processors as there are. Outcomes come in the order of the rules given.
func (s *sifter) apply(rules []*rule.Rule, facts *rule.Facts) []sifted {
	around := s.options.Around
	if around == nil {
		around = func(*rule.Rule) func() { return func() {} }
	}
	all := make([]sifted, len(rules))
	next := make(chan int)
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(rules)) {
		wait.Go(func() {
			for i := range next {
				done := around(rules[i])
				all[i] = s.sift(rules, rules[i], facts)
				done()
			}
		})
	}
	for i := range rules {
		next <- i
	}
	close(next)
	wait.Wait()
	return all
}

// sift runs a rule and brings what it finds into its order.
func (s *sifter) sift(rules []*rule.Rule, r *rule.Rule, facts *rule.Facts) sifted {
	v := s.newSieve(rules, r)
	o := rule.Run(r, facts, v.take)
	v.settle()
	found := v.found
	if v.left > 0 { // what is kept is not to hold the memory of what is not
		kept := values(found)
		for i := range kept {
			found[i] = &kept[i]
		}
	}
	return sifted{found, v.left, v.causes, o.Defects, o.Silent}
}

// wantsAll says whether a finding of a rule is asked for even where it comes too late to be kept: whether a comment holds it
// back, whether it was there before, whether it is the effect of another one.
func (s *sifter) wantsAll(r *rule.Rule) bool {
	return s.options.Everything || s.options.compares || len(r.Causes) > 0 ||
		slices.ContainsFunc(s.comments, func(c *comment) bool { return slices.Contains(c.rules, r.Name) })
}

// values copies findings into one piece of memory, which holds no others.
func values(found []*rule.Finding) []rule.Finding {
	if len(found) == 0 {
		return nil
	}
	all := make([]rule.Finding, len(found))
	for i, f := range found {
		all[i] = *f
	}
	return all
}

// gather returns the findings of all rules, and how many of them are left out.
func gather(all []sifted) (found []*rule.Finding, left int) {
	n := 0
	for i := range all {
		n += len(all[i].found)
		left += all[i].left
	}
	found = make([]*rule.Finding, 0, n)
	for i := range all {
		found = append(found, all[i].found...)
	}
	return found, left
}

// Worst returns the gravest severity found; "" where nothing was.
func (r Result) Worst() rule.Severity {
	var worst rule.Severity
	for i := range r.Findings {
		if s := r.Findings[i].Severity; worst == "" || s.AtLeast(worst) {
			worst = s
		}
	}
	return worst
}

// Count returns how many findings have the severity.
func (r Result) Count(s rule.Severity) int {
	n := 0
	for i := range r.Findings {
		if r.Findings[i].Severity == s {
			n++
		}
	}
	return n
}

// Join puts the results of several configurations together, in the order given. Fingerprints tell them apart where they
// were judged with the same Options.Numbers.
func Join(results ...Result) Result {
	if len(results) == 1 {
		return results[0]
	}
	var all Result
	for _, r := range results {
		all.Findings = append(all.Findings, r.Findings...)
		all.LeftOut += r.LeftOut
		all.Suppressed += r.Suppressed
		all.Held = append(all.Held, r.Held...)
		all.Before += r.Before
		all.Silent = append(all.Silent, r.Silent...)
		all.Defects = append(all.Defects, r.Defects...)
	}
	slices.Sort(all.Silent)
	all.Silent = slices.Compact(all.Silent)
	return all
}

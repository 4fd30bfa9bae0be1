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
	Before  Tally
	Numbers Numbers
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
	tree := facts.Tree
	outcomes := apply(rules, facts, o.Around)
	found := findings(outcomes)
	grade(found, &o, tree)
	sortFindings(found, tree)
	found = mergeSame(found)
	setEffects(found)
	numbers := o.Numbers
	if numbers == nil {
		numbers = Numbers{}
	}
	numbers.fingerprint(found)
	found, held, about := suppress(found, rules, tree, o)
	numbers.fingerprint(about)
	grade(about, &o, tree)
	// What is off or less sure is dropped behind the comments, so that none is called unused for want of what it holds back.
	found = dropOff(append(found, about...))
	found, before := o.Before.leaveOut(found)
	found = dropUnsure(found, o.MinConfidence)
	sortFindings(found, tree)
	left := 0
	if !o.Everything {
		found, left = keepSome(found)
	}
	result := Result{Findings: found, LeftOut: left, Suppressed: len(held), Held: held[:min(len(held), maxFindings)], Before: before}
	for i, o := range outcomes {
		result.Defects = append(result.Defects, o.Defects...)
		if o.Silent {
			result.Silent = append(result.Silent, rules[i].Name)
		}
	}
	slices.Sort(result.Silent)
	return result
}

// apply runs the rules on as many processors as there are. Outcomes come in the order of the rules given.
func apply(rules []*rule.Rule, facts *rule.Facts, around func(*rule.Rule) func()) []rule.Outcome {
	if around == nil {
		around = func(*rule.Rule) func() { return func() {} }
	}
	outcomes := make([]rule.Outcome, len(rules))
	next := make(chan int)
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(rules)) {
		wait.Go(func() {
			for i := range next {
				done := around(rules[i])
				outcomes[i] = rule.Run(rules[i], facts)
				done()
			}
		})
	}
	for i := range rules {
		next <- i
	}
	close(next)
	wait.Wait()
	return outcomes
}

func findings(outcomes []rule.Outcome) []rule.Finding {
	var pieces [][]rule.Finding
	for _, o := range outcomes {
		pieces = append(pieces, o.Findings...)
	}
	return slices.Concat(pieces...)
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

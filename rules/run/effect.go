package run

import (
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// setEffects makes a note of each finding that tells the effect of a limit which a finding of its rule's Causes warns of. It comes
// before the comments are obeyed: whoever has a reason for the limit has one for its effect.
func setEffects(found []*rule.Finding, rules []*rule.Rule, outcomes []sifted) {
	causes := make(map[*syntax.Directive][]string) // the rules that warn of a limit
	for _, f := range found {
		if f.Cause != nil && f.Severity.AtLeast(rule.Warning) {
			causes[f.Cause] = nil
		}
	}
	if len(causes) == 0 {
		return
	}
	add := func(limit *syntax.Directive, by string) {
		if names, asked := causes[limit]; asked && !slices.Contains(names, by) {
			causes[limit] = append(names, by)
		}
	}
	for _, f := range found {
		if f.Severity.AtLeast(rule.Warning) {
			add(f.Subject, f.Rule.Name)
		}
	}
	for i := range outcomes { // what is not kept is a cause all the same
		for _, limit := range outcomes[i].causes {
			add(limit, rules[i].Name)
		}
	}
	for _, f := range found {
		if f.Cause == nil || !f.Severity.AtLeast(rule.Warning) {
			continue
		}
		if slices.ContainsFunc(causes[f.Cause], func(name string) bool { return slices.Contains(f.Rule.Causes, name) }) {
			f.Severity = rule.Note
		}
	}
}

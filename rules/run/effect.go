package run

import (
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// setEffects makes a note of each finding that tells the effect of a limit which a finding of its rule's Causes warns of. It comes
// before the comments are obeyed: whoever has a reason for the limit has one for its effect.
func setEffects(found []*rule.Finding) {
	causes := make(map[*syntax.Directive][]string) // the rules that warn of a limit
	for _, f := range found {
		if f.Cause != nil && f.Severity.AtLeast(rule.Warning) {
			causes[f.Cause] = nil
		}
	}
	if len(causes) == 0 {
		return
	}
	for _, f := range found {
		if names, asked := causes[f.Subject]; asked && f.Severity.AtLeast(rule.Warning) && !slices.Contains(names, f.Rule.Name) {
			causes[f.Subject] = append(names, f.Rule.Name)
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

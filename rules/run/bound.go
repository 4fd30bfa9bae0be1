package run

import "github.com/ngxlimit/ngxlimit/rules/rule"

// maxFindings bounds what is kept of one rule at one severity: nobody reads on, and each takes memory in every form in
// which it is reported.
const maxFindings = 10_000

// keepSome keeps the first findings of every rule and severity, and counts the others.
func keepSome(found []*rule.Finding) (kept []*rule.Finding, left int) {
	if len(found) <= maxFindings {
		return found, 0
	}
	type kind struct {
		rule     *rule.Rule
		severity rule.Severity
	}
	of := map[kind]int{}
	kept = found[:0]
	for _, f := range found {
		k := kind{f.Rule, f.Severity}
		if of[k]++; of[k] <= maxFindings {
			kept = append(kept, f)
		}
	}
	return kept, len(found) - len(kept)
}

package run

import (
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// Suppress obeys the suppression comments of files that are no configuration of nginx, of which only the comments are read:
// it takes out the findings that they hold back, and adds those about the comments themselves to the rest. The rules are
// those that ran, with rule.Suppression among them; of known ones that did not run a comment may stay.
func Suppress(docs []*syntax.Document, found []rule.Finding, rules, known []*rule.Rule, today string) (kept []rule.Finding, held []Held) {
	s := &sifter{options: &Options{Known: known, Today: today}, comments: commentsIn(docs)}
	list := make([]*rule.Finding, len(found))
	for i := range found {
		list[i] = &found[i]
	}
	left, held, about := s.suppress(list, rules)
	for _, f := range about {
		f.Context, f.Evidence, f.Related = []string{}, map[string]any{}, []rule.Label{}
		f.Fingerprint = Identify(f).String()
	}
	for _, f := range slices.Concat(left, about) {
		kept = append(kept, *f)
	}
	return kept, held
}

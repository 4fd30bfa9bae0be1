package rules

import (
	"slices"

	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// totalAndClient returns the lowest limit of a list for all clients together, and the lowest one for each; nil where it
// lacks either. Limits that count no visitor are neither.
func totalAndClient[L any](list rule.List[*L], key func(*L) (rule.Key, bool), lower func(a, b *L) bool) (total, client *L) {
	if len(list.Limits) < 2 || !slices.ContainsFunc(list.Places, rule.Place.Judges) {
		return nil, nil
	}
	for _, l := range list.Limits {
		k, known := key(l)
		switch {
		case !known || k.Exempt:
		case k.ForAll:
			if total == nil || lower(l, total) {
				total = l
			}
		case k.PerAddress:
			if client == nil || lower(l, client) {
				client = l
			}
		}
	}
	if total == nil || client == nil {
		return nil, nil
	}
	return total, client
}

package run

import (
	"slices"

	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// dropUnsure drops what is less sure than asked for.
func dropUnsure(found []*rule.Finding, least rule.Confidence) []*rule.Finding {
	if least == "" {
		return found
	}
	return slices.DeleteFunc(found, func(f *rule.Finding) bool { return !f.Confidence.AtLeast(least) })
}

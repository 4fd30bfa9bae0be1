package run

import "github.com/ngxlimit/ngxlimit/rules/rule"

// setSeverities gives findings the severity that the settings name for their rule.
func setSeverities(found []rule.Finding, wanted map[string]rule.Severity) {
	for i := range found {
		if s, ok := wanted[found[i].Rule.Name]; ok {
			found[i].Severity = s
		}
	}
}

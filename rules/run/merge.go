package run

import "github.com/ngxlimit/ngxlimit/rules/rule"

// mergeSame puts findings together that say the same of the same text: a snippet that 10,000 servers include is one
// fault, not 10,000. The first context is kept, and Places tells how many there were. Findings come sorted, so what is
// the same stands together; within that they have the order in which the rule walked the configuration.
func mergeSame(found []*rule.Finding) []*rule.Finding {
	kept := found[:0]
	for _, f := range found {
		if n := len(kept); n > 0 && same(kept[n-1], f) {
			kept[n-1].Places += f.Places
			continue
		}
		kept = append(kept, f)
	}
	return kept
}

func same(a, b *rule.Finding) bool {
	return a.Rule == b.Rule && a.Primary == b.Primary && a.Message == b.Message && a.Severity == b.Severity
}

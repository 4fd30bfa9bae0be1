package run

import "github.com/ngxlimit/ngxlimit/rules/rule"

// A Tally counts findings that were there before, of a baseline or of an older revision.
type Tally map[Identity]int

// Add counts findings.
func (t Tally) Add(found []rule.Finding) {
	for i := range found {
		t[Identify(&found[i])]++
	}
}

// leaveOut takes out as many findings of each identity as there were before, the first ones, and takes them off the
// tally. It keeps the findings of which nothing was there.
func (t Tally) leaveOut(found []*rule.Finding) (kept []*rule.Finding, count int) {
	if len(t) == 0 {
		return found, 0
	}
	kept = found[:0]
	for _, f := range found {
		id := Identify(f)
		if t[id] > 0 {
			t[id]--
			count++
			continue
		}
		kept = append(kept, f)
	}
	return kept, count
}

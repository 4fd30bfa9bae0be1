package run

import (
	"maps"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// foldMistaken keeps, of what nginx refuses of a file that is no configuration, the first: it says what the file seems to
// be, and how many there are besides. What a template leaves open makes as many faults as it has gaps, and none of them is one.
// Findings come sorted.
func foldMistaken(found []*rule.Finding) (kept []*rule.Finding, left int) {
	first := map[*source.File]*rule.Finding{}
	besides := map[*rule.Finding]int64{}
	for _, f := range found {
		if f.Mistaken == "" {
			kept = append(kept, f)
			continue
		}
		if of := first[f.Primary.File]; of != nil {
			besides[of]++
			left++
			continue
		}
		first[f.Primary.File] = f
		kept = append(kept, f)
	}
	for _, f := range first {
		f.Evidence = maps.Clone(f.Evidence)
		if f.Evidence == nil {
			f.Evidence = map[string]any{}
		}
		f.Evidence["looks_like"] = f.Mistaken
		if n := besides[f]; n > 0 {
			f.Evidence["others_held_back"] = n
		}
	}
	return kept, left
}

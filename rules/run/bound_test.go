package run

import (
	"testing"

	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// Of very many findings the first of each rule and severity are kept, and all others counted.
func TestKeepSome(t *testing.T) {
	a, b := &rule.Rule{Name: "a"}, &rule.Rule{Name: "b"}
	var found []*rule.Finding
	for i := range 3 * maxFindings {
		f := &rule.Finding{Rule: a, Severity: rule.Note, Places: i}
		if i == 2*maxFindings {
			f.Severity = rule.Error
		}
		found = append(found, f)
	}
	found = append(found, &rule.Finding{Rule: b, Severity: rule.Note, Places: -1})
	kept, left := keepSome(found)
	if len(kept) != maxFindings+2 || len(left) != 2*maxFindings-1 {
		t.Fatalf("%d kept, %d left", len(kept), len(left))
	}
	if kept[maxFindings-1].Places != maxFindings-1 || kept[maxFindings].Severity != rule.Error || kept[maxFindings+1].Rule != b {
		t.Error("not the first ones were kept")
	}
}

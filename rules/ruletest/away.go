package ruletest

import (
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
	"github.com/ngxlimit/ngxlimit/rules/rule"
	"github.com/ngxlimit/ngxlimit/rules/run"
)

// unread is an include that standard input cannot follow.
const unread = "include not-there.conf;"

// checkAway holds a rule to silence about what is not there to be read: where it finds nothing in a configuration, it
// finds nothing either when one of the directives lies in an include that cannot be read.
func checkAway(t *testing.T, r *rule.Rule, text, version string, o run.Options) {
	t.Helper()
	tree, err := TryResolve(text, version)
	if err != nil || !tree.Complete() || len(All(t, []*rule.Rule{r}, tree, o).Findings) > 0 || r.Name == "missing-include" {
		return
	}
	eachDirective(tree.Input.Main.Directives, func(d *syntax.Directive) {
		end := d.End
		if d.Block != nil {
			end = d.Block.Close + 1
		}
		start := d.Name().Start
		partial, err := TryResolve(text[:start]+unread+text[end:], version)
		if err != nil || partial.Complete() {
			return
		}
		if found := All(t, []*rule.Rule{r}, partial, o).Findings; len(found) > 0 {
			t.Errorf("%s finds %q where %q lies in an include that cannot be read; a rule that concludes from what is absent asks Pass.Whole",
				r.Name, found[0].Message, text[start:end])
		}
	})
}

// eachDirective calls do for every directive, blocks before what they hold.
func eachDirective(ds []syntax.Directive, do func(*syntax.Directive)) {
	for i := range ds {
		do(&ds[i])
		if b := ds[i].Block; b != nil && !b.Code {
			eachDirective(b.Directives, do)
		}
	}
}

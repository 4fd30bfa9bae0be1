package rules_test

import (
	"slices"
	"testing"

	"github.com/ngxlimit/ngxlimit/rules"
	"github.com/ngxlimit/ngxlimit/rules/rule"
	"github.com/ngxlimit/ngxlimit/rules/ruletest"
	"github.com/ngxlimit/ngxlimit/rules/run"
)

// ambient are notes on what no example has, as it would bury what it shows: a log format, an answer to refusals, what stands
// in front.
var ambient = []*rule.Rule{rules.LimitStatusNotLogged, rules.UpstreamTimeNotLogged, rules.NoRetryAfter, rules.RealipMissing}

// besides are the notes that a good example draws of other rules because of what it is about.
var besides = map[*rule.Rule][]*rule.Rule{
	rules.AddHeaderNotAlways: {rules.PreflightCounted},
	rules.ConnLimitLowForH2:  {rules.UnsupportedInVersion}, // http2 as every nginx takes it, of which new ones warn
	rules.LimitMissesPath:    {rules.LimitOnRoot, rules.SharedAddressRejected},
	rules.MergeSlashesBypass: {rules.LimitMissesPath},
	rules.RealipV6Missing:    {rules.KeyIPv6SingleAddress},
}

// TestGoodExamplesAreGood holds that the whole catalogue finds nothing in a good example but what is listed above.
func TestGoodExamplesAreGood(t *testing.T) {
	for _, r := range rules.All() {
		result := ruletest.All(t, rules.All(), ruletest.Resolve(t, r.Good, r.For), run.Options{})
		for i := range result.Findings {
			f := &result.Findings[i]
			if f.Severity != rule.Note || !slices.Contains(ambient, f.Rule) && !slices.Contains(besides[r], f.Rule) {
				t.Errorf("the good example of %s draws a %s of %s: %s", r.Name, f.Severity, f.Rule.Name, f.Message)
			}
		}
	}
}

package rules_test

import (
	"testing"

	"github.com/ngxlimit/ngxlimit/rules"
	"github.com/ngxlimit/ngxlimit/rules/ruletest"
)

func TestRules(t *testing.T) {
	for _, r := range rules.All() {
		t.Run(r.Name, func(t *testing.T) { ruletest.Run(t, r, rules.All(), "testdata") })
	}
}

package rule_test

import (
	"testing"

	"github.com/ngxlimit/ngxlimit/rules/rule"
)

func TestSettle(t *testing.T) {
	of := func(c rule.Confidence, zone string, keys ...string) string {
		f := rule.Finding{Rule: &rule.Rule{Name: "a-rule", Settings: keys}, Confidence: c, Evidence: map[string]any{"zone": zone}}
		return f.Settle()
	}
	tests := []struct{ got, want string }{
		{of(rule.High, "", "proxies"), ""},
		{of(rule.Low, "", "chain", "proxies"), "proxies: false (or the networks of what stands in front)"},
		{of(rule.Low, "per_ip", "background", "interactive", "zones"), "zones: {per_ip: {expected_keys: 20_000}}"},
		{of(rule.Low, "a: \x1b", "zones"), `zones: {"a: \x1b": {expected_keys: 20_000}}`},
		{of(rule.Medium, "", "clients_per_address"), "clients_per_address: 1 (or as many people as share one)"},
		{of(rule.Medium, ""), ""},
		{of(rule.Low, ""), "rules: {a-rule: off} (where it is meant so)"},
	}
	for i, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("%d: %q, want %q", i, tt.got, tt.want)
		}
	}
}

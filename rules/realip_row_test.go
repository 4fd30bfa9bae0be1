package rules

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

func trustedOf(prefixes ...string) []*config.Trusted {
	var list []*config.Trusted
	for _, p := range prefixes {
		list = append(list, &config.Trusted{Text: p, Prefix: netip.MustParsePrefix(p)})
	}
	return list
}

func missingIn(trusted []*config.Trusted) string {
	var all []string
	for _, r := range rowsOf(trusted) {
		for _, g := range r.gaps(rule.SetOf(trusted)) {
			for _, m := range g.missing {
				all = append(all, m.String())
			}
		}
	}
	return strings.Join(all, " ")
}

func TestGaps(t *testing.T) {
	tests := []struct{ trusted, want string }{
		{"10.0.0.0/22 10.0.8.0/22", "10.0.4.0/22"},
		{"10.0.12.0/22 10.0.0.0/22", "10.0.4.0/22 10.0.8.0/22"},
		{"10.0.0.0/22 10.0.4.0/22 10.0.8.0/22", ""},
		{"10.0.0.0/22 10.0.4.0/22 10.0.16.0/22", "10.0.8.0/22 10.0.12.0/22"},
		{"10.0.0.0/24 10.0.2.0/24 10.0.4.0/24", ""},
		{"10.0.0.0/24 10.0.2.0/24 10.0.6.0/24", "10.0.4.0/24"},
		{"10.0.0.0/24 10.0.1.0/24 10.0.100.0/24", ""},
		{"10.0.0.0/22 10.0.8.0/22 10.0.0.0/16", ""},
		{"10.0.0.0/22 10.0.8.0/21", ""},
		{"198.51.100.0/26 198.51.100.128/26", ""},
		{"10.0.0.0/16 10.2.0.0/16", ""},
		{"10.0.0.1/32 10.0.0.3/32", ""},
		{"fd00::/64 fd00:0:0:2::/64", "fd00:0:0:1::/64"},
		{"10.255.252.0/22 10.255.244.0/22", "10.255.248.0/22"},
		{"10.0.0.0/22 10.0.0.0/22", ""},
		{"", ""},
	}
	for _, tt := range tests {
		if got := missingIn(trustedOf(strings.Fields(tt.trusted)...)); got != tt.want {
			t.Errorf("%s: missing %q, want %q", tt.trusted, got, tt.want)
		}
	}
}

// A whole row has no gap, and one that lacks an inner member has exactly that one, whatever its order.
func TestGapsOfRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bits := rapid.IntRange(20, 28).Draw(t, "bits")
		n := rapid.IntRange(4, 8).Draw(t, "n")
		start := rapid.IntRange(0, 1000).Draw(t, "start")
		var whole []string
		for i := range n {
			at := uint32(10<<24) + uint32(start+i)<<(32-bits)
			whole = append(whole, fmt.Sprintf("%d.%d.%d.%d/%d", at>>24, at>>16&255, at>>8&255, at&255, bits))
		}
		lost := rapid.IntRange(1, n-2).Draw(t, "lost")
		without := append(append([]string{}, whole[:lost]...), whole[lost+1:]...)
		if got := missingIn(trustedOf(rapid.Permutation(whole).Draw(t, "whole")...)); got != "" {
			t.Fatalf("a whole row lacks %s", got)
		}
		if got := missingIn(trustedOf(rapid.Permutation(without).Draw(t, "without")...)); got != whole[lost] {
			t.Fatalf("without %s: missing %q", whole[lost], got)
		}
	})
}

package run_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ngxlimit/ngxlimit/rules"
	"github.com/ngxlimit/ngxlimit/rules/rule"
	"github.com/ngxlimit/ngxlimit/rules/ruletest"
	"github.com/ngxlimit/ngxlimit/rules/run"
)

func TestOverrides(t *testing.T) {
	text := http("server { server_name a.example;\nexpires 1d;\nlocation /x/ {\nexpires 2d; } }\nserver { server_name b.example;\nexpires 3d; }\n" +
		"server { server_name c.example;\n# ngxlimit:ignore e known\nexpires 4d; }\n")
	off := map[string]rule.Severity{"e": run.Off}
	tests := []struct {
		name       string
		severities map[string]rule.Severity
		overrides  []run.Override
		want       []string
		held       int
	}{
		{"none", nil, nil, []string{"4 warning", "6 warning", "8 warning"}, 1},
		{"a server", nil, []run.Override{{Servers: []string{"a.*"}, Rules: off}}, []string{"8 warning"}, 1},
		{"a location", nil, []run.Override{{Locations: []string{"/x/"}, Rules: off}}, []string{"4 warning", "8 warning"}, 1},
		{"both must mean it", nil, []run.Override{{Servers: []string{"b.example"}, Locations: []string{"/x/"}, Rules: off}}, []string{"4 warning", "6 warning", "8 warning"}, 1},
		{"a file", nil, []run.Override{{Files: []string{"*.conf"}, Rules: off}}, []string{"4 warning", "6 warning", "8 warning"}, 1},
		{"every file", nil, []run.Override{{Files: []string{"**"}, Rules: off}}, nil, 0},
		{"the last counts", nil, []run.Override{{Files: []string{"**"}, Rules: off}, {Servers: []string{"b.example"}, Rules: map[string]rule.Severity{"e": rule.Error}}}, []string{"8 error"}, 0},
		{"another rule's does not", nil, []run.Override{{Files: []string{"**"}, Rules: off}, {Files: []string{"**"}, Rules: map[string]rule.Severity{"h": rule.Error}}}, nil, 0},
		{"above what holds everywhere", map[string]rule.Severity{"e": rule.Note}, []run.Override{{Servers: []string{"a.example"}, Rules: map[string]rule.Severity{"e": run.AsRuled}}}, []string{"4 warning", "6 warning", "8 note"}, 1},
		{"off but for one", off, []run.Override{{Servers: []string{"b.example"}, Rules: map[string]rule.Severity{"e": run.AsRuled}}}, []string{"8 warning"}, 0},
	}
	list := []*rule.Rule{finder("e", "expires"), suppression}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := run.Options{Severities: tt.severities, Overrides: tt.overrides}
			r := ruletest.All(t, list, ruletest.Resolve(t, text, ""), o)
			var got []string
			for i := range r.Findings {
				f := &r.Findings[i]
				got = append(got, string('0'+rune(f.Primary.From().Line))+" "+string(f.Severity))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || r.Suppressed != tt.held || len(r.Held) != tt.held {
				t.Errorf("%d held; -want +got:\n%s", r.Suppressed, diff)
			}
		})
	}
}

// What a comment holds back is kept with the comment's words.
func TestHeld(t *testing.T) {
	text := http("server {\n# ngxlimit:ignore e until 2027-01-31 we know that\nexpires 1d; }\n")
	r := ruletest.All(t, []*rule.Rule{finder("e", "expires")}, ruletest.Resolve(t, text, ""), run.Options{Today: "2026-11-30"})
	if len(r.Held) != 1 || r.Held[0].Reason != "we know that" || r.Held[0].Until != "2027-01-31" || r.Held[0].Fingerprint == "" || r.Held[0].Comment.From().Line != 4 {
		t.Errorf("held: %+v", r.Held)
	}
}

// What was there before is left out as often as it was there.
func TestBefore(t *testing.T) {
	rules := []*rule.Rule{finder("e", "expires")}
	of := func(text string, before run.Tally) run.Result {
		return ruletest.All(t, rules, ruletest.Resolve(t, http(text), ""), run.Options{Before: before})
	}
	tally := run.Tally{}
	tally.Add(of("server { expires 1d; }\nserver { expires 1d; }\nserver { expires 2d; }\n", nil).Findings)
	r := of("server { expires 1d; }\n\nserver { expires  1d; }\nserver { expires 1d; }\n", tally)
	if len(r.Findings) != 1 || r.Before != 2 || r.Findings[0].Primary.From().Line != 6 {
		t.Errorf("%d left out, %v", r.Before, lines(r))
	}
	left := 0
	for _, n := range tally {
		left += n
	}
	if left != 1 {
		t.Errorf("%d findings are said to be gone, want that of 2d", left)
	}
}

// What nginx refuses stands at no level, and is meant by the overrides of its server and location all the same.
func TestOverridesOfRefusals(t *testing.T) {
	text := http("server { server_name a.example;\nexpires x y z u;\nlocation /x/ {\nexpires x y z u; } }\nserver { server_name b.example;\nexpires x y z u; }\n")
	off := map[string]rule.Severity{rules.TooManyArguments.Name: run.Off}
	tests := []struct {
		override run.Override
		want     []int
	}{
		{run.Override{Servers: []string{"none.example"}, Rules: off}, []int{4, 6, 8}},
		{run.Override{Servers: []string{"a.example"}, Rules: off}, []int{8}},
		{run.Override{Locations: []string{"/x/"}, Rules: off}, []int{4, 8}},
		{run.Override{Servers: []string{"b.example"}, Rules: off}, []int{4, 6}},
	}
	for _, tt := range tests {
		r := ruletest.All(t, []*rule.Rule{rules.TooManyArguments}, ruletest.Resolve(t, text, ""), run.Options{Overrides: []run.Override{tt.override}})
		var got []int
		for i := range r.Findings {
			got = append(got, r.Findings[i].Primary.From().Line)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%v: -want +got:\n%s", tt.override, diff)
		}
	}
}

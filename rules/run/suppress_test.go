package run_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ngxlimit/ngxlimit/rules/rule"
	"github.com/ngxlimit/ngxlimit/rules/ruletest"
	"github.com/ngxlimit/ngxlimit/rules/run"
)

func TestSuppression(t *testing.T) {
	const left = ": expires stands here"
	tests := []struct {
		name string
		body string // from line 3 on
		held int
		want []string
	}{
		{"on the line before", "server {\n# ngxlimit:ignore e-rule known\nexpires 1d;\nexpires 2d; }\n", 1, []string{"6 e-rule" + left}},
		{"at the end of the line", "server { expires 1d; # ngxlimit:ignore e-rule known\n}\n", 1, nil},
		{"at the end of one of several lines", "server { expires\n 1d\n ; # ngxlimit:ignore e-rule known\n}\n", 1, nil},
		{"before a directive of several lines", "server {\n#  ngxlimit:ignore e-rule known\n\nexpires\n 1d; }\n", 1, nil},
		{
			"does not reach further", "server { # ngxlimit:ignore e-rule known\nexpires 1d; }\n", 0,
			[]string{"3 suppression: the suppression holds nothing back: no finding of e-rule on line 3", "4 e-rule" + left},
		},
		{"two rules", "server {\n# ngxlimit:ignore h-rule, e-rule known\nexpires 1d; add_header A b; }\n", 2, nil},
		{"two comments", "server {\n# ngxlimit:ignore h-rule known\n# ngxlimit:ignore e-rule known too\nexpires 1d; add_header A b; }\n", 2, nil},
		{
			"several, with others between", "server {\n# ngxlimit:ignore h-rule known\n\n# note\n# ngxlimit:ignore e-rule known too\n\nexpires 1d; add_header A b;\n" +
				"# ngxlimit:ignore e-rule known\nexpires 2d; }\n", 3, nil,
		},
		{
			"one of two is of no use", "server {\n# ngxlimit:ignore h-rule,e-rule known\nexpires 1d; }\n", 1,
			[]string{"4 suppression: the suppression holds nothing back: no finding of h-rule on line 5"},
		},
		{
			"without a reason", "server {\n# ngxlimit:ignore e-rule\nexpires 1d; }\n", 0,
			[]string{"4 suppression: the suppression is not applied, because it gives no reason", "5 e-rule" + left},
		},
		{
			"a date alone is no reason", "server {\n# ngxlimit:ignore e-rule until 2027-01-31\nexpires 1d; }\n", 0,
			[]string{"4 suppression: the suppression is not applied, because it gives no reason", "5 e-rule" + left},
		},
		{"until its day", "server {\n# ngxlimit:ignore e-rule until 2026-11-30 known\nexpires 1d; }\n", 1, nil},
		{
			"past its day", "server {\n# ngxlimit:ignore e-rule until 2026-11-29 known\nexpires 1d; }\n", 0,
			[]string{"4 suppression: the suppression ended on 2026-11-29 and suppresses nothing any more", "5 e-rule" + left},
		},
		{
			"no date", "server {\n# ngxlimit:ignore e-rule until 31.1.2027 known\nexpires 1d; }\n", 0,
			[]string{`4 suppression: the suppression ends on no date: "31.1.2027" is not of the form 2027-01-31`, "5 e-rule" + left},
		},
		{"no rule", "server {\n# ngxlimit:ignore\nexpires 1d; }\n", 0, []string{"4 suppression: the suppression names no rule", "5 e-rule" + left}},
		{
			"unknown rule", "server {\n# ngxlimit:ignore f-rule known\nexpires 1d; }\n", 0,
			[]string{`4 suppression: the suppression names no rule that exists: "f-rule"`, "5 e-rule" + left},
		},
		{"a rule that does not run is not called useless", "server {\n# ngxlimit:ignore idle-rule known\nexpires 1d; }\n", 0, []string{"5 e-rule" + left}},
		{
			"within quotes it is no comment", "server {\nexpires 1d; add_header A '\n# ngxlimit:ignore h-rule known\n'; }\n", 0,
			[]string{"4 e-rule" + left, "4 h-rule: add_header stands here"},
		},
		{
			"a mistaken one", "server {\n# ngxlimit:ignored e-rule known\nexpires 1d; }\n", 0,
			[]string{`4 suppression: the comment looks like a suppression and is none, as it does not begin with "ngxlimit:ignore RULE"`, "5 e-rule" + left},
		},
		{"another comment", "server {\n# ngxlimit says e-rule\nexpires 1d; }\n", 0, []string{"5 e-rule" + left}},
		{"CRLF", "server {\r\n# ngxlimit:ignore e-rule known\r\nexpires 1d;\r\n}\r\n", 1, nil},
		{
			"at the end of the file", "server { listen 80; }\n}\n# ngxlimit:ignore e-rule known", 0,
			[]string{"5 suppression: the suppression holds nothing back: no finding of e-rule on line 6"},
		},
	}
	rules := []*rule.Rule{finder("e-rule", "expires"), finder("h-rule", "add_header"), suppression}
	known := append([]*rule.Rule{finder("idle-rule", "expires")}, rules...)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := "events {}\nhttp {\n" + tt.body
			if tt.name != "at the end of the file" {
				text += "}\n"
			}
			r := ruletest.All(t, rules, ruletest.Resolve(t, text, ""), run.Options{Today: "2026-11-30", Known: known})
			if diff := cmp.Diff(tt.want, lines(r)); diff != "" || r.Suppressed != tt.held {
				t.Errorf("%d held back, want %d; findings -want +got:\n%s", r.Suppressed, tt.held, diff)
			}
		})
	}
}

// Where something could not be read, a comment that held nothing back may have been written for it.
func TestSuppressionOfIncompleteInput(t *testing.T) {
	text := http("include no-such-file.conf;\n# ngxlimit:ignore e-rule known\nserver { listen 80; }\n")
	r := ruletest.All(t, []*rule.Rule{finder("e-rule", "expires"), suppression}, ruletest.Resolve(t, text, ""), run.Options{})
	if len(r.Findings) != 0 {
		t.Errorf("found %v", lines(r))
	}
}

// A comment is not called useless because what it holds back is less sure than asked for.
func TestSuppressionBeforeConfidence(t *testing.T) {
	text := http("server {\n# ngxlimit:ignore e-rule known\nexpires 1d; }\n")
	o := run.Options{MinConfidence: rule.High}
	r := ruletest.All(t, []*rule.Rule{finder("e-rule", "expires"), suppression}, ruletest.Resolve(t, text, ""), o)
	if len(r.Findings) != 0 || r.Suppressed != 1 {
		t.Errorf("%d held back, found %v", r.Suppressed, lines(r))
	}
}

package run_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
	"github.com/ngxlimit/ngxlimit/rules/rule"
	"github.com/ngxlimit/ngxlimit/rules/run"
)

// TestSuppressForeign obeys comments of all forms of Terraform. "@" marks where a finding stands; "~" where comments
// begin and end.
func TestSuppressForeign(t *testing.T) {
	tests := []struct {
		name, text string
		held       int
		want       []string
		mended     string // the text after the fix of the comment; "" for no fix
	}{
		{"behind //", "@a = 1 ~// ngxlimit:ignore e-rule known~\n", 1, nil, ""},
		{"below //", "~// ngxlimit:ignore e-rule known~\n\n@a = 1\n", 1, nil, ""},
		{"below /* */", "~/* ngxlimit:ignore e-rule known */~\n@a = 1\n", 1, nil, ""},
		{"before the text of the line", "~/* ngxlimit:ignore e-rule known */~ @a = 1\n", 1, nil, ""},
		{"a block of several lines", "~/*\n * ngxlimit:ignore e-rule\n * known\n */~\n~# and\n~~//so~\n@a = 1\n", 1, nil, ""},
		{"a block that ends before text", "~/*\nngxlimit:ignore e-rule known */~ @a = 1\n", 1, nil, ""},
		{"a block between", "~// ngxlimit:ignore e-rule known~\n~/* other\nwords */~\n@a = 1\n", 1, nil, ""},
		{"text that looks like a comment", "~// ngxlimit:ignore e-rule known~\n/a\n@a = 1\n", 0, []string{"1 suppression: the suppression holds nothing back: no finding of e-rule on line 2", "3 e-rule: here"}, "/a\na = 1\n"},
		{"no reason", "~/* ngxlimit:ignore e-rule */~\n@a = 1\n", 0, []string{"1 suppression: the suppression is not applied, because it gives no reason", "2 e-rule: here"}, ""},
		{"useless before text", "x = 2\n  ~/* ngxlimit:ignore e-rule known */~  a = 1\n", 0, []string{"2 suppression: the suppression holds nothing back: no finding of e-rule on line 2"}, "x = 2\n  a = 1\n"},
		{"a useless block", "x = 2\n~/* ngxlimit:ignore e-rule\nknown\n*/~\na = 1\n", 0, []string{"2 suppression: the suppression holds nothing back: no finding of e-rule on line 5"}, "x = 2\na = 1\n"},
		{"one of two", "~/* ngxlimit:ignore h-rule, e-rule known */~\n@a = 1\n", 1, []string{"1 suppression: the suppression holds nothing back: no finding of h-rule on line 2"}, "/* ngxlimit:ignore e-rule known */\na = 1\n"},
		{"the same rule twice", "~// ngxlimit:ignore e-rule,e-rule known~\n@a = 1\n", 1, nil, ""},
		{"mistaken", "~// ngxlimit:ignored e-rule known~\na = 1\n", 0, []string{`1 suppression: the comment looks like a suppression and is none, as it does not begin with "ngxlimit:ignore RULE"`}, ""},
		{"a long list", "~// ngxlimit:ignore " + strings.Repeat("e-rule,", 100_000) + "h-rule known~\na = 1\n", 0, []string{"1 suppression: the suppression holds nothing back: no finding of e-rule, h-rule on line 2"}, "a = 1\n"},
		{"a long name", "~// ngxlimit:ignore " + strings.Repeat("x", 100_000) + " known~\na = 1\n", 0, []string{`1 suppression: the suppression names no rule that exists: "` + strings.Repeat("x", 80) + `..."`}, ""},
	}
	rules := []*rule.Rule{{Name: "e-rule"}, {Name: "h-rule"}, suppression}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			doc := &syntax.Document{File: &source.File{Path: "f"}}
			var found []rule.Finding
			var text strings.Builder
			inside := false
			for _, c := range tt.text {
				switch n := uint32(text.Len()); c {
				case '@':
					found = append(found, rule.Finding{Rule: rules[0], Message: "here", Primary: source.Span{File: doc.File, Start: n, End: n + 1}})
				case '~':
					if inside = !inside; inside {
						doc.Comments = append(doc.Comments, syntax.Comment{Start: n})
					} else {
						doc.Comments[len(doc.Comments)-1].End = n
					}
				default:
					text.WriteRune(c)
				}
			}
			doc.File.Text = text.String()
			kept, held := run.Suppress([]*syntax.Document{doc}, found, rules, rules, "2026-11-30")
			var got []string
			mended := ""
			for _, f := range kept {
				got = append(got, fmt.Sprintf("%d %s: %s", f.Primary.From().Line, f.Rule.Name, f.Message))
				if f.Fix != nil {
					e := f.Fix.Edits[0]
					mended = doc.File.Text[:e.Span.Start] + e.Text + doc.File.Text[e.Span.End:]
				}
			}
			for i, line := range got {
				if strings.Contains(line, "e-rule: here") { // findings come first
					got = append(append(got[:i:i], got[i+1:]...), line)
					break
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || len(held) != tt.held || mended != tt.mended {
				t.Errorf("%d held back, want %d; mended %.200q; findings -want +got:\n%.2000s", len(held), tt.held, mended, diff)
			}
		})
	}
}

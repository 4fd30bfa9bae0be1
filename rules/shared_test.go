package rules_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/rules"
	"github.com/ngxlimit/ngxlimit/rules/rule"
	"github.com/ngxlimit/ngxlimit/rules/ruletest"
	"github.com/ngxlimit/ngxlimit/rules/run"
)

// A judgement is what an auditor must or must not say of a public problem report.
type judgement struct {
	Slug, File, Reason string
	Line               int
	Optional           bool
}

type sharedCase struct {
	Input  struct{ File string }
	Expect struct {
		Findings   []judgement
		NoFindings []judgement `json:"no_findings"`
	}
}

// TestSharedCases compares the catalogue with the judged reports, as far as it has the rules that they name.
func TestSharedCases(t *testing.T) {
	folders, err := filepath.Glob(filepath.Join(nginxtest.Shared(t, "cases"), "*", "case.json"))
	if err != nil || len(folders) == 0 {
		t.Fatalf("no case: %v", err)
	}
	judged := 0
	for _, path := range folders {
		t.Run(filepath.Base(filepath.Dir(path)), func(t *testing.T) { judged += checkSharedCase(t, path) })
	}
	t.Logf("%d judgements in %d cases", judged, len(folders))
}

func checkSharedCase(t *testing.T, path string) (judged int) {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var c sharedCase
	if err := json.Unmarshal(data, &c); err != nil {
		t.Fatal(err)
	}
	tree := ruletest.ResolvePath(t, filepath.Join(filepath.Dir(path), c.Input.File), "")
	found := ruletest.All(t, rules.All(), tree, run.Options{}).Findings
	for i := range found {
		f := &found[i]
		t.Logf("%s:%d: %s %s: %s", filepath.Base(f.Primary.File.Path), f.Primary.From().Line, f.Severity, f.Rule.Name, f.Message)
	}
	for _, want := range c.Expect.Findings {
		if rules.Find(want.Slug) == nil {
			continue
		}
		judged++
		if !has(found, want) && !want.Optional {
			t.Errorf("missing: %s at line %d: %s", want.Slug, want.Line, want.Reason)
		}
	}
	for _, trap := range c.Expect.NoFindings {
		if rules.Find(trap.Slug) == nil {
			continue
		}
		judged++
		if has(found, trap) {
			t.Errorf("false alarm: %s (line %d): %s", trap.Slug, trap.Line, trap.Reason)
		}
	}
	return judged
}

// has says whether a rule found something where the judgement says; a judgement without a line holds anywhere.
func has(found []rule.Finding, j judgement) bool {
	for i := range found {
		f := &found[i]
		if f.Rule.Name == j.Slug && (j.Line == 0 || f.Primary.From().Line == j.Line) &&
			(j.File == "" || strings.HasSuffix(f.Primary.File.Path, j.File)) {
			return true
		}
	}
	return false
}

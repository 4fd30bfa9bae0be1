package ruletest

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
	"github.com/ngxlimit/ngxlimit/rules/run"
)

var update = flag.Bool("update", false, "write the fixed forms of the cases anew; commit only what you understand")

// Run proves one rule of those that are known: its words are complete, its examples and the cases in dir/NAME hold, and
// broken input harms nothing.
func Run(t *testing.T, r *rule.Rule, known []*rule.Rule, dir string) {
	t.Helper()
	t.Run("words", func(t *testing.T) { checkWords(t, r) })
	t.Run("examples", func(t *testing.T) { checkExamples(t, r, known) })
	paths, err := filepath.Glob(filepath.Join(dir, r.Name, "*"))
	if err != nil {
		t.Fatal(err)
	}
	cases := 0
	for _, path := range paths {
		if filepath.Ext(path) == ".fixed" {
			continue
		}
		cases++
		t.Run(filepath.Base(path), func(t *testing.T) {
			c := openCase(t, path)
			c.options.Known = known
			c.check(t, r)
			if filepath.Ext(path) != ".txtar" {
				checkBroken(t, r, path)
			}
			if filepath.Ext(path) == ".conf" {
				checkAway(t, r, readCase(t, path), c.version, c.options)
			}
		})
	}
	if cases == 0 {
		t.Errorf("%s has no case in %s", r.Name, filepath.Join(dir, r.Name))
	}
}

// checkWords refuses a rule that leaves its reader alone.
func checkWords(t *testing.T, r *rule.Rule) {
	for name, text := range map[string]string{"Summary": r.Summary, "Why": r.Why, "Since": r.Since, "Bad": r.Bad, "Good": r.Good} {
		if strings.TrimSpace(text) == "" {
			t.Errorf("%s has no %s", r.Name, name)
		}
	}
	if len(r.Links) == 0 {
		t.Errorf("%s has no link", r.Name)
	}
	if strings.HasSuffix(r.Summary, ".") || strings.ContainsRune(r.Summary, '\n') {
		t.Errorf("%s: the summary is one line without a full stop: %q", r.Name, r.Summary)
	}
	if !slices.Contains(rule.Severities, r.Severity) || !slices.Contains(rule.Confidences, r.Confidence) {
		t.Errorf("%s is %q with confidence %q", r.Name, r.Severity, r.Confidence)
	}
	if !slices.Contains(rule.Groups, r.Group) {
		t.Errorf("%s is of no group: want one of rule.Groups", r.Name)
	}
	if r.SafeFix && !r.Fixable {
		t.Errorf("%s has a safe fix and is not marked as fixable", r.Name)
	}
	if r.Check == nil && r.Name != rule.Suppression {
		t.Errorf("%s checks nothing", r.Name)
	}
}

// checkExamples runs the rule on its two examples: the bad one has a finding, the good one none.
func checkExamples(t *testing.T, r *rule.Rule, known []*rule.Rule) {
	o := run.Options{Today: today, Known: known}
	bad := All(t, []*rule.Rule{r}, Resolve(t, r.Bad, r.For), o)
	if len(bad.Findings) == 0 {
		t.Errorf("%s finds nothing in its bad example", r.Name)
	}
	good := All(t, []*rule.Rule{r}, Resolve(t, r.Good, r.For), o)
	for i := range good.Findings {
		t.Errorf("%s finds in its good example: %s", r.Name, good.Findings[i].Message)
	}
	checkAway(t, r, r.Good, r.For, o)
}

// All runs rules and fails the test on a defect of one.
func All(t testing.TB, rules []*rule.Rule, tree *config.Tree, o run.Options) run.Result {
	t.Helper()
	result := run.All(rules, tree, o)
	for _, d := range result.Defects {
		t.Errorf("defect: %s", d)
	}
	return result
}

// check compares the findings of a case with its wants: a surplus one and a missing one both fail.
func (c testCase) check(t *testing.T, r *rule.Rule) {
	tree := ResolvePath(t, c.main, c.version)
	result := All(t, []*rule.Rule{r}, tree, c.options)
	demands := wants(t, tree)
	for i := range result.Findings {
		f := &result.Findings[i]
		if !meets(demands, f) {
			pos := f.Primary.From()
			t.Errorf("surplus: %s:%d:%d: %s %q %q", f.Primary.File.Path, pos.Line, pos.Column, f.Severity, f.Primary.Text(), f.Message)
		}
	}
	for _, w := range demands {
		if !w.met {
			t.Errorf("missing: %s", w)
		}
	}
	for i := range result.Findings {
		if fix := result.Findings[i].Fix; fix != nil && fix.Safe && !r.SafeFix {
			t.Errorf("%s has a safe fix, %q, and is not marked with SafeFix", r.Name, fix.Title)
		}
	}
	if text, changed := fixed(t, result.Findings); changed {
		c.checkFixed(t, r, text, result.Findings)
	}
}

func meets(demands []*want, f *rule.Finding) bool {
	for _, w := range demands {
		if !w.met && w.file == f.Primary.File && w.line == f.Primary.From().Line && w.underline == f.Primary.Text() &&
			strings.Contains(f.Message, w.message) && (w.severity == "" || w.severity == f.Severity) {
			w.met = true
			return true
		}
	}
	return false
}

// fixed applies the fixes of the findings in the first file that has any.
func fixed(t *testing.T, findings []rule.Finding) (string, bool) {
	var file string
	text := ""
	type edit struct {
		start, end uint32
		text       string
	}
	var edits []edit
	for i := range findings {
		if findings[i].Fix == nil {
			continue
		}
		for _, e := range findings[i].Fix.Edits {
			if file == "" {
				file, text = e.Span.File.Path, e.Span.File.Text
			}
			if e.Span.File.Path == file {
				edits = append(edits, edit{e.Span.Start, e.Span.End, e.Text})
			}
		}
	}
	slices.SortStableFunc(edits, func(a, b edit) int { return int(b.start) - int(a.start) })
	for i, e := range edits {
		if i > 0 && e.end > edits[i-1].start {
			t.Errorf("two fixes of %s overlap at byte %d", file, e.start)
			return "", false
		}
		text = text[:e.start] + e.text + text[e.end:]
	}
	return text, len(edits) > 0
}

// checkFixed compares the mended text with the one that is kept, and proves that what carried a fix is gone from it.
func (c testCase) checkFixed(t *testing.T, r *rule.Rule, text string, before []rule.Finding) {
	golden := c.path + ".fixed"
	if *update {
		if err := os.WriteFile(golden, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(golden)
	if err != nil {
		t.Fatalf("%v; -update writes it", err)
	}
	if diff := cmp.Diff(string(kept), text); diff != "" {
		t.Errorf("fixed form (-kept +now):\n%s", diff)
	}
	if filepath.Ext(c.path) != ".conf" {
		return
	}
	if !r.Fixable {
		t.Errorf("%s has fixes and is not marked as fixable", r.Name)
	}
	after := All(t, []*rule.Rule{r}, Resolve(t, text, c.version), c.options)
	if now, want := fixable(after.Findings), 0; now != want {
		t.Errorf("%d of %d fixable findings are still there after the fix", now, fixable(before))
	}
}

func fixable(findings []rule.Finding) int {
	n := 0
	for i := range findings {
		if findings[i].Fix != nil {
			n++
		}
	}
	return n
}

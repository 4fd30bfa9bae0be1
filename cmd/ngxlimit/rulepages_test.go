package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/cmd/internal/report"
	"github.com/ngxlimit/ngxlimit/rules"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// TestRulePages holds docs/rules to what the rules say, and their examples to what the program prints of them. The
// links of reports lead there.
func TestRulePages(t *testing.T) {
	dir := filepath.Join(nginxtest.Root(t), "docs", "rules")
	want := map[string]string{"README.md": report.RuleIndex(rules.All())}
	t.Setenv("NO_COLOR", "1")
	t.Chdir(t.TempDir())
	for _, r := range rules.All() {
		want[r.Name+".md"] = report.RulePage(r, checkedBad(t, r))
	}
	if *update {
		writePages(t, dir, want)
	}
	for name, text := range want {
		if have, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(have) != text {
			t.Errorf("docs/rules/%s is stale; run go test ./cmd/ngxlimit -run TestRulePages -update", name)
		}
	}
	for _, name := range pagesIn(t, dir) {
		if _, ok := want[name]; !ok {
			t.Errorf("docs/rules/%s is the page of no rule", name)
		}
	}
}

// checkedBad runs check on a rule's bad example, a file in the working folder. The page that the program prints itself shows
// the same.
func checkedBad(t *testing.T, r *rule.Rule) string {
	if err := os.WriteFile("example.conf", []byte(r.Bad), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"check", "example.conf", "--enable", r.Name}
	if r.For != "" {
		args = append(args, "--nginx-version", r.For)
	}
	var out, errs bytes.Buffer
	Main(args, strings.NewReader(""), &out, &errs)
	if errs.Len() > 0 {
		t.Errorf("%s: %s", r.Name, &errs)
	}
	if !strings.Contains(out.String(), "["+r.Name+"]") {
		t.Errorf("%s: the example shows no finding of the rule:\n%s", r.Name, &out)
	}
	want := "$ ngxlimit " + strings.Join(args, " ") + "\n" + out.String()
	if got, err := printedOf(r); err != nil || got != want {
		t.Errorf("ngxlimit rules %s shows\n%s\nwhere check prints\n%s (%v)", r.Name, got, want, err)
	}
	return want
}

func pagesIn(t *testing.T, dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names
}

func writePages(t *testing.T, dir string, pages map[string]string) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range pagesIn(t, dir) {
		if _, ok := pages[name]; !ok && strings.HasSuffix(name, ".md") {
			if err := os.Remove(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, text := range pages {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

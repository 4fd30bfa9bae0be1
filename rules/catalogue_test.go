package rules_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/rules"
	"github.com/ngxlimit/ngxlimit/rules/rule"
	"github.com/ngxlimit/ngxlimit/rules/ruletest"
	"github.com/ngxlimit/ngxlimit/rules/run"
)

// found lists what the whole catalogue says of a configuration, one line a finding.
func found(t testing.TB, tree *config.Tree) []string {
	t.Helper()
	r := ruletest.All(t, rules.All(), tree, run.Options{})
	var all []string
	for i := range r.Findings {
		f := &r.Findings[i]
		pos := f.Primary.From()
		all = append(all, fmt.Sprintf("%s:%d:%d: %s %s %s", filepath.Base(f.Primary.File.Path), pos.Line, pos.Column, f.Severity, f.Rule.Name, f.Fingerprint))
	}
	return all
}

// graver drops notes and fingerprints.
func graver(lines []string) []string {
	var kept []string
	for _, l := range lines {
		if !strings.Contains(l, " note ") {
			kept = append(kept, l[:strings.LastIndexByte(l, ' ')])
		}
	}
	return kept
}

func TestTrustline(t *testing.T) {
	dir := filepath.Join(nginxtest.Root(t), "fixtures", "trustline")
	before := ruletest.All(t, rules.All(), ruletest.ResolvePath(t, filepath.Join(dir, "before.dump"), ""), run.Options{})
	var names []string
	for i := range before.Findings {
		f := &before.Findings[i]
		if f.Primary.From().Line != 21 || filepath.Base(f.Primary.File.Path) != "portal.conf" {
			continue
		}
		names = append(names, f.Rule.Name)
	}
	if want := []string{"burst-below-fan", "default-reject-status", "limit-on-root", "missing-nodelay"}; !slices.Equal(names, want) {
		t.Errorf("at the limit: %v, want %v", names, want)
	}
	if n := before.Count(rule.Warning); n != 3 {
		t.Errorf("%d warnings, want those at the limit alone", n)
	}
	after := found(t, ruletest.ResolvePath(t, filepath.Join(dir, "after.dump"), ""))
	if bad := graver(after); len(bad) > 0 {
		t.Errorf("after the mend: %v", bad)
	}
}

func TestBalancer(t *testing.T) {
	dir := filepath.Join(nginxtest.Root(t), "fixtures", "alb")
	about := func(name string) (found []string) {
		r := ruletest.All(t, rules.All(), ruletest.ResolvePath(t, filepath.Join(dir, name), ""), run.Options{})
		for i := range r.Findings {
			if f := &r.Findings[i]; strings.HasPrefix(f.Rule.Name, "realip-") {
				found = append(found, f.Rule.Name+" "+f.Primary.Text())
			}
		}
		return found
	}
	if got := about("before.dump"); !slices.Equal(got, []string{"realip-incomplete 10.0.0.0/22"}) {
		t.Errorf("one subnet of three trusted: %v", got)
	}
	if got := about("after.dump"); len(got) > 0 {
		t.Errorf("all three trusted: %v", got)
	}
}

// TestRightConfigurations holds the catalogue silent on what is right, notes aside.
func TestRightConfigurations(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(nginxtest.Root(t), "fixtures", "ok", "*"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no configuration: %v", err)
	}
	for _, path := range paths {
		if bad := graver(found(t, ruletest.ResolvePath(t, path, ""))); len(bad) > 0 {
			t.Errorf("%s: %v", filepath.Base(path), bad)
		}
	}
}

// TestSameInAnyOrder runs the catalogue in random orders on one processor and on many.
func TestSameInAnyOrder(t *testing.T) {
	random := nginxtest.Random(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, path := range cases(t) {
		tree := ruletest.ResolvePath(t, path, "")
		want := found(t, tree)
		for _, processors := range []int{1, 16} {
			runtime.GOMAXPROCS(processors)
			all := rules.All()
			random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			r := run.All(all, tree, run.Options{})
			if len(r.Findings) != len(want) {
				t.Fatalf("%s: %d findings, then %d", path, len(want), len(r.Findings))
			}
			for i := range r.Findings {
				if f := &r.Findings[i]; !strings.HasSuffix(want[i], f.Rule.Name+" "+f.Fingerprint) {
					t.Errorf("%s: %s %s where %s was", path, f.Rule.Name, f.Fingerprint, want[i])
				}
			}
		}
	}
}

// TestIncompleteIsAlwaysTold holds that a configuration that could not be read in full has a finding that says so.
func TestIncompleteIsAlwaysTold(t *testing.T) {
	broken := 0
	for _, path := range cases(t) {
		for _, text := range ruletest.BrokenFile(t, path) {
			tree, err := ruletest.TryResolve(text, "")
			if err != nil || tree.Input.Complete() {
				continue
			}
			broken++
			r := ruletest.All(t, rules.All(), tree, run.Options{})
			if r.Worst() != rule.Error {
				t.Errorf("of %s, broken, nothing is told:\n%s", path, text)
			}
		}
	}
	if broken < 100 {
		t.Errorf("only %d broken inputs", broken)
	}
}

// cases lists every configuration of the rules' tests.
func cases(t *testing.T) []string {
	paths, err := filepath.Glob(filepath.Join("testdata", "*", "*.conf"))
	if err != nil || len(paths) < 20 {
		t.Fatalf("%d cases: %v", len(paths), err)
	}
	return paths
}

// TestFiles holds that each rule has a file of its own, under its name.
func TestFiles(t *testing.T) {
	for _, r := range rules.All() {
		name := strings.ReplaceAll(r.Name, "-", "_") + ".go"
		data, err := os.ReadFile(name)
		if err != nil {
			t.Error(err)
			continue
		}
		if !strings.Contains(string(data), fmt.Sprintf("%q", r.Name)) && r.Name != rule.Suppression {
			t.Errorf("%s does not hold the rule %s", name, r.Name)
		}
		if rules.Find(r.Name) != r {
			t.Errorf("%s is not found under its name", r.Name)
		}
	}
}

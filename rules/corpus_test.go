package rules_test

import (
	"io/fs"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/load"
	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/rules"
	"github.com/ngxlimit/ngxlimit/rules/rule"
	"github.com/ngxlimit/ngxlimit/rules/ruletest"
	"github.com/ngxlimit/ngxlimit/rules/run"
)

// TestCorpus runs the catalogue over everything that people and tests wrote, sound and broken: it stops nowhere, points
// into files only, and never ends without an error where something could not be read.
func TestCorpus(t *testing.T) {
	read, incomplete := 0, 0
	err := filepath.WalkDir(nginxtest.Shared(t, "corpus"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) == ".json" || filepath.Ext(path) == ".ndjson" || filepath.Ext(path) == ".md" {
			return err
		}
		for _, in := range inputs(path) {
			read++
			tree := config.Resolve(in, config.Options{Version: "1.22.1"})
			r := ruletest.All(t, rules.All(), tree, run.Options{})
			if in.Complete() {
				continue
			}
			incomplete++
			note := slices.ContainsFunc(r.Findings, func(f rule.Finding) bool { return f.Rule.Name == "missing-include" })
			if r.Worst() != rule.Error && (!in.Decisive() || !note) { // files that come with nginx are missed by a note
				t.Errorf("%s could not be read in full, and nothing says so", path)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d configurations, %d of them incomplete", read, incomplete)
	if read < 300 {
		t.Errorf("only %d configurations", read)
	}
}

// inputs loads a file; none where there is nothing in it to check, which the command says.
func inputs(path string) []*load.Input {
	list, err := load.Load([]string{path}, load.Options{})
	if err != nil {
		return nil
	}
	return list
}

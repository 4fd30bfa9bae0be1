package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
)

var manPages = regexp.MustCompile(`(?:      - man/ngxlimit.*\.1\n)+`)

// TestReleaseManPages holds that a release gives Homebrew, which takes no patterns, the man page of every command.
func TestReleaseManPages(t *testing.T) {
	var lines []string
	var add func(*cobra.Command)
	add = func(c *cobra.Command) {
		if c.Hidden {
			return
		}
		lines = append(lines, "      - man/"+strings.ReplaceAll(c.CommandPath(), " ", "-")+".1\n")
		for _, sub := range c.Commands() {
			add(sub)
		}
	}
	add(newRoot(&app{}))
	slices.Sort(lines[1:])
	path := filepath.Join(nginxtest.Root(t), ".goreleaser.yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	fresh := manPages.ReplaceAllLiteralString(string(text), strings.Join(lines, ""))
	switch {
	case fresh == string(text) && strings.Contains(fresh, strings.Join(lines, "")):
	case *update:
		if err := os.WriteFile(path, []byte(fresh), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Error(".goreleaser.yaml does not list the man pages that there are; run go test ./cmd/ngxlimit -run TestReleaseManPages -update")
	}
}

// A workflow is a file of .github/workflows, as far as it says what others are let do.
type workflow struct {
	Permissions map[string]string
	Jobs        map[string]struct {
		Permissions map[string]string
		Steps       []struct {
			Uses, Run string
			With      map[string]any
		}
	}
}

var (
	pinned   = regexp.MustCompile(`^[\w-]+/[\w-]+@v\d+\.\d+\.\d+$`)
	expanded = regexp.MustCompile(`\$\{\{`)
)

// Workflows take others' actions at a release that is named in full, may do only what each says, leave no credentials
// in the checkout, and put nothing into a script that a script could be made of.
func TestWorkflows(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(nginxtest.Root(t), ".github", "workflows", "*.yml"))
	if err != nil || len(files) < 2 {
		t.Fatalf("%d workflows: %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var w workflow
			if err := yaml.Unmarshal(text, &w); err != nil {
				t.Fatal(err)
			}
			if w.Permissions == nil || len(w.Jobs) == 0 {
				t.Error("it does not say what it may do")
			}
			for scope, may := range w.Permissions {
				if may != "read" {
					t.Errorf("every job may %s %s", may, scope)
				}
			}
			for name, job := range w.Jobs {
				if len(job.Steps) == 0 {
					t.Errorf("job %s has no steps", name)
				}
				for _, step := range job.Steps {
					if step.Uses != "" && !pinned.MatchString(step.Uses) {
						t.Errorf("job %s uses %s", name, step.Uses)
					}
					if strings.HasPrefix(step.Uses, "actions/checkout@") && step.With["persist-credentials"] != false {
						t.Errorf("job %s leaves credentials in the checkout", name)
					}
					if expanded.MatchString(step.Run) {
						t.Errorf("job %s expands into a script: %s", name, step.Run)
					}
				}
			}
		})
	}
}

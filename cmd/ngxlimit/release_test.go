package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

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

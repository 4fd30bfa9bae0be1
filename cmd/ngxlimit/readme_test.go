package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/load"
	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/rules"
	"github.com/ngxlimit/ngxlimit/rules/rule"
	"github.com/ngxlimit/ngxlimit/rules/run"
)

var console = regexp.MustCompile("(?s)```console\n\\$ ngxlimit ([^\n]*)\n(.*?)```")

// TestReadme holds the examples of the README and of the guide to what the program prints.
func TestReadme(t *testing.T) {
	root := nginxtest.Root(t)
	t.Chdir(root)
	t.Setenv("NO_COLOR", "1")
	for _, page := range []string{"README.md", "docs/guide.md"} {
		t.Run(page, func(t *testing.T) { holdExamples(t, filepath.Join(root, filepath.FromSlash(page))) })
	}
}

func holdExamples(t *testing.T, path string) {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	examples := 0
	fresh := console.ReplaceAllStringFunc(string(text), func(block string) string {
		examples++
		command := console.FindStringSubmatch(block)[1]
		var out, errs bytes.Buffer
		Main(strings.Fields(command), strings.NewReader(""), &out, &errs)
		if errs.Len() > 0 {
			t.Errorf("ngxlimit %s: %s", command, &errs)
		}
		return "```console\n$ ngxlimit " + command + "\n" + out.String() + "```"
	})
	if examples == 0 {
		t.Fatal("no example was found")
	}
	if fresh == string(text) {
		return
	}
	if *update {
		if err := os.WriteFile(path, []byte(fresh), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("%s shows what the program does not print; run go test ./cmd/ngxlimit -run TestReadme -update", path)
}

var suppressing = regexp.MustCompile("(?s)```nginx\n([^`]*# ngxlimit:ignore [^`]*)```")

// TestReadmeSuppression holds that the comments which the README shows hold something back, and are not at fault.
func TestReadmeSuppression(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(nginxtest.Root(t), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	shown := suppressing.FindAllSubmatch(text, -1)
	if len(shown) == 0 {
		t.Fatal("no example was found")
	}
	for _, example := range shown {
		around := "events {}\nhttp {\nlimit_req_zone $binary_remote_addr zone=api:10m rate=10r/s;\nserver {\n" + string(example[1]) + "}\n}\n"
		inputs, err := load.Load([]string{"-"}, load.Options{Stdin: strings.NewReader(around)})
		if err != nil {
			t.Fatal(err)
		}
		result := run.All(rules.All(), config.Resolve(inputs[0], config.Options{}), run.Options{Today: "2026-11-30"})
		if result.Suppressed != strings.Count(string(example[1]), "ngxlimit:ignore") {
			t.Errorf("%d findings are held back by\n%s", result.Suppressed, example[1])
		}
		for i := range result.Findings {
			if f := &result.Findings[i]; f.Rule.Name == rule.Suppression || f.Severity == rule.Error {
				t.Errorf("%s: %s", f.Rule.Name, f.Message)
			}
		}
	}
}

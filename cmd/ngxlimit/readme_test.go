package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
)

var console = regexp.MustCompile("(?s)```console\n\\$ ngxlimit ([^\n]*)\n(.*?)```")

// TestReadme holds the README's examples to what the program prints.
func TestReadme(t *testing.T) {
	path := filepath.Join(nginxtest.Root(t), "README.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(nginxtest.Root(t))
	t.Setenv("NO_COLOR", "1")
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
	t.Error("README.md shows what the program does not print; run go test ./cmd/ngxlimit -run TestReadme -update")
}

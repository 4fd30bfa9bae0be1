//go:build gendocs

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Each command has a man page that man(1) can set, and each shell its completions.
func TestGendocs(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1790000000")
	dir := t.TempDir()
	var errs bytes.Buffer
	if status := Main([]string{"gendocs", dir}, strings.NewReader(""), &errs, &errs); status != exitOK {
		t.Fatalf("status %d: %s", status, &errs)
	}
	for _, c := range newRoot(&app{}).Commands() {
		if !c.IsAvailableCommand() {
			continue
		}
		page, err := os.ReadFile(filepath.Join(dir, "man", "ngxlimit-"+c.Name()+".1"))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(page, []byte("Sep 2026")) || !bytes.Contains(page, []byte(".SH OPTIONS")) {
			t.Errorf("the page of %s:\n%s", c.Name(), page)
		}
	}
	for _, name := range []string{"ngxlimit.bash", "_ngxlimit", "ngxlimit.fish", "ngxlimit.ps1"} {
		text, err := os.ReadFile(filepath.Join(dir, "completions", name))
		if err != nil || !bytes.Contains(text, []byte("ngxlimit")) {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
	if shell, err := exec.LookPath("bash"); err == nil {
		if out, err := exec.Command(shell, "-n", filepath.Join(dir, "completions", "ngxlimit.bash")).CombinedOutput(); err != nil {
			t.Errorf("bash: %v\n%s", err, out)
		}
	}
}

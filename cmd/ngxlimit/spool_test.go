package main

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
)

// What was kept is there as it came, and gone afterwards; more than is allowed is refused.
func TestSpool(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := spool{what: "x"}
	s.remove()
	if err := s.fill(strings.NewReader("a log"), 5); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(s.path); string(text) != "a log" {
		t.Errorf("%q, %v", text, err)
	}
	s.remove()
	if _, err := os.Stat(s.path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file is still there: %v", err)
	}
	var small spool
	defer small.remove()
	if err := small.fill(strings.NewReader("a log"), 4); err == nil || !strings.Contains(err.Error(), "more than 4 bytes") {
		t.Error(err)
	}
}

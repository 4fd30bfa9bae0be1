package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A run that fails in the middle of its output leaves what was there before, and no temporary file.
func TestWriteOutputFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	if err := os.WriteFile(path, []byte("as it was"), 0o600); err != nil {
		t.Fatal(err)
	}
	failure := errors.New("no more")
	err := (&app{}).writeOutput(path, func(w io.Writer) error {
		if _, err := io.WriteString(w, strings.Repeat("x", 1<<20)); err != nil {
			return err
		}
		return failure
	})
	if !errors.Is(err, failure) {
		t.Errorf("got %v", err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "as it was" {
		t.Errorf("the file holds %d bytes, %v", len(got), err)
	}
	onlyFile(t, dir, "out")
}

// What a signal finds unfinished is removed, and what is finished is not.
func TestCleanUpOnSignal(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	a := &app{}
	err := a.writeOutput(path, func(io.Writer) error {
		cleanups.Lock()
		defer cleanups.Unlock()
		if len(cleanups.run) != 1 {
			t.Fatalf("%d outputs are registered", len(cleanups.run))
		}
		for _, f := range cleanups.run {
			f()
		}
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) > 0 {
			t.Errorf("left behind: %v, %v", entries, err)
		}
		return nil
	})
	if err == nil {
		t.Error("an output that was taken away counts as written")
	}
	if err := a.writeOutput(path, func(w io.Writer) error { _, err := io.WriteString(w, "done"); return err }); err != nil {
		t.Fatal(err)
	}
	if len(cleanups.run) != 0 {
		t.Errorf("%d outputs are still registered", len(cleanups.run))
	}
	onlyFile(t, dir, "out")
}

func onlyFile(t *testing.T, dir, name string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 || entries[0].Name() != name {
		t.Errorf("the folder holds %v", entries)
	}
}

// A file keeps its mode, and a new one gets the usual.
func TestWriteOutputMode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no such modes there")
	}
	path := filepath.Join(t.TempDir(), "out")
	if err := os.WriteFile(path, nil, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := (&app{}).writeOutput(path, func(io.Writer) error { return nil }); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v", info.Mode())
	}
}

func TestSeconds(t *testing.T) {
	for text, want := range map[string]string{"60": "1m0s", "0.5": "500ms", "500ms": "500ms", "0": "0s", "2m": "2m0s"} {
		if got, err := seconds(text); err != nil || got.String() != want {
			t.Errorf("%q: got %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "soon", "-1", "NaN", "Inf", "1e99", "-5s", "9999h", "1e9"} {
		if got, err := seconds(text); err == nil {
			t.Errorf("%q was taken as %v", text, got)
		}
	}
}

// An error is one line without control characters, whatever it quotes.
func TestComplain(t *testing.T) {
	var b strings.Builder
	complain(&b, errors.New("read \x1b[31mx\n\tat y\u202e: no"))
	if got, want := b.String(), "ngxlimit: read ?[31mx  at y?: no\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

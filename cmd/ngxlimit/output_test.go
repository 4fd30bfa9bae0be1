package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
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

// A link stays a link: what it leads to is written, whether that is there already or not.
func TestWriteOutputThroughLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege there")
	}
	dir := t.TempDir()
	inner := filepath.Join(dir, "inner")
	if err := os.Mkdir(inner, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(inner, "there"), []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	links := map[string]string{"a": "inner/there", "b": "inner/absent", "c": "a", "round": "round"}
	for name, to := range links {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"a": "inner/there", "b": "inner/absent", "c": "inner/there"} {
		err := (&app{}).writeOutput(filepath.Join(dir, name), func(w io.Writer) error { _, err := io.WriteString(w, name); return err })
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got, err := os.ReadFile(filepath.Join(dir, target)); err != nil || string(got) != name {
			t.Errorf("%s: %s holds %q, %v", name, target, got, err)
		}
		if got, err := os.Readlink(filepath.Join(dir, name)); err != nil || got != links[name] {
			t.Errorf("%s leads to %q, %v", name, got, err)
		}
	}
	if err := (&app{}).writeOutput(filepath.Join(dir, "round"), func(io.Writer) error { return nil }); err == nil {
		t.Error("a link to itself was written")
	}
	entries, err := os.ReadDir(inner)
	if err != nil || len(entries) != 2 {
		t.Errorf("the folder holds %v, %v", entries, err)
	}
}

// A link to the name of an open file, as /dev/stdout is one, is written to and never replaced.
func TestWriteOutputOpenFile(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	dir := t.TempDir()
	f, err := os.OpenFile(filepath.Join(dir, "log"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // a test's own
	if _, err := f.WriteString("before\n"); err != nil {
		t.Fatal(err)
	}
	link, to := filepath.Join(dir, "stdout"), "/proc/self/fd/"+strconv.Itoa(int(f.Fd()))
	if err := os.Symlink(to, link); err != nil {
		t.Fatal(err)
	}
	err = (&app{}).writeOutput(link, func(w io.Writer) error { _, err := io.WriteString(w, "behind"); return err })
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(f.Name()); err != nil || string(got) != "before\nbehind" {
		t.Errorf("the file holds %q, %v", got, err)
	}
	if got, err := os.Readlink(link); err != nil || got != to {
		t.Errorf("the link leads to %q, %v", got, err)
	}
}

// TestWriteScript checks that who may read a script may run it, and that nobody else gains by it.
func TestWriteScript(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no file is executable by its mode there")
	}
	for _, c := range []struct{ before, want fs.FileMode }{{0o640, 0o750}, {0o600, 0o700}, {0o755, 0o755}} {
		path := filepath.Join(t.TempDir(), "x.sh")
		if err := errors.Join(os.WriteFile(path, nil, c.before), os.Chmod(path, c.before)); err != nil {
			t.Fatal(err)
		}
		if err := (&app{}).writeFile(path, true, func(io.Writer) error { return nil }); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != c.want {
			t.Errorf("mode %o becomes %v (%v), want %o", c.before, info.Mode(), err, c.want)
		}
	}
}

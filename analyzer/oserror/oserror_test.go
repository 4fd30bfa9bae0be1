package oserror

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBare(t *testing.T) {
	dir := t.TempDir()
	none := filepath.Join(dir, "none")
	_, open := os.Open(none)
	rename := os.Rename(none, filepath.Join(dir, "new"))
	_, list := os.ReadFile(dir)
	for _, err := range []error{open, rename, list, fmt.Errorf("wrapped: %w", open), &fs.PathError{Op: "read", Path: none, Err: os.NewSyscallError("copy_file_range", fs.ErrInvalid)}} {
		if err == nil {
			t.Fatal("an error is missing")
		}
		got := Bare(err)
		if text := got.Error(); strings.Contains(text, dir) || strings.Contains(text, ":") {
			t.Errorf("%q became %q", err, text)
		}
	}
	if !errors.Is(Bare(open), fs.ErrNotExist) || !errors.Is(Bare(rename), fs.ErrNotExist) {
		t.Error("what the error is was lost")
	}
	for _, err := range []error{nil, io.ErrUnexpectedEOF, fmt.Errorf("line 3: %w", io.ErrUnexpectedEOF)} {
		if got := Bare(err); got != err { //nolint:errorlint // the very error
			t.Errorf("%v became %v", err, got)
		}
	}
}

func TestReader(t *testing.T) {
	folder, err := os.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	if _, err := io.ReadAll(Reader(folder)); err == nil || strings.Contains(err.Error(), folder.Name()) {
		t.Errorf("reading a folder: %v", err)
	}
	if text, err := io.ReadAll(Reader(strings.NewReader("abc"))); string(text) != "abc" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
}

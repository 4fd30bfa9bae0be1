//go:build unix

package replace

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestRefuse(t *testing.T) {
	plain := file(t, "plain", "a")
	twice := file(t, "twice", "a")
	must(t, os.Link(twice, twice+"2"))
	link := filepath.Join(t.TempDir(), "link")
	must(t, os.Symlink(plain, link))
	closed := file(t, "closed", "a")
	must(t, os.Chmod(closed, 0o444))
	for path, want := range map[string]string{
		plain:               "",
		twice:               "it has 2 names",
		link:                "it is no regular file",
		filepath.Dir(plain): "it is no regular file",
		closed:              "it is read-only",
		plain + "x":         "no such file",
	} {
		if got := Refuse(path); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%s: %q, want %q", filepath.Base(path), got, want)
		}
	}
	if names, err := os.ReadDir(filepath.Dir(plain)); err != nil || len(names) != 1 {
		t.Errorf("left behind: %v, %v", names, err)
	}
}

// A folder in which nothing may be made keeps its files as they are.
func TestRefuseClosedFolder(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	path := file(t, "a", "a")
	must(t, os.Chmod(filepath.Dir(path), 0o555))
	defer os.Chmod(filepath.Dir(path), 0o755) //nolint:errcheck // for the cleanup
	if got := Refuse(path); !strings.Contains(got, "permission denied") {
		t.Errorf("got %q", got)
	}
}

func TestContent(t *testing.T) {
	path := file(t, "a", "old")
	must(t, os.Chmod(path, 0o640|os.ModeSetgid))
	if os.Geteuid() == 0 {
		must(t, os.Chown(path, 1234, 4321))
		must(t, os.Chmod(path, 0o640|os.ModeSetgid))
	}
	attribute := unix.Lsetxattr(path, "user.note", []byte("kept"), 0)
	before, err := os.Stat(path)
	must(t, err)
	p, err := Content(path, "old", "new")
	must(t, err)
	if text, err := os.ReadFile(path); err != nil || string(text) != "old" {
		t.Errorf("before the commit the file holds %q, %v", text, err)
	}
	must(t, p.Commit())
	p.Discard()
	if text, err := os.ReadFile(path); err != nil || string(text) != "new" {
		t.Errorf("the file holds %q, %v", text, err)
	}
	after, err := os.Stat(path)
	must(t, err)
	was, is := before.Sys().(*syscall.Stat_t), after.Sys().(*syscall.Stat_t) //nolint:errcheck // on unix they are
	if after.Mode() != before.Mode() || was.Uid != is.Uid || was.Gid != is.Gid {
		t.Errorf("%v of %d:%d, want %v of %d:%d", after.Mode(), is.Uid, is.Gid, before.Mode(), was.Uid, was.Gid)
	}
	if attribute == nil {
		value := make([]byte, 10)
		n, err := unix.Lgetxattr(path, "user.note", value)
		if err != nil || string(value[:n]) != "kept" {
			t.Errorf("the attribute is %q, %v", value[:max(n, 0)], err)
		}
	}
	if names, err := os.ReadDir(filepath.Dir(path)); err != nil || len(names) != 1 {
		t.Errorf("left behind: %v, %v", names, err)
	}
}

func TestContentChangedMeanwhile(t *testing.T) {
	path := file(t, "a", "newer")
	if _, err := Content(path, "old", "new"); err == nil || !strings.Contains(err.Error(), "meanwhile") {
		t.Errorf("got %v", err)
	}
	if _, err := Content(path+"x", "old", "new"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestDiscard(t *testing.T) {
	path := file(t, "a", "old")
	p, err := Content(path, "old", "new")
	must(t, err)
	p.Discard()
	if text, err := os.ReadFile(path); err != nil || string(text) != "old" {
		t.Errorf("the file holds %q, %v", text, err)
	}
	if names, err := os.ReadDir(filepath.Dir(path)); err != nil || len(names) != 1 {
		t.Errorf("left behind: %v, %v", names, err)
	}
}

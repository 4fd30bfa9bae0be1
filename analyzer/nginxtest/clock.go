package nginxtest

import (
	_ "embed"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

//go:embed testdata/clock.c
var clockSource []byte

// A Clock is the time that an nginx under test sees: it stands still until the test moves it, so that each decision
// belongs to one exact millisecond. It works by a small library, built by the test with gcc, that answers in place of the
// C library's clock functions from a file that both map.
type Clock struct{ library, file string }

// NewClock builds the library and sets the time, in milliseconds of nginx's own clock. It skips the test where there is no
// gcc or the system is not Linux.
func NewClock(t testing.TB, ms int64) *Clock {
	t.Helper()
	gcc, err := exec.LookPath("gcc")
	if err != nil || runtime.GOOS != "linux" {
		if os.Getenv("NGXLIMIT_REQUIRE_NGINX") != "" {
			t.Fatal("a clock held still needs gcc on Linux, and NGXLIMIT_REQUIRE_NGINX is set")
		}
		t.Skip("a clock held still needs gcc on Linux")
	}
	dir := t.TempDir()
	c := &Clock{library: filepath.Join(dir, "clock.so"), file: filepath.Join(dir, "ms")}
	source := filepath.Join(dir, "clock.c")
	if err := os.WriteFile(source, clockSource, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(gcc, "-O1", "-shared", "-fPIC", "-o", c.library, source).CombinedOutput(); err != nil {
		t.Fatalf("build the clock: %v\n%s", err, out)
	}
	c.Set(t, ms)
	return c
}

// Set moves the clock, forwards or back.
func (c *Clock) Set(t testing.TB, ms int64) {
	t.Helper()
	var b [8]byte
	binary.NativeEndian.PutUint64(b[:], uint64(ms))
	f, err := os.OpenFile(c.file, os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.WriteAt(b[:], 0)
		if e := f.Close(); err == nil {
			err = e
		}
	}
	if err != nil {
		t.Fatalf("set the clock: %v", err)
	}
}

func (c *Clock) env() []string {
	return []string{"LD_PRELOAD=" + c.library, "NGXLIMIT_CLOCK=" + c.file}
}

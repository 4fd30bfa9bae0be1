// Package nginxtest gives tests what lies outside the module: the installed nginx, and material of the project that is
// kept beside the checkout. Where either is absent a test skips and says so; NGXLIMIT_REQUIRE_NGINX=1 makes a missing
// nginx a failure. Only tests import it.
package nginxtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Root returns the module's root folder: the nearest one above the test's package that has a go.mod.
func Root(t testing.TB) string {
	t.Helper()
	dir := startDir
	for !regular(filepath.Join(dir, "go.mod")) {
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatalf("no go.mod above %s", startDir)
		}
		dir = up
	}
	return dir
}

// startDir is the folder of the package under test, where the go command starts it; a test may leave it later.
var startDir, _ = os.Getwd()

// Shared returns a path below the shared folder that lies beside the checkout, and skips the test where it is absent.
func Shared(t testing.TB, elem ...string) string {
	t.Helper()
	p := filepath.Join(append([]string{filepath.Dir(Root(t)), "shared"}, elem...)...)
	if _, err := os.Stat(p); err != nil {
		t.Skipf("no %s beside this checkout", filepath.Join(elem...))
	}
	return p
}

// Binary returns the path of the installed nginx, and skips the test where there is none.
func Binary(t testing.TB) string {
	t.Helper()
	p, err := exec.LookPath("nginx")
	if err != nil {
		if p = "/usr/sbin/nginx"; !regular(p) {
			if os.Getenv("NGXLIMIT_REQUIRE_NGINX") != "" {
				t.Fatal("nginx is not installed, and NGXLIMIT_REQUIRE_NGINX is set")
			}
			t.Skip("nginx is not installed")
		}
	}
	return p
}

func regular(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

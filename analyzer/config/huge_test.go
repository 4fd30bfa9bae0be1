package config

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/load"
	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
)

// TestHugeZone: no machine has room for such zones. nginx says so last of all, in the system's words and without a line.
func TestHugeZone(t *testing.T) {
	for text, want := range map[string]string{
		`limit_req_zone $uri zone=z:9223372036854775807 rate=1r/s;`: "mmap(MAP_ANON|MAP_SHARED, 9223372036854775807) failed (12: Cannot allocate memory)",
		`limit_conn_zone $uri zone=z:8796093022207m;`:               "mmap(MAP_ANON|MAP_SHARED, 9223372036853727232) failed (12: Cannot allocate memory)",
		`limit_req_zone $uri zone=z:1048576m rate=1r/s;`:            "",
	} {
		tree := resolveFile(&source.File{Path: "nginx.conf", Text: head + text + "\n}\n"}, load.Tree, "1.22.1")
		got := ""
		for _, r := range tree.Refusals {
			got += r.Text
		}
		if got != want {
			t.Errorf("%s: %q", text, got)
		}
		if want == "" { // what a machine could have is not asked for
			continue
		}
		dir := t.TempDir()
		path := filepath.Join(dir, "nginx.conf")
		if err := os.WriteFile(path, []byte(head+text+"\n}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(nginxtest.Binary(t), "-t", "-q", "-e", filepath.Join(dir, "error.log"), "-p", dir, "-c", path).CombinedOutput()
		if err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: nginx says %s", text, out)
		}
	}
}

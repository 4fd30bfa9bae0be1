package config

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/load"
	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
)

func readJSON(t testing.TB, path string, into any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("read %s: %v", path, err)
	}
}

// Everything that the real nginx ran is taken: configurations of measured runs, of routes, of reported problems, of
// nginx's own tests, and the project's own fixtures. None is refused at the newest version either, nor warned of.
func TestAccepted(t *testing.T) {
	root := nginxtest.Root(t)
	var paths []string
	for _, pattern := range []string{
		filepath.Join(root, "fixtures", "*", "*.conf"), filepath.Join(root, "fixtures", "*", "*.dump"),
		filepath.Join(nginxtest.Shared(t, "oracle"), "runs", "*", "nginx.conf"),
		filepath.Join(nginxtest.Shared(t, "oracle"), "routes", "*", "nginx.conf"),
		filepath.Join(nginxtest.Shared(t, "cases"), "*", "input.conf"),
		filepath.Join(nginxtest.Shared(t, "corpus"), "locations", "*.conf"),
	} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v, %d files", pattern, err, len(found))
		}
		paths = append(paths, found...)
	}
	for _, path := range paths {
		inputs, err := load.Load([]string{path}, load.Options{})
		if err != nil || len(inputs) != 1 {
			t.Errorf("%s: %v, %d inputs", path, err, len(inputs))
			continue
		}
		for _, version := range []string{"1.22.1", ""} {
			if version != "" && strings.Contains(path, "ingress-nginx") {
				continue // its template is written for a newer nginx
			}
			tree := Resolve(inputs[0], Options{Version: version})
			if r := refused(tree); r != nil && !strings.Contains(path, "rate-per-hour") {
				t.Errorf("%s at %s: %s", path, tree.Version, describe(r))
			}
		}
	}
	t.Logf("%d configurations", len(paths))
}

// nginx's own test configurations, where nginx 1.22.1 takes them as they stand.
func TestNginxTests(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(nginxtest.Shared(t, "corpus", "nginx-tests"), "*.json"))
	if err != nil || len(paths) == 0 {
		t.Fatal(err)
	}
	var c tally
	for _, path := range paths {
		var e struct {
			NginxT verdict `json:"nginx_t"`
		}
		readJSON(t, path, &e)
		text, err := os.ReadFile(strings.TrimSuffix(path, ".json") + ".conf")
		if err != nil {
			t.Fatal(err)
		}
		if !e.NginxT.Accepted || strings.Contains(string(text), "max_headers") {
			continue
		}
		c.judge(t, filepath.Base(path), resolveText(t, string(text), "1.22.1"), e.NginxT)
	}
	t.Logf("%d of %d agree", c.same, c.all)
}

package lsp

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Nothing outside of the editor's folder is read, be it named or linked.
func TestNothingOutside(t *testing.T) {
	dir := unpack(t, `
-- outside/zones.conf --
limit_req_zone $binary_remote_addr zone=secret:10m rate=5r/s;
-- work/nginx.conf --
events {}
http {
    include ../outside/zones.conf;
    include linked.conf;
    server {
        listen 8080;
        location / { limit_req zone=secret burst=5 nodelay; root /srv; }
    }
}
`)
	if err := os.Symlink(filepath.Join(dir, "outside", "zones.conf"), filepath.Join(dir, "work", "linked.conf")); err != nil {
		t.Skip(err)
	}
	c := connect(t, filepath.Join(dir, "work"))
	c.initialize(able)
	c.open("nginx.conf")
	codes, _ := c.found("nginx.conf")
	if n := len(slices.DeleteFunc(slices.Clone(codes), func(c string) bool { return c != "missing-include" })); n != 2 {
		t.Errorf("found %v", codes)
	}
	var items []completionItem
	c.must("textDocument/completion", c.at("nginx.conf", "secret burst", 0), &items)
	if len(items) != 0 {
		t.Errorf("zones from outside: %v", items)
	}
}

// A configuration that names its files by where they lie means the files in the editor's folder.
func TestAbsoluteIncludes(t *testing.T) {
	dir := unpack(t, site)
	main := filepath.Join(dir, "nginx.conf")
	text, err := os.ReadFile(main)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(main, []byte(strings.Replace(string(text), "include conf.d", "include "+filepath.ToSlash(dir)+"/conf.d", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	c := connect(t, dir)
	c.initialize(able)
	c.open("conf.d/portal.conf")
	if codes, _ := c.found("conf.d/portal.conf"); !slices.Contains(codes, "missing-nodelay") {
		t.Errorf("found %v", codes)
	}
}

// In a repository, the folders in which nginx is installed mean the main file's own, and a main file that lies neither
// beside a part nor above it is found by its name, as check --whole finds it.
func TestInstalledFolders(t *testing.T) {
	c := start(t, `
-- deploy/.nginx/nginx.conf --
events {}
http {
    include /etc/nginx/zones.conf;
    include /etc/nginx/sites-enabled/*;
}
-- deploy/.nginx/zones.conf --
limit_req_zone $binary_remote_addr zone=a:10m rate=5r/s;
-- deploy/.nginx/sites-available/portal --
server {
    location / { limit_req zone=a burst=10; proxy_pass http://10.0.0.1; }
}
-- other/nginx.conf --
events {}
http {
    include ../parts/b.conf;
}
-- parts/b.conf --
limit_req_zone $binary_remote_addr zone=b:10m rate=5r/s;
server { location / { limit_req zone=a; root /srv; } }
`)
	c.open("deploy/.nginx/sites-available/portal")
	if codes, _ := c.found("deploy/.nginx/sites-available/portal"); !slices.Contains(codes, "missing-nodelay") || slices.Contains(codes, "zone-unknown") {
		t.Errorf("found %v", codes)
	}
	c.open("parts/b.conf")
	if codes, _ := c.found("parts/b.conf"); !slices.Contains(codes, "zone-unknown") {
		t.Errorf("found %v", codes)
	}
}

func TestFragmentsAndUnsaved(t *testing.T) {
	c := start(t, `
-- conf.d/alone.conf --
limit_req_zone $binary_remote_addr zone=a:10m rate=5r/s;
server {
    location / { limit_req zone=a burst=10; proxy_pass http://10.0.0.1; }
}
-- empty.conf --
`)
	c.open("conf.d/alone.conf")
	if codes, _ := c.found("conf.d/alone.conf"); !slices.Contains(codes, "missing-nodelay") {
		t.Errorf("in a fragment that nothing includes: %v", codes)
	}
	c.openText("new.conf", c.texts["conf.d/alone.conf"])
	if codes, _ := c.found("new.conf"); !slices.Contains(codes, "missing-nodelay") {
		t.Errorf("in a file that is not saved: %v", codes)
	}
	c.change("new.conf", "burst=10;", "burst=10 nodelay;")
	if codes, _ := c.found("new.conf"); slices.Contains(codes, "missing-nodelay") {
		t.Errorf("in a file that is not saved, mended: %v", codes)
	}
	c.open("empty.conf")
	if codes, _ := c.found("empty.conf"); len(codes) > 0 {
		t.Errorf("in an empty file: %v", codes)
	}
	c.change("empty.conf", "", "limit_req zone=none;")
	c.found("empty.conf")
}

func TestSettings(t *testing.T) {
	c := start(t, site+`
-- .ngxlimit.yaml --
rules:
  missing-nodelay: off
`)
	c.open("conf.d/portal.conf")
	if codes, _ := c.found("conf.d/portal.conf"); slices.Contains(codes, "missing-nodelay") {
		t.Errorf("in spite of the settings: %v", codes)
	}
	c.save(".ngxlimit.yaml", "rulez: {}\n")
	c.notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{}})
	if codes, _ := c.found("conf.d/portal.conf"); !slices.Contains(codes, "missing-nodelay") {
		t.Errorf("without settings: %v", codes)
	}
	m := c.await("a message about the settings", methodIs("window/showMessage"))
	if !strings.Contains(string(m["params"]), "rulez") {
		t.Errorf("shown: %s", m["params"])
	}
}

package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/cmd/internal/settings"
	"github.com/ngxlimit/ngxlimit/model/simulate"
	"github.com/ngxlimit/ngxlimit/model/traffic"
	"github.com/ngxlimit/ngxlimit/rules"
)

// fenced returns the first block of a language in a page of the repository.
func fenced(t *testing.T, page, language string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(nginxtest.Root(t), filepath.FromSlash(page)))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), "```"+language+"\n")
	block, _, closed := strings.Cut(rest, "\n```")
	if !found || !closed {
		t.Fatalf("%s has no block of %s", page, language)
	}
	return block + "\n"
}

func TestFanPage(t *testing.T) {
	fan, err := traffic.ReadFan(strings.NewReader(fenced(t, "docs/fans.md", "json")), "file")
	if err != nil {
		t.Fatal(err)
	}
	if fan.Name != "orders" || len(fan.Requests) != 5 || *fan.Requests[4].DependsOn != 2 {
		t.Errorf("read as %+v", fan)
	}
	page, err := os.ReadFile(filepath.Join(nginxtest.Root(t), "docs", "fans.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range slices.Concat(traffic.Kinds, traffic.Names(), schemaFields(t)) {
		if !strings.Contains(string(page), "`"+word+"`") {
			t.Errorf("docs/fans.md does not name %s", word)
		}
	}
}

// The page's example of an error is what the reader says.
func TestFanPageError(t *testing.T) {
	text := fenced(t, "docs/fans.md", "json")
	wrong := strings.Replace(text, `"kind": "api", "depends_on": 2}`, `"kind": "api", "depends_on": 9}`, 1)
	_, err := traffic.ReadFan(strings.NewReader(wrong), "file")
	if err == nil {
		t.Fatal("read without an error")
	}
	page, readErr := os.ReadFile(filepath.Join(nginxtest.Root(t), "docs", "fans.md"))
	if readErr != nil {
		t.Fatal(readErr)
	}
	if !strings.Contains(string(page), "`"+placed("orders.json", err).Error()+"`") {
		t.Errorf("docs/fans.md does not show %v", placed("orders.json", err))
	}
}

// schemaFields are the fields of a fan file and of its parts.
func schemaFields(t *testing.T) []string {
	data, err := os.ReadFile(filepath.Join(nginxtest.Root(t), "docs", "fan.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	type object struct{ Properties map[string]json.RawMessage }
	var s struct {
		object
		Defs map[string]object `json:"$defs"`
	}
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, o := range append(slices.Collect(maps.Values(s.Defs)), s.object) {
		for name := range o.Properties {
			if name != "$schema" {
				all = append(all, name)
			}
		}
	}
	return all
}

func TestRequestsPage(t *testing.T) {
	n := 0
	for e, err := range traffic.ReadRequests(strings.NewReader(fenced(t, "docs/requests.md", "json")), "") {
		if err != nil {
			t.Fatal(err)
		}
		if n++; e.Request.Host != "portal.example.com" || e.Request.Target != "/api/orders" {
			t.Errorf("request %d is read as %+v", n, e)
		}
	}
	if n != 3 {
		t.Errorf("%d requests were read", n)
	}
}

// settingsFile writes a settings file, and beside it the fan that the pages name.
func settingsFile(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "fans"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{settings.FileName: text, filepath.Join("fans", "checkout.json"): fenced(t, "docs/fans.md", "json")} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, settings.FileName)
}

func TestSettingsPages(t *testing.T) {
	for _, page := range []string{"docs/settings.md", "README.md"} {
		path := settingsFile(t, fenced(t, page, "yaml"))
		s, err := settings.Load(path, settings.Known{Rules: rules.All(), Fan: fansBeside(path)})
		if err != nil {
			t.Fatalf("%s: %v", page, err)
		}
		if s.Facts.ClientsPerAddress != 43 || s.Facts.ExpectedKeys["per_ip"] != 250_000 || len(s.Proxies) == 0 ||
			len(s.Facts.Background) != 2 || len(s.Off) != 1 || len(s.Severities) != 1 {
			t.Errorf("%s is read as %+v", page, s)
		}
	}
}

// The hooks are asked about configurations of nginx, and about nothing else.
func TestHookFiles(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(nginxtest.Root(t), ".pre-commit-hooks.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	pattern := func(key string) *regexp.Regexp {
		lines := regexp.MustCompile(`(?m)^ +`+key+`: &`+key+` (.*)$`).FindAllStringSubmatch(string(text), -1)
		if len(lines) != 1 {
			t.Fatalf("%d patterns of %s were found", len(lines), key)
		}
		return regexp.MustCompile(lines[0][1])
	}
	files, exclude := pattern("files"), pattern("exclude")
	for path, want := range map[string]bool{
		"nginx.conf": true, "conf/nginx.conf": true, "deploy/nginx-prod.conf": true, "conf.d/portal.conf": true,
		"etc/nginx/snippets/limits.conf": true, "sites-available/portal": true, "sites-enabled/portal.example.com": true, "sites-enabled/portal.conf": true,
		"roles/web/files/nginx/limits/api.conf": true,
		"conf.d/README.md":                      false, "conf.d/portal.conf.bak": false, "snippets/hello.py": false, "sites-available/.gitkeep": false,
		"sites-available/portal.conf.bak": false, "sites-enabled/portal~": false, "sites-enabled/notes.md": false, "docs/nginx.md": false, "redis.conf": false,
	} {
		if got := files.MatchString(path) && !exclude.MatchString(path); got != want {
			t.Errorf("%s: matched %t", path, got)
		}
	}
}

// TestSimulatePage keeps what JSON holds of a simulation named in its page.
func TestSimulatePage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(nginxtest.Root(t), "docs", "simulate.md"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(simulate.Result{})
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(text, &fields); err != nil {
		t.Fatal(err)
	}
	for name := range fields {
		if !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("docs/simulate.md does not name %s", name)
		}
	}
}

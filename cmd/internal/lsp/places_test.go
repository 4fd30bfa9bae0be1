package lsp

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
)

// A finding on a line with characters of several bytes stands where the client counts it.
func TestUnits(t *testing.T) {
	const line = "location /ü\U0001f5fb/ { limit_req zone=a burst=10; proxy_pass http://10.0.0.1; }"
	files := "-- nginx.conf --\nevents {}\nhttp {\nlimit_req_zone $binary_remote_addr zone=a:10m rate=5r/s;\nserver {\n" + line + "\n}\n}\n"
	for _, test := range []struct {
		units string
		start uint32
	}{{"utf-8", 20}, {"utf-16", 17}, {"utf-32", 16}, {"none", 17}} {
		c := connect(t, unpack(t, files))
		can := c.initialize(fmt.Sprintf(`{"general": {"positionEncodings": [%q]}, "textDocument": {"publishDiagnostics": {"versionSupport": true}}}`, test.units))
		if test.units == "none" {
			test.units = "utf-16"
		}
		if can["positionEncoding"] != test.units {
			t.Errorf("agreed on %v, not %s", can["positionEncoding"], test.units)
		}
		c.open("nginx.conf")
		codes, all := c.found("nginx.conf")
		i := slices.Index(codes, "missing-nodelay")
		want := textRange{position{4, test.start}, position{4, test.start + uint32(len("limit_req zone=a burst=10"))}}
		if i < 0 || all[i].Range != want {
			t.Errorf("in %s: %+v, not %v", test.units, all, want)
		}
		// What is typed behind it is put there.
		at := position{4, want.End.Character}
		c.version["nginx.conf"]++
		c.notify("textDocument/didChange", map[string]any{
			"textDocument":   map[string]any{"uri": c.uri("nginx.conf"), "version": c.version["nginx.conf"]},
			"contentChanges": []any{map[string]any{"range": textRange{at, at}, "text": " node"}, map[string]any{"range": textRange{position{4, at.Character + 5}, position{4, at.Character + 5}}, "text": "lay"}},
		})
		if codes, _ := c.found("nginx.conf"); slices.Contains(codes, "missing-nodelay") || slices.Contains(codes, "invalid-value") {
			t.Errorf("in %s, after typing: %v", test.units, codes)
		}
	}
}

var update = flag.Bool("update", false, "write into docs/editor.md what a hover says")

// TestEditorPage holds the page to what a hover says.
func TestEditorPage(t *testing.T) {
	path := filepath.Join(nginxtest.Root(t), "docs", "editor.md")
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(page), "```text\n")
	_, after, ok := strings.Cut(rest, "```\n")
	if !ok {
		t.Fatal("the page shows no hover")
	}
	c := start(t, site)
	c.open("conf.d/portal.conf")
	var h hover
	c.must("textDocument/hover", c.at("conf.d/portal.conf", "limit_req zone", 0), &h)
	fresh := before + "```text\n" + strings.NewReplacer("**", "", "`", "").Replace(h.Contents.Value) + "```\n" + after
	switch {
	case fresh == string(page):
	case *update:
		if err := os.WriteFile(path, []byte(fresh), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Error("docs/editor.md shows another hover; run go test ./cmd/internal/lsp -run TestEditorPage -update")
	}
}

// In a dump, findings stand where the file is in it, and nothing is offered that would change what nginx printed.
func TestDump(t *testing.T) {
	const dump = `# configuration file /etc/nginx/nginx.conf:
events {}
http {
    limit_req_zone $binary_remote_addr zone=a:10m rate=5r/s;
    include conf.d/*.conf;
}

# configuration file /etc/nginx/conf.d/ü.conf:
server {
    location / { limit_req zone=a burst=10; proxy_pass http://10.0.0.1; }
}
`
	c := start(t, "-- live.dump --\n"+dump)
	c.open("live.dump")
	codes, all := c.found("live.dump")
	i := slices.Index(codes, "missing-nodelay")
	if i < 0 || all[i].Range != c.place("live.dump", "limit_req zone=a burst=10") {
		t.Fatalf("found %+v", all)
	}
	if len(all[i].Related) == 0 || all[i].Related[0].Location.URI != c.uri("live.dump") || all[i].Related[0].Location.Range.Start.Line != 3 {
		t.Errorf("related: %+v", all[i].Related)
	}
	var found []location
	c.must("textDocument/definition", c.at("live.dump", "zone=a burst", 5), &found)
	if len(found) != 1 || found[0].Range.Start != (position{3, 44}) {
		t.Errorf("the zone is defined at %+v", found)
	}
	var actions []codeAction
	c.must("textDocument/codeAction", map[string]any{
		"textDocument": map[string]any{"uri": c.uri("live.dump")}, "range": all[i].Range, "context": map[string]any{},
	}, &actions)
	if len(actions) > 0 {
		t.Errorf("offered: %+v", actions)
	}
}

// The client's own names of files are kept, whatever links lead to them.
func TestLinks(t *testing.T) {
	dir := unpack(t, `
-- real/nginx.conf --
events {}
http {
    limit_req_zone $binary_remote_addr zone=a:10m rate=5r/s;
    include sites-enabled/*;
}
-- real/sites-available/portal --
server {
    location / { limit_req zone=a burst=10; proxy_pass http://10.0.0.1; }
}
`)
	if err := os.MkdirAll(filepath.Join(dir, "real", "sites-enabled"), 0o755); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"real/sites-enabled/portal": "../sites-available/portal", "named": "real"} {
		if err := os.Symlink(to, filepath.Join(dir, filepath.FromSlash(link))); err != nil {
			t.Skip(err)
		}
	}
	c := connect(t, filepath.Join(dir, "named"))
	c.initialize(able)
	c.open("sites-available/portal")
	if codes, _ := c.found("sites-available/portal"); !slices.Contains(codes, "missing-nodelay") {
		t.Errorf("found %v", codes)
	}
	if p := c.published(c.uri("nginx.conf"), 0); len(p.Diagnostics) == 0 {
		t.Error("nothing was found in the main file by the client's name of it")
	}
	c.open("sites-enabled/portal")
	c.found("sites-enabled/portal")
	c.change("sites-enabled/portal", "burst=10", "burst=10 nodelay")
	for _, name := range []string{"sites-enabled/portal", "sites-available/portal"} {
		for { // findings of both names from before the change may come first
			p := c.published(c.uri(name), c.version[name])
			if !slices.ContainsFunc(p.Diagnostics, func(d diagnostic) bool { return d.Code == "missing-nodelay" }) {
				break
			}
		}
	}
}

// Without a folder to work in, the main file above the open one is found.
func TestNoFolder(t *testing.T) {
	c := connect(t, unpack(t, site))
	c.must("initialize", `{"processId":null,"rootUri":null,"capabilities":`+able+`}`, nil)
	c.open("conf.d/portal.conf")
	if codes, _ := c.found("conf.d/portal.conf"); !slices.Contains(codes, "missing-nodelay") || slices.Contains(codes, "zone-unknown") {
		t.Errorf("found %v", codes)
	}
}

// A folder that is added is one to read in; of one that is taken away, files are read alone.
func TestFoldersChange(t *testing.T) {
	dir := unpack(t, strings.ReplaceAll(site, "-- ", "-- site/")+"-- other/x --\n")
	c := connect(t, filepath.Join(dir, "other"))
	c.initialize(able)
	c.dir = filepath.Join(dir, "site")
	c.open("conf.d/portal.conf")
	has := func(want bool, when string) {
		t.Helper()
		if codes, _ := c.found("conf.d/portal.conf"); slices.Contains(codes, "missing-nodelay") != want {
			t.Errorf("%s: %v", when, codes)
		}
	}
	has(false, "outside of the folder, where the zone's rate is not known")
	site := []map[string]any{{"uri": uriOf(c.dir), "name": "site"}}
	c.notify("workspace/didChangeWorkspaceFolders", map[string]any{"event": map[string]any{"added": site, "removed": []any{}}})
	has(true, "in a folder that was added")
	c.notify("workspace/didChangeWorkspaceFolders", map[string]any{"event": map[string]any{"added": []any{}, "removed": site}})
	has(false, "in a folder that was taken away")
}

// A client that says it can do little gets little.
func TestModestClient(t *testing.T) {
	c := connect(t, unpack(t, site))
	c.initialize(`{"textDocument": {"codeAction": {"codeActionLiteralSupport": {}}}}`)
	c.open("conf.d/portal.conf")
	p := c.published(c.uri("conf.d/portal.conf"), 0)
	if p.Version != nil {
		t.Errorf("published with version %d", *p.Version)
	}
	for _, d := range p.Diagnostics {
		if d.CodeDescription != nil || d.Tags != nil || d.Related != nil {
			t.Errorf("published: %+v", d)
		}
	}
	var h hover
	c.must("textDocument/hover", c.at("conf.d/portal.conf", "limit_req zone", 0), &h)
	if h.Contents.Kind != "plaintext" || strings.ContainsAny(h.Contents.Value, "*`") {
		t.Errorf("hover: %+v", h.Contents)
	}
	var flat []flatSymbol
	c.must("textDocument/documentSymbol", map[string]any{"textDocument": map[string]any{"uri": c.uri("conf.d/portal.conf")}}, &flat)
	if len(flat) != 5 || flat[1].Container != "server portal.example.com" {
		t.Errorf("the outline is %+v", flat)
	}
	var actions []codeAction
	ask := map[string]any{
		"textDocument": map[string]any{"uri": c.uri("conf.d/portal.conf")},
		"range":        c.place("conf.d/portal.conf", "zone=per_ip"), "context": map[string]any{},
	}
	c.must("textDocument/codeAction", ask, &actions)
	for _, a := range actions {
		if a.Kind != kindQuickFix || a.Preferred || a.Edit == nil || len(a.Edit.Changes[c.uri("conf.d/portal.conf")]) == 0 {
			t.Errorf("offered: %+v", a)
		}
	}
	ask["context"] = map[string]any{"only": []string{kindFixAll}}
	actions = nil
	c.must("textDocument/codeAction", ask, &actions)
	if len(actions) != 1 || actions[0].Edit == nil || len(actions[0].Edit.Changes) == 0 {
		t.Errorf("offered when all is to be fixed: %+v", actions)
	}
}

package lsp

import (
	"slices"
	"strings"
	"testing"
)

const portal = `
-- nginx.conf --
events {}
http {
    limit_req_zone $binary_remote_addr zone=per_ip:10m rate=5r/s;
    limit_conn_zone $binary_remote_addr zone=conns:1m;
    limit_req_status 429;
    include conf.d/*.conf;
}
-- conf.d/portal.conf --
# Zürich 🗻 portal
server {
    listen 8080;
    server_name portal.example.com;
    location /api/ { # 🗻
        /*x*/ proxy_pass http://10.0.0.1;
        limit_req zone=per_ip burst=10;
    }
    location /files/ {
        limit_conn conns 8;
        root /srv;
    }
}
`

// The comment that is none is taken out: the archive shows what is typed.
var site = strings.Replace(portal, "/*x*/ ", "", 1)

func TestTypingNodelay(t *testing.T) {
	c := start(t, site)
	c.open("conf.d/portal.conf")
	codes, all := c.found("conf.d/portal.conf")
	i := slices.Index(codes, "missing-nodelay")
	if i < 0 {
		t.Fatalf("found %v", codes)
	}
	d := all[i]
	if want := c.place("conf.d/portal.conf", "limit_req zone=per_ip burst=10"); d.Range != want {
		t.Errorf("it stands at %v, not %v", d.Range, want)
	}
	if d.Severity != severityWarning || d.Source != "ngxlimit" || d.CodeDescription == nil || !strings.Contains(d.CodeDescription.Href, "missing-nodelay") {
		t.Errorf("published as %+v", d)
	}
	if len(d.Related) == 0 || d.Related[0].Location.URI != c.uri("nginx.conf") || d.Related[0].Location.Range.Start.Line != 2 {
		t.Errorf("related: %+v", d.Related)
	}
	// The main file is not open, and its findings are shown all the same.
	if p := c.published(c.uri("nginx.conf"), 0); len(p.Diagnostics) == 0 || p.Version != nil {
		t.Errorf("of the main file: %+v", p)
	}
	c.change("conf.d/portal.conf", "burst=10", "burst=10 nodelay")
	if codes, _ = c.found("conf.d/portal.conf"); slices.Contains(codes, "missing-nodelay") {
		t.Errorf("after nodelay was typed: %v", codes)
	}
	c.change("conf.d/portal.conf", " nodelay", "")
	if codes, _ = c.found("conf.d/portal.conf"); !slices.Contains(codes, "missing-nodelay") {
		t.Errorf("after nodelay was deleted: %v", codes)
	}
	if status := c.bye(); status != 0 {
		t.Errorf("exit status %d", status)
	}
}

// What is saved or typed in an included file shows in the file that includes it, be it open or not.
func TestIncluderFollows(t *testing.T) {
	c := start(t, `
-- nginx.conf --
events {}
http {
    include zones.conf;
    server {
        listen 8080;
        location / {
            limit_req zone=per_ip burst=50 nodelay;
            proxy_pass http://10.0.0.1;
        }
    }
}
-- zones.conf --
limit_req_zone $binary_remote_addr zone=per_ip:10m rate=50r/s;
`)
	c.open("nginx.conf")
	if codes, _ := c.found("nginx.conf"); slices.Contains(codes, "zone-unknown") {
		t.Fatalf("found %v", codes)
	}
	c.save("zones.conf", "limit_req_zone $binary_remote_addr zone=per_addr:10m rate=50r/s;\n")
	c.notify("textDocument/didSave", map[string]any{"textDocument": map[string]any{"uri": c.uri("zones.conf")}})
	if codes, _ := c.found("nginx.conf"); !slices.Contains(codes, "zone-unknown") {
		t.Fatalf("after saving another zone: %v", codes)
	}
	c.save("zones.conf", "limit_req_zone $binary_remote_addr zone=per_ip:10m rate=50r/s;\n")
	c.notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": c.uri("zones.conf"), "type": 2}}})
	if codes, _ := c.found("nginx.conf"); slices.Contains(codes, "zone-unknown") {
		t.Fatalf("after it changed on disk: %v", codes)
	}
	c.open("zones.conf")
	c.found("zones.conf")
	c.change("zones.conf", "per_ip", "typed")
	c.found("zones.conf")
	if p := c.published(c.uri("nginx.conf"), 1); !slices.ContainsFunc(p.Diagnostics, func(d diagnostic) bool { return d.Code == "zone-unknown" }) {
		// The first answer may be of the moment at which zones.conf was opened.
		if p = c.published(c.uri("nginx.conf"), 1); !slices.ContainsFunc(p.Diagnostics, func(d diagnostic) bool { return d.Code == "zone-unknown" }) {
			t.Errorf("after another zone was typed: %+v", p.Diagnostics)
		}
	}
	c.notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": c.uri("zones.conf")}})
	for range 3 {
		p := c.published(c.uri("nginx.conf"), 1)
		if !slices.ContainsFunc(p.Diagnostics, func(d diagnostic) bool { return d.Code == "zone-unknown" }) {
			return
		}
	}
	t.Error("what was typed counts after the document was closed")
}

// Findings of a file go when nothing that is open leads to it any more.
func TestClosingClears(t *testing.T) {
	c := start(t, site)
	c.open("conf.d/portal.conf")
	c.found("conf.d/portal.conf")
	if p := c.published(c.uri("nginx.conf"), 0); len(p.Diagnostics) == 0 {
		t.Fatal("nothing was found in the main file")
	}
	c.notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": c.uri("conf.d/portal.conf")}})
	if p := c.published(c.uri("nginx.conf"), 0); len(p.Diagnostics) != 0 {
		t.Errorf("left of the main file: %+v", p.Diagnostics)
	}
}

func TestHover(t *testing.T) {
	c := start(t, site)
	c.open("conf.d/portal.conf")
	c.open("nginx.conf")
	for _, test := range []struct {
		file, at string
		want     []string
	}{
		{"conf.d/portal.conf", "limit_req zone", []string{"`per_ip`", "5r/s", "`$binary_remote_addr`", "every 200 ms", "11 at once", "1 passes", "10 wait", "longest delay: 2 s", "status 429", "`server portal.example.com > location /api/`"}},
		{"conf.d/portal.conf", "limit_conn conns", []string{"`conns`", "8 requests at once", "location /files/"}},
		{"conf.d/portal.conf", "location /api/", []string{"`limit_req zone=per_ip burst=10`", "written here at /conf.d/portal.conf:7", "status 429, inherited from `http` at /nginx.conf:5"}},
		{"conf.d/portal.conf", "location /files/", []string{"`limit_conn conns 8`", "503, nginx's default"}},
		{"nginx.conf", "limit_req_zone", []string{"10m holds", "81,375 keys", "used by `limit_req zone=per_ip burst=10`"}},
		{"nginx.conf", "include conf.d", []string{"1 file", "`/conf.d/portal.conf`"}},
	} {
		var h hover
		c.must("textDocument/hover", c.at(test.file, test.at, 2), &h)
		for _, want := range test.want {
			if !strings.Contains(h.Contents.Value, want) {
				t.Errorf("hover on %s does not say %q:\n%s", test.at, want, h.Contents.Value)
			}
		}
	}
	var none any
	if c.must("textDocument/hover", c.at("conf.d/portal.conf", "root /srv", 0), &none); none != nil {
		t.Errorf("hover on root says %v", none)
	}
}

// A limit tells where it comes from and where another one takes its place.
func TestHoverInherited(t *testing.T) {
	c := start(t, `
-- nginx.conf --
events {}
http {
    limit_req_zone $binary_remote_addr zone=a:10m rate=30r/m;
    limit_req zone=a burst=20 delay=5;
    limit_req_dry_run on;
    server {
        server_name a.example;
        location /own/ { limit_req zone=a nodelay; root /srv; }
        location /in/ { root /srv; }
    }
}
`)
	c.open("nginx.conf")
	for at, wants := range map[string][]string{
		"limit_req zone=a burst": {"0.5r/s", "every 2 s", "21 at once, of which 6 pass", "15 wait", "longest delay: 30 s", "dry run", "written in `http`", "replaces it: `server a.example > location /own/`"},
		"limit_req zone=a nodel": {"capacity: 1 at once", "in effect in 1 place"},
		"location /in/":          {"`limit_req zone=a burst=20 delay=5`", "inherited from `http` at /nginx.conf:4"},
		"limit_req_zone":         {"30r/m is kept as 0.5r/s", "used by"},
	} {
		var h hover
		c.must("textDocument/hover", c.at("nginx.conf", at, 0), &h)
		for _, want := range wants {
			if !strings.Contains(h.Contents.Value, want) {
				t.Errorf("hover on %s does not say %q:\n%s", at, want, h.Contents.Value)
			}
		}
	}
}

func TestZoneNavigation(t *testing.T) {
	c := start(t, site)
	c.open("conf.d/portal.conf")
	var found []location
	c.must("textDocument/definition", c.at("conf.d/portal.conf", "per_ip", 1), &found)
	if len(found) != 1 || found[0].URI != c.uri("nginx.conf") || found[0].Range.Start != (position{2, 44}) {
		t.Errorf("the zone is defined at %+v", found)
	}
	c.open("nginx.conf")
	c.must("textDocument/definition", c.at("nginx.conf", "include conf.d", 3), &found)
	if len(found) != 1 || found[0].URI != c.uri("conf.d/portal.conf") {
		t.Errorf("the include leads to %+v", found)
	}
	params := c.at("nginx.conf", "per_ip", 0)
	for _, declaration := range []bool{false, true} {
		params["context"] = map[string]any{"includeDeclaration": declaration}
		c.must("textDocument/references", params, &found)
		want := 1
		if declaration {
			want = 2
		}
		if len(found) != want || found[want-1].Range != c.place("conf.d/portal.conf", "per_ip") {
			t.Errorf("with declaration %t the zone is named at %+v", declaration, found)
		}
	}
	var p prepared
	c.must("textDocument/prepareRename", c.at("nginx.conf", "per_ip", 0), &p)
	if p.Placeholder != "per_ip" || p.Range != c.place("nginx.conf", "per_ip") {
		t.Errorf("to be renamed: %+v", p)
	}
	params["newName"] = "clients"
	var edit workspaceEdit
	c.must("textDocument/rename", params, &edit)
	after := c.applied(&edit)
	if len(after) != 2 || !strings.Contains(after["nginx.conf"], "zone=clients:10m") || !strings.Contains(after["conf.d/portal.conf"], "limit_req zone=clients burst=10;") {
		t.Errorf("renamed: %v", after)
	}
	for _, name := range []string{"", "a b", "x;", "conns", "ü\n"} {
		params["newName"] = name
		if f := c.request("textDocument/rename", params, nil); f == nil {
			t.Errorf("renamed to %q", name)
		}
	}
}

func TestCompletion(t *testing.T) {
	c := start(t, site)
	c.open("conf.d/portal.conf")
	c.open("nginx.conf")
	for _, test := range []struct {
		file, old, text string // what is typed in place of a text; the cursor stands at the "|"
		want, not       []string
	}{
		{"conf.d/portal.conf", "zone=per_ip burst=10;", "zone=|", []string{"per_ip"}, []string{"conns", "burst="}},
		{"conf.d/portal.conf", "zone=per_ip burst=10;", "zone=p| burst=10;", []string{"per_ip"}, nil},
		{"conf.d/portal.conf", "zone=per_ip burst=10;", "zone=per_ip |", []string{"burst=", "nodelay", "delay="}, []string{"zone="}},
		{"conf.d/portal.conf", "limit_conn conns 8;", "limit_conn |", []string{"conns"}, []string{"per_ip"}},
		{"conf.d/portal.conf", "limit_conn conns 8;", "limit_re|", []string{"limit_req", "limit_req_status"}, []string{"limit_req_zone", "limit_conn"}},
		{"nginx.conf", "limit_req_status 429;", "limit_|", []string{"limit_req", "limit_req_zone"}, nil},
		{"nginx.conf", "limit_req_status 429;", "limit_req_zone |", []string{"$binary_remote_addr"}, nil},
		{"nginx.conf", "limit_req_status 429;", "limit_req_dry_run |", []string{"on", "off"}, nil},
		{"nginx.conf", "limit_req_status 429;", "# limit_|", nil, []string{"limit_req"}},
	} {
		text := c.texts[test.file]
		typed, _, _ := strings.Cut(test.text, "|")
		c.change(test.file, test.old, strings.Replace(test.text, "|", "", 1))
		var items []completionItem
		i := strings.Index(text, test.old)
		params := c.at(test.file, c.texts[test.file][i:], len(typed))
		c.must("textDocument/completion", params, &items)
		var labels []string
		for _, item := range items {
			labels = append(labels, item.Label)
		}
		for _, want := range test.want {
			if !slices.Contains(labels, want) {
				t.Errorf("behind %q stand %v, without %s", typed, labels, want)
			}
		}
		for _, not := range test.not {
			if slices.Contains(labels, not) {
				t.Errorf("behind %q stand %v, with %s", typed, labels, not)
			}
		}
		for _, item := range items {
			l := newLines(c.texts[test.file], utf16Units)
			if r := item.TextEdit.Range; r.End != params["position"] || !strings.HasPrefix(item.TextEdit.NewText, l.text[l.offset(r.Start):l.offset(r.End)]) {
				t.Errorf("%s replaces %v", item.Label, r)
			}
		}
		c.change(test.file, strings.Replace(test.text, "|", "", 1), test.old)
	}
}

func TestSymbols(t *testing.T) {
	c := start(t, site)
	c.open("conf.d/portal.conf")
	var tree []documentSymbol
	c.must("textDocument/documentSymbol", map[string]any{"textDocument": map[string]any{"uri": c.uri("conf.d/portal.conf")}}, &tree)
	if len(tree) != 1 || tree[0].Name != "server portal.example.com" || tree[0].Detail != "8080" || len(tree[0].Children) != 2 ||
		tree[0].Children[0].Name != "location /api/" || tree[0].Children[0].Children[0].Name != "limit_req zone=per_ip burst=10" {
		t.Errorf("the outline is %+v", tree)
	}
}

func TestCodeActions(t *testing.T) {
	c := start(t, site)
	c.open("conf.d/portal.conf")
	c.open("nginx.conf")
	params := map[string]any{
		"textDocument": map[string]any{"uri": c.uri("conf.d/portal.conf")},
		"range":        c.place("conf.d/portal.conf", "zone=per_ip"), "context": map[string]any{"diagnostics": []any{}},
	}
	var actions []codeAction
	c.must("textDocument/codeAction", params, &actions)
	of := func(rule, title string) *codeAction {
		for i, a := range actions {
			if strings.Contains(a.Title, title) && (rule == "" || len(a.Diagnostics) == 1 && a.Diagnostics[0].Code == rule) {
				return &actions[i]
			}
		}
		t.Fatalf("there is no action %q for %s: %+v", title, rule, actions)
		return nil
	}
	mend := of("missing-nodelay", "add nodelay")
	if !mend.Preferred {
		t.Errorf("what changes no answer is offered as %+v", mend)
	}
	if after := c.applied(mend.Edit)["conf.d/portal.conf"]; !strings.Contains(after, "limit_req zone=per_ip burst=10 nodelay;") {
		t.Errorf("mended:\n%s", after)
	}
	ignore := c.applied(of("missing-nodelay", "ignore missing-nodelay").Edit)["conf.d/portal.conf"]
	if !strings.Contains(ignore, "\n        # ngxlimit:ignore missing-nodelay \n        limit_req zone=per_ip") {
		t.Errorf("ignored:\n%s", ignore)
	}
	params["range"] = c.place("conf.d/portal.conf", "limit_conn conns")
	actions = nil
	c.must("textDocument/codeAction", params, &actions)
	if change := of("default-conn-status", "answered differently"); change.Preferred {
		t.Errorf("what changes answers is offered as %+v", change)
	}
	// With a reason the comment holds the finding back.
	c.change("conf.d/portal.conf", c.texts["conf.d/portal.conf"], strings.Replace(ignore, "missing-nodelay \n", "missing-nodelay a queue is wanted\n", 1))
	if codes, _ := c.found("conf.d/portal.conf"); slices.Contains(codes, "missing-nodelay") || slices.Contains(codes, "suppression") {
		t.Errorf("in spite of the comment: %v", codes)
	}
}

func TestFixAll(t *testing.T) {
	c := start(t, `
-- nginx.conf --
events {}
http {
    limit_req_zone $binary_remote_addr zone=per_ip:10m rate=50r/s;
    limit_req_status 429;
    server {
        listen 8080;
        # 🗻 ü
        location / {
            limit_req zone=per_ip nodelay;
            proxy_pass http://10.0.0.1;
        }
        include more.conf;
    }
}
-- more.conf --
location /b/ {
    limit_req zone=per_ip burst=5 delay=7;
    proxy_pass http://10.0.0.1;
}
`)
	c.open("nginx.conf")
	var actions []codeAction
	params := map[string]any{
		"textDocument": map[string]any{"uri": c.uri("nginx.conf")}, "range": textRange{},
		"context": map[string]any{"diagnostics": []any{}, "only": []string{"source.fixAll"}},
	}
	c.must("textDocument/codeAction", params, &actions)
	if len(actions) != 1 || actions[0].Kind != kindFixOurs || actions[0].Edit != nil {
		t.Fatalf("offered: %+v", actions)
	}
	var whole codeAction
	c.must("codeAction/resolve", actions[0], &whole)
	after := c.applied(whole.Edit)
	if !strings.Contains(after["nginx.conf"], "limit_req zone=per_ip;") || len(after) != 2 {
		t.Errorf("mended: %v", after)
	}
}

package load

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
)

// edit replaces the first text of a file of the input.
func edit(t *testing.T, in *Input, name, old, now string) source.Edit {
	t.Helper()
	for _, d := range in.Documents {
		if i := strings.Index(d.File.Text, old); i >= 0 && strings.HasSuffix(d.File.Path, name) {
			return source.Edit{Span: source.Span{File: d.File, Start: uint32(i), End: uint32(i + len(old))}, Text: now}
		}
	}
	t.Fatalf("no %q in %s", old, name)
	return source.Edit{}
}

// followed lists the texts of all files in nginx's order, from Main on.
func followed(in *Input) []string {
	texts := []string{in.Main.File.Text}
	var visit func(list []syntax.Directive)
	visit = func(list []syntax.Directive) {
		for i := range list {
			for _, doc := range in.Includes(&list[i]) {
				texts = append(texts, doc.File.Text)
				visit(doc.Directives)
			}
			if list[i].Block != nil {
				visit(list[i].Block.Directives)
			}
		}
	}
	visit(in.Main.Directives)
	return texts
}

// TestEdited has edited files read anew, the others kept, and every include lead where it did.
func TestEdited(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"nginx.conf":  "events {}\nhttp {\n    include zones.conf;\n    server { listen 80; include loc.conf; include loc.conf; }\n}\n",
		"zones.conf":  "limit_req_zone $binary_remote_addr zone=a:1m rate=5r/s;\n",
		"loc.conf":    "location / { include limits.conf; }\n",
		"limits.conf": "limit_req zone=a burst=5;\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	inputs, err := Load([]string{filepath.Join(dir, "nginx.conf")}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	in := inputs[0]
	was := strings.Join(followed(in), "")
	out, err := in.Edited([]source.Edit{
		edit(t, in, "limits.conf", "burst=5", "burst=50 nodelay"),
		edit(t, in, "zones.conf", "rate=5r/s", "rate=9r/s"),
		edit(t, in, "zones.conf", "limit_req_zone", "map $uri $k { default 1; }\nlimit_req_zone"),
		edit(t, in, "nginx.conf", "listen 80", "listen 81"),
	})
	if err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer("burst=5;", "burst=50 nodelay;", "rate=5r/s", "rate=9r/s", "limit_req_zone", "map $uri $k { default 1; }\nlimit_req_zone", "listen 80", "listen 81").Replace(was)
	if got := strings.Join(followed(out), ""); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if got := strings.Join(followed(in), ""); got != was {
		t.Errorf("the input itself has changed:\n%s", got)
	}
	if len(out.Documents) != len(in.Documents) || out.Main != out.Documents[0] || !out.Complete() {
		t.Errorf("%d documents", len(out.Documents))
	}
	for i, d := range out.Documents {
		if kept := d == in.Documents[i]; kept != strings.HasSuffix(d.File.Path, "loc.conf") {
			t.Errorf("%s kept: %t", d.File.Path, kept)
		}
	}
}

// TestEditedRefuses has each edit that cannot be made named.
func TestEditedRefuses(t *testing.T) {
	load := func(t *testing.T, text string) *Input {
		t.Helper()
		inputs, err := Load([]string{"-"}, Options{Stdin: strings.NewReader(text)})
		if err != nil {
			t.Fatal(err)
		}
		return inputs[0]
	}
	dump := "# configuration file /etc/nginx/nginx.conf:\nevents {}\nhttp { include a.conf; }\n\n# configuration file /etc/nginx/a.conf:\nserver { listen 80; }\n"
	in, other := load(t, dump), load(t, dump)
	for _, c := range []struct {
		name  string
		edits []source.Edit
		want  string
	}{
		{"overlap", []source.Edit{edit(t, in, "a.conf", "listen 80", "listen 81"), edit(t, in, "a.conf", "80", "82")}, "overlaps another one"},
		{"foreign", []source.Edit{edit(t, other, "a.conf", "80", "81")}, "none of the input"},
		{"an include less", []source.Edit{edit(t, in, "nginx.conf", "include a.conf;", "")}, "changes which files are included"},
		{"another include", []source.Edit{edit(t, in, "nginx.conf", "a.conf", "b.conf")}, "changes which files are included"},
		{"broken", []source.Edit{edit(t, in, "a.conf", "}", "")}, "can no longer be read"},
		{"outside", []source.Edit{{Span: source.Span{File: in.Main.File, Start: 1, End: 1 << 20}}}, "lies outside"},
	} {
		if _, err := in.Edited(c.edits); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	twice, err := in.Edited([]source.Edit{edit(t, in, "nginx.conf", "include a.conf;", "include a.conf; include a.conf;")})
	if err != nil || strings.Count(strings.Join(followed(twice), ""), "listen 80") != 2 {
		t.Errorf("an include that is there already leads where it did: %v", err)
	}
	out, err := in.Edited([]source.Edit{edit(t, in, "a.conf", "80", "81")})
	if err != nil || !strings.Contains(strings.Join(followed(out), ""), "listen 81") {
		t.Errorf("%v", err)
	}
}

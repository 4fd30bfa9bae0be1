package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// hostile are texts that mean something to one format, build log, shell or terminal or another.
var hostile = []string{
	"with space", "::error file=x::boom", "%0A::error::x", "##[error]x", "<script>alert(1)</script>", "]]><x>&amp;", "\u202etxt", "\u2066a\u2069", "\u200fmark\u200e",
	"pipe|`tick`*_[x](y)", "comma,colon:", "bad\xff\xfeutf", "\x1b[31mred\x1b]0;t\x07", "\u009b1m", "-->", "=cmd()", "two\nlines", "return\rhome", "ünïcode😀",
}

// hostileSite is a folder with a configuration whose names, of files, servers, locations and zones, are such texts; args
// are what each command is asked with there. Rate is that of the limits.
func hostileSite(t *testing.T, rate int) string {
	t.Helper()
	dir := t.TempDir()
	var main strings.Builder
	main.WriteString("events {}\nhttp {\n")
	for i, text := range hostile {
		name := filepath.Join(dir, strings.ReplaceAll(text, "/", "_")+".part")
		quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text)
		part := fmt.Sprintf("limit_req_zone $binary_remote_addr \"zone=z%s:10m\" rate=%dr/s;\nserver {\n listen 80;\n server_name \"n%d%s\";\n"+
			" location \"/%s\" { limit_req \"zone=z%s\" burst=5; limit_req zone=absent; proxy_pass \"http://b%d/%s\"; }\n location / { limit_req \"zone=z%s\" burst=2; }\n}\n",
			quoted, rate*(i+1), i, quoted, quoted, quoted, i, quoted, quoted)
		if err := os.WriteFile(name, []byte(part), 0o600); err != nil {
			t.Skipf("the file system does not take %q: %v", name, err)
		}
	}
	main.WriteString(" include *.part;\n}\n")
	edge := `{"phase":"http_ratelimit","rules":[{"description":"` + strings.ReplaceAll(`<script>::error::\u202e\u001b[31m`, `"`, "") + `","expression":"(http.request.uri.path contains \"/\")","action":"block",` +
		`"ratelimit":{"characteristics":["ip.src","cf.colo.id"],"period":10,"requests_per_period":2,"mitigation_timeout":10}}]}`
	var log strings.Builder
	for i, text := range hostile {
		line, err := json.Marshal(map[string]any{
			"time": fmt.Sprintf("2026-03-02T08:00:%02dZ", i), "ip": "203.0.113.7", "request": "GET /" + text + " HTTP/1.1", "status": 503, "rt": 0.1, "limit": "REJECTED", "agent": text,
		})
		if err != nil {
			t.Fatal(err)
		}
		log.Write(append(line, '\n'))
	}
	for name, text := range map[string]string{"nginx.conf": main.String(), "rules.json": edge, "access.log": log.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// asked are the arguments of every command that has formats, by its path. A command that is missing here fails the test.
var asked = map[string][]string{
	"check":      {"nginx.conf"},
	"diff":       {"old/nginx.conf", "nginx.conf"},
	"edge check": {"rules.json", "--origin", "nginx.conf"},
	"explain":    {"nginx.conf", "http://n4<script>alert(1)</script>/<script>x"},
	"fans":       nil,
	"proxies":    nil,
	"replay":     {"nginx.conf", "access.log", "--log-format", "json"},
	"rules":      nil,
	"simulate":   {"nginx.conf", "--edge", "rules.json"},
	"tune":       {"nginx.conf", "access.log", "--log-format", "json"},
}

// wellFormed says of formats that machines read what makes them whole.
var wellFormed = map[string]func(string) error{
	"json": anyJSON, "sarif": anyJSON, "gitlab": anyJSON,
	"checkstyle": anyXML, "junit": anyXML,
	"csv": func(out string) error { _, err := csv.NewReader(strings.NewReader(out)).ReadAll(); return err },
}

func anyJSON(out string) error {
	if !json.Valid([]byte(out)) {
		return errors.New("no JSON")
	}
	return nil
}

func anyXML(out string) error {
	for d := xml.NewDecoder(strings.NewReader(out)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// Whatever a configuration calls its files, servers, locations and zones, no command writes anything in any of its formats
// that steers a terminal or the direction of text, is a command of a build log, or is markup.
func TestHostileNamesInEveryCommand(t *testing.T) {
	dir, before := hostileSite(t, 5), hostileSite(t, 2)
	if err := os.Rename(before, filepath.Join(dir, "old")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	t.Setenv("NO_COLOR", "1")
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			walk(sub)
		}
		flag := c.Flags().Lookup("format")
		if flag == nil {
			return
		}
		path := strings.TrimPrefix(c.CommandPath(), "ngxlimit ")
		args, ok := asked[path]
		if !ok {
			t.Errorf("nobody says how %s is asked", path)
			return
		}
		for format := range strings.SplitSeq(flag.Value.Type(), "|") {
			t.Run(path+" "+format, func(t *testing.T) {
				var out, errs bytes.Buffer
				status := Main(append(append(strings.Fields(path), args...), "--format", format), strings.NewReader(""), &out, &errs)
				if status > exitFound {
					t.Fatalf("status %d: %s", status, &errs)
				}
				if out.Len() == 0 {
					t.Error("nothing was written")
				}
				if named := path == "check" || path == "diff"; named && !strings.Contains(out.String(), "script") {
					t.Errorf("the names do not come up in it:\n%.2000s", &out)
				}
				harmless(t, "the complaints", "text", errs.String())
				harmless(t, "the report", format, out.String())
				if check := wellFormed[format]; check != nil {
					if err := check(out.String()); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	walk(newRoot(&app{}))
}

// harmless holds that a text does nothing but be read.
func harmless(t *testing.T, what, format, out string) {
	t.Helper()
	if !utf8.ValidString(out) {
		t.Errorf("%s: not UTF-8", what)
	}
	for i, r := range out {
		steers := r < ' ' && r != '\n' && (r != '\t' || format == "text") || r >= 0x7f && r < 0xa0 || r == 0x61c || r == 0x200e || r == 0x200f ||
			r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
		if steers {
			t.Fatalf("%s: %q in %q", what, r, out[max(0, i-40):min(len(out), i+40)])
		}
	}
	for line := range strings.Lines(out) {
		bare := strings.TrimLeft(line, " \t")
		if format != "github" && strings.HasPrefix(bare, "::") || format == "github" && strings.HasPrefix(bare, "::error file=x") || strings.HasPrefix(bare, "##[") {
			t.Fatalf("%s: a line is a command of a build log: %q", what, line)
		}
	}
	if (format == "html" || format == "markdown") && strings.Contains(out, "<script>alert(1)") {
		t.Errorf("%s: markup of the configuration", what)
	}
}

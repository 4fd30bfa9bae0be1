package config

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/load"
	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
)

// A verdict is what nginx said of a configuration.
type verdict struct {
	Accepted bool
	Message  string
	File     string
	Line     int
}

type corpusEntry struct {
	ID, Path, Entry string
	Nginx           verdict
	Completed       *verdict `json:"nginx_completed"`
	Files           []string
	Fragment        *struct {
		Context string
		verdict
	}
}

// corpus returns the entries of one part of the corpus.
func corpus(t *testing.T, part string) []corpusEntry {
	t.Helper()
	var raw map[string]json.RawMessage
	readJSON(t, nginxtest.Shared(t, "corpus", "MANIFEST.json"), &raw)
	var entries []corpusEntry
	if err := json.Unmarshal(raw[part], &entries); err != nil {
		t.Fatal(err)
	}
	return entries
}

// known are entries for which the first refusals differ, with the reason.
var known = map[string]string{
	"gonginx-issue-17":                 "a file is missing here that the judge had",
	"gonginx-nginx2":                   "the methods of events are not looked at",
	"web-embeddedperlminifyjs":         "a module was absent from the judge",
	"web-geoip":                        "a module was absent from the judge",
	"web-imapproxyexample":             "what mail's directives say to each other is not looked at",
	"web-phplist":                      "a file is missing here that the judge had",
	"admins-handbook":                  "a file is missing here that the judge had",
	"lua-058-tcp-socket-0":             "a module of others may define any variable",
	"lua-084-inclusive-receiveuntil-0": "a module of others may define any variable",
	"lua-084-inclusive-receiveuntil-3": "a module of others may define any variable",
}

// outside matches what depends on the machine, not on the configuration: files, users, host names, modules.
var outside = regexp.MustCompile(`^(open\(\)|getpwnam|getgrnam|dlopen|host not found in|cannot load certificate|MMDB_open|bind\(\)|module ".*" is already loaded|mkdir|pread)`)

// commercial matches what NGINX Plus has and the judge had not.
var commercial = regexp.MustCompile(`^invalid parameter "(slow_start|fail_timeout)=`)

// partly matches what is not refused of a fragment, because it may be defined around it.
var partly = regexp.MustCompile(`^(zero size shared memory zone|unknown log format|unknown ".*" variable)`)

// A tally counts agreement.
type tally struct{ same, all, known int }

// judge compares our first refusal with nginx's. What nginx accepts may not be refused, whatever the reason.
func (c *tally) judge(t *testing.T, id string, tree *Tree, v verdict) {
	t.Helper()
	c.all++
	r := refused(tree)
	switch diff := agree(r, v, tree.Input.Kind == load.Fragment); {
	case diff == "":
		c.same++
	case known[id] != "" && !v.Accepted:
		c.known++
	default:
		t.Errorf("%s (%s): %s", id, tree.Input.Kind, diff)
	}
}

// refused returns the first refusal that is no warning.
func refused(tree *Tree) *Refusal {
	for i := range tree.Refusals {
		if !tree.Refusals[i].Warning {
			return &tree.Refusals[i]
		}
	}
	return nil
}

func agree(r *Refusal, v verdict, fragment bool) string {
	switch {
	case v.Accepted && r == nil:
		return ""
	case v.Accepted:
		return "accepted by nginx, refused here: " + describe(r)
	case outside.MatchString(v.Message), commercial.MatchString(v.Message):
		return "" // nginx came no further
	case r == nil && fragment && partly.MatchString(v.Message):
		return ""
	case r == nil:
		return fmt.Sprintf("refused by nginx (%s:%d %s), accepted here", v.File, v.Line, v.Message)
	case r.Text == v.Message && r.Line == v.Line && (v.File == "" || strings.HasSuffix(r.Span.File.Path, v.File)):
		return ""
	case v.Message == `unknown directive "`+firstQuoted(r.Text)+`"` && r.Kind == DirectiveNotAllowed:
		return "" // a directive of mail or stream, which the judge had not
	}
	return fmt.Sprintf("nginx: %s:%d %s\n here: %s", v.File, v.Line, v.Message, describe(r))
}

func firstQuoted(text string) string {
	parts := strings.SplitN(text, `"`, 3)
	if len(parts) < 3 {
		return ""
	}
	return parts[1]
}

func describe(r *Refusal) string {
	path := ""
	if r.Span.File != nil {
		path = filepath.Base(r.Span.File.Path)
	}
	return fmt.Sprintf("%s:%d %s [%s]", path, r.Line, r.Text, r.Kind)
}

// Configurations of real projects: nothing is refused that nginx takes once its modules and its own files are there.
func TestCorpusConfigs(t *testing.T) {
	var c tally
	for _, e := range corpus(t, "configs") {
		dir, v := nginxtest.Shared(t, "corpus", e.Path), e.Nginx
		if e.Completed != nil || e.Fragment != nil {
			dir = completed(t, dir)
		}
		if e.Completed != nil {
			v = *e.Completed
		}
		inputs, err := load.Load([]string{filepath.Join(dir, e.Entry)}, load.Options{Prefix: dir})
		if err != nil || len(inputs) != 1 {
			continue // what is no configuration is not resolved
		}
		if inputs[0].Kind == load.Fragment {
			if e.Fragment == nil || strings.Join(inputs[0].Context, ",") != e.Fragment.Context {
				continue // another context was inferred than the one that was judged
			}
			v = e.Fragment.verdict
			v.File = ""
		}
		c.judge(t, e.ID, Resolve(inputs[0], Options{Version: "1.22.1"}), v)
	}
	t.Logf("%d of %d agree, %d differ for a known reason", c.same, c.all, c.known)
}

// completed copies a tree and adds the files that nginx's package brings, where the tree has none of its own.
func completed(t *testing.T, dir string) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"mime.types", "fastcgi_params", "fastcgi.conf", "uwsgi_params", "scgi_params", "proxy_params", "koi-utf", "koi-win", "win-utf"} {
		path := filepath.Join(to, name)
		if _, err := os.Stat(path); err == nil {
			continue
		}
		if err := os.WriteFile(path, []byte("# brought by nginx's package\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return to
}

// Malformed and refused inputs: the same verdict, in the same words, at the same line.
func TestCorpusBad(t *testing.T) {
	var c tally
	for _, e := range corpus(t, "bad") {
		if e.Path == "" || len(e.Files) == 0 {
			continue // too large to lie there
		}
		dir := nginxtest.Shared(t, "corpus", e.Path)
		inputs, err := load.Load([]string{filepath.Join(dir, e.Entry)}, load.Options{Prefix: dir})
		if err != nil || len(inputs) != 1 {
			continue
		}
		c.judge(t, e.ID, Resolve(inputs[0], Options{Version: "1.22.1"}), e.Nginx)
	}
	t.Logf("%d of %d agree, %d differ for a known reason", c.same, c.all, c.known)
}

// nginx's own test configurations with one character changed.
func TestMutations(t *testing.T) {
	f, err := os.Open(nginxtest.Shared(t, "corpus", "mutations.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	var c tally
	for lines.Scan() {
		var m struct {
			From, Kind, Text, Message string
			Accepted                  bool
			Line                      int
		}
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(m.Text, "max_headers") {
			continue // the judge had a later directive patched in
		}
		tree := resolveFile(&source.File{Path: "nginx.conf", Text: m.Text}, load.Tree, "1.22.1")
		c.judge(t, m.From+" "+m.Kind, tree, verdict{m.Accepted, m.Message, "", m.Line})
	}
	t.Logf("%d of %d agree", c.same, c.all)
}

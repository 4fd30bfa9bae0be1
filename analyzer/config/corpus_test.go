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

func corpus(t *testing.T) map[string][]corpusEntry {
	var raw map[string]json.RawMessage
	readJSON(t, nginxtest.Shared(t, "corpus", "MANIFEST.json"), &raw)
	out := map[string][]corpusEntry{}
	for _, part := range []string{"configs", "bad"} {
		var entries []corpusEntry
		if err := json.Unmarshal(raw[part], &entries); err != nil {
			t.Fatal(err)
		}
		out[part] = entries
	}
	return out
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

// outside matches what depends on the machine, not on the configuration: files, users, host names, modules.
var outside = regexp.MustCompile(`^(open\(\)|getpwnam|getgrnam|dlopen|host not found in|cannot load certificate|MMDB_open|bind\(\)|module ".*" is already loaded|mkdir|pread)`)

// agree compares our first refusal with nginx's.
func agree(tree *Tree, v verdict) string {
	r := refused(tree)
	switch {
	case v.Accepted && r == nil, !v.Accepted && r == nil && outside.MatchString(v.Message):
		return ""
	case v.Accepted:
		return fmt.Sprintf("accepted by nginx, refused here: %s", describe(r))
	case r == nil:
		return fmt.Sprintf("refused by nginx (%s:%d %s), accepted here", v.File, v.Line, v.Message)
	case r.Text == v.Message && r.Line == v.Line && (v.File == "" || strings.HasSuffix(r.Span.File.Path, v.File)):
		return ""
	case outside.MatchString(v.Message):
		return "" // nginx came no further
	}
	return fmt.Sprintf("nginx: %s:%d %s\n here: %s", v.File, v.Line, v.Message, describe(r))
}

func describe(r *Refusal) string {
	path := ""
	if r.Span.File != nil {
		path = filepath.Base(r.Span.File.Path)
	}
	return fmt.Sprintf("%s:%d %s [%s]", path, r.Line, r.Text, r.Kind)
}

// completed copies a tree and adds the files that nginx's package brings, where the tree has none of its own.
func completed(t *testing.T, dir string) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	stock := filepath.Join("testdata", "stock")
	files, err := os.ReadDir(stock)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		path := filepath.Join(to, f.Name())
		if _, err := os.Stat(path); err == nil {
			continue
		}
		text, err := os.ReadFile(filepath.Join(stock, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return to
}

func TestCorpusConfigs(t *testing.T) {
	same, all := 0, 0
	for _, e := range corpus(t)["configs"] {
		dir := nginxtest.Shared(t, "corpus", e.Path)
		v := e.Nginx
		if e.Completed != nil {
			v = *e.Completed
		}
		if e.Completed != nil || e.Fragment != nil {
			dir = completed(t, dir)
		}
		inputs, err := load.Load([]string{filepath.Join(dir, e.Entry)}, load.Options{Prefix: dir})
		if err != nil || len(inputs) != 1 {
			t.Logf("%s: %v, %d inputs", e.ID, err, len(inputs))
			continue
		}
		all++
		in := inputs[0]
		tree := Resolve(in, Options{Version: "1.22.1"})
		if in.Kind == load.Fragment {
			if e.Fragment == nil {
				t.Logf("%s: a fragment here (%v), %+v", e.ID, in.Context, v)
				continue
			}
			v = e.Fragment.verdict
			v.File = ""
		}
		if diff := agree(tree, v); diff != "" {
			t.Logf("%s (%s): %s", e.ID, in.Kind, diff)
			continue
		}
		same++
	}
	t.Logf("%d of %d agree", same, all)
}

func TestCorpusBad(t *testing.T) {
	same, all := 0, 0
	for _, e := range corpus(t)["bad"] {
		if e.Path == "" || len(e.Files) == 0 {
			continue
		}
		dir := nginxtest.Shared(t, "corpus", e.Path)
		inputs, err := load.Load([]string{filepath.Join(dir, e.Entry)}, load.Options{Prefix: dir})
		if err != nil || len(inputs) != 1 {
			t.Logf("%s: %v, %d inputs", e.ID, err, len(inputs))
			continue
		}
		all++
		if diff := agree(Resolve(inputs[0], Options{Version: "1.22.1"}), e.Nginx); diff != "" {
			t.Logf("%s: %s", e.ID, diff)
			continue
		}
		same++
	}
	t.Logf("%d of %d agree", same, all)
}

func TestMutations(t *testing.T) {
	f, err := os.Open(nginxtest.Shared(t, "corpus", "mutations.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	same, all := 0, 0
	for lines.Scan() {
		var m struct {
			From, Kind, Text, Message string
			Accepted                  bool
			Line                      int
			Table                     bool `json:"needs_directive_table"`
		}
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			t.Fatal(err)
		}
		all++
		tree := resolveFile(&source.File{Path: "nginx.conf", Text: m.Text}, load.Tree, "1.22.1")
		if diff := agree(tree, verdict{m.Accepted, m.Message, "", m.Line}); diff != "" {
			t.Logf("%s %s: %s", m.From, m.Kind, diff)
			continue
		}
		same++
	}
	t.Logf("%d of %d agree", same, all)
}

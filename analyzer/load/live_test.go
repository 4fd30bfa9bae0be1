package load

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
)

// dumpTree has the real nginx print a tree: standard output, and standard error.
func dumpTree(t *testing.T, binary, folder string) (out, stderr string) {
	t.Helper()
	cmd := exec.Command(binary, "-T", "-p", folder, "-c", filepath.Join(folder, "nginx.conf"), "-e", "stderr")
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr = &o, &e
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, e.String())
	}
	return o.String(), e.String()
}

// randomTree makes files of which nginx accepts the whole: odd names, all kinds of patterns, includes in all kinds of
// blocks, files without an end of line, comments like markers.
func randomTree(random *rand.Rand, folder string) []txtar.File {
	pick := func(of ...string) string { return of[random.IntN(len(of))] }
	names := []string{"a.conf", "b.conf", "B.conf", "10.conf", "9.conf", ".hidden.conf", "a-b.conf", "c d.conf", "é.conf", "[x].conf", "a.conf.bak", "z"}
	folders := []string{"conf.d", "conf.d2", "sites", "deep/er"}
	var files []txtar.File
	var paths []string
	seen := map[string]bool{}
	for range 3 + random.IntN(10) {
		path := pick(folders...) + "/" + pick(names...)
		if !seen[path] {
			seen[path] = true
			paths = append(paths, path)
		}
	}
	body := func(depth int) string {
		var b strings.Builder
		for range random.IntN(4) {
			switch random.IntN(6) {
			case 0:
				fmt.Fprintf(&b, "%s%s/%s:\n", markerHead, folder, pick("nowhere", "nginx.conf"))
			case 1:
				b.WriteString("\r\n\n# text\n")
			case 2:
				fmt.Fprintf(&b, "# \"unfinished {\n")
			case 3:
				fmt.Fprintf(&b, "add_header X \"a\n%s%s:\nb\";\n", markerHead, folder+"/conf.d/a.conf")
			case 4:
				b.WriteString("add_header\n X y; \n")
			case 5:
				if depth > 0 {
					fmt.Fprintf(&b, "include \"%s\";\n", strings.ReplaceAll(paths[random.IntN(depth)], "[", `?`))
				}
			}
		}
		text := b.String()
		if random.IntN(3) == 0 {
			text = strings.TrimRight(text, "\n")
		}
		return text
	}
	for i, path := range paths { // files include only earlier ones, by their names, so that no circle arises
		text := body(i)
		if strings.HasSuffix(strings.TrimSpace(text), ":") && !strings.HasSuffix(text, "\n") {
			text += "\n" // a comment must not swallow what follows in a template
		}
		files = append(files, txtar.File{Name: path, Data: []byte(text)})
	}
	pattern := func() string {
		return pick("conf.d/*.conf", "conf.d*/*.conf", "*/[ab]*.conf", "sites/[!a]*", "con?.d/?.conf", "deep/*/*", "deep/er/[[:digit:]]*",
			"none/*", "conf.d/.h*", "./conf.d/*.conf", folder+"/sites/*", `conf.d/\[x\].conf`, "conf.d/[[]x].conf", "sites/[A-Z]*", "*/*-b*")
	}
	var main strings.Builder
	main.WriteString("pid nginx.pid;\nerror_log stderr;\nevents {}\nhttp {\n    access_log off;\n")
	for range 1 + random.IntN(5) {
		fmt.Fprintf(&main, strings.ReplaceAll(pick("    include %s;\n", "    server { listen unix:s; include %s; }\n", "    server { listen unix:s; location / { include '%s'; } }\n"), "unix:s", "unix:"+folder+"/s"), pattern())
	}
	main.WriteString("}\n")
	return append([]txtar.File{{Name: "nginx.conf", Data: []byte(main.String())}}, files...)
}

// TestLiveDumps: what nginx -T prints of a random tree, read back, is the tree as it is read from disk.
func TestLiveDumps(t *testing.T) {
	binary := nginxtest.Binary(t)
	random := nginxtest.Random(t)
	files, includes := 0, 0
	enough := func() bool { return files >= 40 && includes >= 20 }
	for range nginxtest.CasesUntil(t, 25, enough) {
		folder, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		plant(t, folder, randomTree(random, folder))
		tree, err := Load([]string{filepath.Join(folder, "nginx.conf")}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		out, stderr := dumpTree(t, binary, folder)
		text := []string{out, stderr + out, out + stderr}[random.IntN(3)]
		dump, err := Load([]string{"-"}, Options{Stdin: strings.NewReader(text)})
		if err != nil {
			t.Fatal(err)
		}
		if len(tree) != 1 || len(dump) != 1 || dump[0].Kind != Dump {
			t.Fatalf("%d trees, %d dumps", len(tree), len(dump))
		}
		checkBytes(t, text, dump)
		got, want := drawn(dump[0]), drawn(tree[0])
		files += len(tree[0].Documents)
		includes += strings.Count(want, " -> ")
		if got != want {
			t.Fatalf("the dump reads\n%s\nthe tree\n%s\nof\n%s", got, want, text)
		}
		if !tree[0].Complete() {
			t.Fatalf("incomplete: %s", describe(tree))
		}
	}
	if !enough() {
		t.Errorf("only %d files with %d includes", files, includes)
	}
}

// drawn writes the files of an input with their bytes and includes.
func drawn(in *Input) string {
	var b strings.Builder
	for _, doc := range in.Documents {
		fmt.Fprintf(&b, "%s %q\n", doc.File.Path, doc.File.Text)
		for _, inc := range includesOf(doc) {
			fmt.Fprintf(&b, "  %s", inc.name)
			for _, d := range in.Includes(inc.at) {
				b.WriteString(" -> " + d.File.Path)
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

// TestLiveRefusals: nginx names the same line and says the same of what cannot be opened.
func TestLiveRefusals(t *testing.T) {
	binary := nginxtest.Binary(t)
	if os.Geteuid() == 0 {
		t.Log("as the superuser: files without rights are not tried")
	}
	for _, text := range []string{
		"events {}\nhttp {\n  include gone.conf;\n}\n",
		"events {}\nhttp {\n  include\n   a/b/c.conf\n  ;\n}\n",
		"events {}\nhttp {\n  include nginx.conf/x;\n}\n",
		"events {}\nhttp {\n  include \"\";\n}\n",
		"events {}\nhttp { server { include " + strings.Repeat("long", 100) + "; } }\n",
	} {
		folder, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		plant(t, folder, []txtar.File{{Name: "nginx.conf", Data: []byte(text)}})
		inputs, err := Load([]string{filepath.Join(folder, "nginx.conf")}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		out, _ := exec.Command(binary, "-t", "-q", "-p", folder, "-c", filepath.Join(folder, "nginx.conf"), "-e", "stderr").CombinedOutput() // it refuses
		for _, p := range inputs[0].Problems {
			want := fmt.Sprintf("%s in %s:%d\n", p.Text, p.Span.File.Path, p.Line)
			if !strings.Contains(string(out), want) && !strings.Contains(string(out), p.Text+"\n") {
				t.Errorf("of %q nginx says\n%swe say\n%s", text, out, want)
			}
		}
		if len(inputs[0].Problems) == 0 {
			t.Errorf("no problem in %q; nginx says %s", text, out)
		}
	}
}

// TestExpand holds the patterns against a small tree.
func TestExpand(t *testing.T) {
	names := memoryTree{"a", "b.conf", ".c", "d/x.conf", "d/y", "d/.z.conf", "d2/x.conf", "e/f/g", "[q]", "a]", "-", "é"}
	for pattern, want := range map[string][]string{
		"*":            {"-", "[q]", "a", "a]", "b.conf", "d", "d2", "e", "é"},
		"*.conf":       {"b.conf"},
		".*":           {".c"},
		"?":            {"-", "a", "d", "e"},
		"d/*":          {"d/x.conf", "d/y"},
		"d*/x.conf":    {"d/x.conf", "d2/x.conf"},
		"*/*/*":        {"e/f/g"},
		"[a-b]*":       {"a", "a]", "b.conf"},
		"[!a-e]*":      {"-", "[q]", "é"},
		"[^a-e]*":      {"-", "[q]", "é"},
		"[]a]":         {"a"},
		"a[]]":         {"a]"},
		"[[:alpha:]]":  {"a", "d", "e"},
		"[[:alpha:]2]": {"a", "d", "e"},
		"d[[:digit:]]": {"d2"},
		`\[q\]`:        {"[q]"},
		"[[]q]":        {"[q]"},
		"[a":           nil,
		"d/":           nil,
		"*/x.conf":     {"d/x.conf", "d2/x.conf"},
		"gone*":        nil,
		"[.]c":         nil,
		"[--]":         {"-"},
	} {
		if got := (&globber{tree: names, left: maxLooked}).expand(pattern); !slices.Equal(got, want) {
			t.Errorf("%s matches %q, want %q", pattern, got, want)
		}
		for _, name := range names {
			if strings.HasSuffix(pattern, "/") {
				continue
			}
			if got := matchPath(pattern, name); got != slices.Contains(want, name) {
				t.Errorf("%s and %s: %v", pattern, name, got)
			}
		}
	}
}

// A memoryTree holds paths of files.
type memoryTree []string

func (m memoryTree) list(folder string) (names []string, err error) {
	for _, path := range m {
		rest, found := strings.CutPrefix(path, folder)
		name, _, _ := strings.Cut(rest, "/")
		if found && name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, nil
}

func (m memoryTree) exists(name string) (bool, error) {
	name = strings.TrimSuffix(name, "/.")
	return slices.ContainsFunc(m, func(path string) bool { return path == name || strings.HasPrefix(path, name+"/") }), nil
}

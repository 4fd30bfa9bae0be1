package load

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
)

func readJSON(t *testing.T, into any, elem ...string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(elem...))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
}

// TestCorpusDumps compares the cutting of what nginx 1.22.1 printed with where its files really were.
func TestCorpusDumps(t *testing.T) {
	folder := nginxtest.Shared(t, "corpus", "dumps")
	paths, err := filepath.Glob(filepath.Join(folder, "*.txt"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no dumps: %v", err)
	}
	type place struct {
		File           string
		Offset, Length int
	}
	for _, path := range paths {
		id := strings.TrimSuffix(filepath.Base(path), ".txt")
		t.Run(id, func(t *testing.T) {
			var want struct {
				Preamble string
				Files    []place
			}
			readJSON(t, &want, folder, id+".expected.json")
			inputs, err := Load([]string{path}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if len(inputs) != 1 || inputs[0].Kind != Dump {
				t.Fatalf("got %d inputs, the first one of kind %q", len(inputs), inputs[0].Kind)
			}
			in := inputs[0]
			if in.Preamble != want.Preamble {
				t.Errorf("preamble %q, want %q", in.Preamble, want.Preamble)
			}
			var got []place
			for _, doc := range in.Documents {
				got = append(got, place{doc.File.Path, int(doc.File.Base), len(doc.File.Text)})
			}
			if diff := cmp.Diff(want.Files, got); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
			for _, p := range in.Problems {
				if id == "dump-marker-last-line" && strings.Contains(p.Text, "two lines in a row") {
					continue // its bytes are those of another tree as well
				}
				t.Errorf("%s:%d: %s", p.Span.File.Path, p.Line, p.Text)
			}
		})
	}
}

// A corpusFile is a file of an expected reading.
type corpusFile struct {
	File       string
	Directives []corpusDirective
}

type corpusDirective struct {
	Name     string
	Spans    [][2]int
	Includes *[]string
	Block    []corpusDirective
}

// includesByOffset collects what each include leads to, by file and offset of its name.
func (f corpusFile) includesByOffset(directives []corpusDirective, into map[string]map[int][]string) {
	for _, d := range directives {
		if d.Name == "include" && d.Includes != nil {
			if into[f.File] == nil {
				into[f.File] = map[int][]string{}
			}
			into[f.File][d.Spans[0][0]] = *d.Includes
		}
		f.includesByOffset(d.Block, into)
	}
}

// TestCorpusTrees compares the files that are opened, and what each include leads to, with nginx 1.22.1.
func TestCorpusTrees(t *testing.T) {
	folder := nginxtest.Shared(t, "corpus", "configs")
	var manifest struct {
		Configs []struct {
			ID, Path, Entry string
			Grammar         json.RawMessage
		}
	}
	readJSON(t, &manifest, filepath.Dir(folder), "MANIFEST.json")
	var trees, includes int
	for _, c := range manifest.Configs {
		var want struct {
			Order []string
			Files []corpusFile
		}
		readJSON(t, &want, folder, c.ID+".expected.json")
		main := filepath.Join(filepath.Dir(folder), c.Path, c.Entry)
		prefix := filepath.Join(filepath.Dir(folder), c.Path) + "/"
		inputs, err := Load([]string{main}, Options{Version: "1.22.1", MapPath: map[string]string{"/etc/nginx": filepath.Dir(prefix)}})
		if err != nil {
			t.Logf("%s: %v", c.ID, err)
			continue
		}
		trees++
		in := inputs[0]
		if got := names(in, in.Main, prefix, nil); !slices.Equal(got, want.Order) && string(c.Grammar) == `"ok"` {
			t.Errorf("%s: opened\n%q, want\n%q", c.ID, got, want.Order)
		}
		leads := map[string]map[int][]string{}
		for _, f := range want.Files {
			f.includesByOffset(f.Directives, leads)
		}
		for _, doc := range in.Documents {
			for _, inc := range includesOf(doc) {
				expected, judged := leads[within(prefix, doc)][int(inc.at.Name().Start)]
				if !judged {
					continue
				}
				includes++
				var got []string
				for _, d := range in.Includes(inc.at) {
					got = append(got, within(prefix, d))
				}
				if c.ID == "gocrossplane-includes-cycle-invalid" && got == nil {
					continue // the include that leads back is a problem of its own
				}
				if !slices.Equal(got, expected) {
					t.Errorf("%s: %s: include %s leads to %q, want %q", c.ID, doc.File.Path, inc.name, got, expected)
				}
			}
		}
	}
	if trees < 200 || includes < 100 {
		t.Errorf("only %d trees with %d includes were judged", trees, includes)
	}
	t.Logf("%d trees, %d includes", trees, includes)
}

// names returns the files in the order in which nginx opens them, one for each include.
func names(in *Input, doc *syntax.Document, prefix string, list []string) []string {
	list = append(list, within(prefix, doc))
	for _, inc := range includesOf(doc) {
		for _, d := range in.Includes(inc.at) {
			list = names(in, d, prefix, list)
		}
	}
	return list
}

// TestCorpusBadIncludes compares the place and words of what cannot be included with nginx 1.22.1.
func TestCorpusBadIncludes(t *testing.T) {
	folder := nginxtest.Shared(t, "corpus", "bad")
	var manifest struct {
		Bad []struct {
			ID, Path, Entry string
			Nginx           struct {
				Message, File string
				Line          int
			}
		}
	}
	readJSON(t, &manifest, filepath.Dir(folder), "MANIFEST.json")
	judged := 0
	for _, c := range manifest.Bad {
		if !strings.HasPrefix(c.Nginx.Message, "open()") && !strings.HasPrefix(c.Nginx.Message, "pread()") {
			continue
		}
		judged++
		path := filepath.Join(filepath.Dir(folder), c.Path)
		inputs, err := Load([]string{filepath.Join(path, "nginx.conf")}, Options{Version: "1.22.1"})
		if err != nil {
			t.Fatal(err)
		}
		if len(inputs[0].Problems) == 0 {
			t.Errorf("%s: no problem", c.ID)
			continue
		}
		p := inputs[0].Problems[0]
		text := strings.ReplaceAll(p.Text, path+"/", "")
		file := strings.TrimPrefix(p.Span.File.Path, path+"/")
		if !strings.HasPrefix(text, c.Nginx.Message) || c.Nginx.Line > 0 && (p.Line != c.Nginx.Line || file != c.Nginx.File) {
			t.Errorf("%s: %s:%d: %s, want %s:%d: %s", c.ID, file, p.Line, text, c.Nginx.File, c.Nginx.Line, c.Nginx.Message)
		}
	}
	if judged < 5 {
		t.Errorf("only %d of them were judged", judged)
	}
}

// within returns a file's path within the folder of its configuration.
func within(prefix string, doc *syntax.Document) string {
	name := strings.TrimPrefix(strings.TrimPrefix(doc.File.Path, prefix), "/etc/nginx/")
	return path.Clean(name)
}

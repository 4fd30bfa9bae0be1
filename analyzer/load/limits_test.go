package load

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
)

// loadFiles plants files and loads the first.
func loadFiles(t *testing.T, o Options, files ...txtar.File) *Input {
	t.Helper()
	folder := t.TempDir()
	plant(t, folder, files)
	inputs, err := Load([]string{filepath.Join(folder, files[0].Name)}, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(inputs) != 1 {
		t.Fatalf("%d inputs", len(inputs))
	}
	return inputs[0]
}

func text(name, data string) txtar.File { return txtar.File{Name: name, Data: []byte(data)} }

// expanded counts the files that following the includes opens.
func expanded(in *Input) int {
	counts := map[*syntax.Document]int{}
	var count func(doc *syntax.Document) int
	count = func(doc *syntax.Document) int {
		if n, done := counts[doc]; done {
			return n
		}
		n := 1
		for _, inc := range includesOf(doc) {
			for _, d := range in.Includes(inc.at) {
				n += count(d)
			}
		}
		counts[doc] = n
		return n
	}
	return count(in.Main)
}

// TestBounds: what a few lines of includes come to is bounded, and said.
func TestBounds(t *testing.T) {
	many := loadFiles(t, Options{},
		text("nginx.conf", "events {}\nhttp {\n"+strings.Repeat("include a.conf;\n", 1_000_000)+"}\n"), text("a.conf", "# a\n"))
	if n := expanded(many); n > maxOpened || n < maxOpened/2 || len(many.Problems) != 1 || !strings.Contains(many.Problems[0].Text, "500000 files") {
		t.Errorf("a million includes: %d opened, problems %v", n, many.Problems)
	}

	var files []txtar.File
	files = append(files, text("nginx.conf", "events {}\ninclude 0;\n"))
	for i := range 60 {
		files = append(files, text(fmt.Sprint(i), strings.Repeat(fmt.Sprintf("include %d;\n", i+1), 2)))
	}
	files = append(files, text("60", "# end\n"))
	doubled := loadFiles(t, Options{}, files...)
	if n := expanded(doubled); n > maxOpened || len(doubled.Problems) == 0 {
		t.Errorf("includes doubled sixty times: %d opened, problems %v", n, doubled.Problems)
	}

	files = files[:1]
	for i := range maxDepth + 9 {
		files = append(files, text(fmt.Sprint(i), fmt.Sprintf("include %d;\n", i+1)))
	}
	deep := loadFiles(t, Options{}, files...)
	if n := expanded(deep); n != maxDepth || len(deep.Problems) != 1 || !strings.Contains(deep.Problems[0].Text, "(24: Too many open files)") {
		t.Errorf("a chain of %d includes: %d opened, problems %v", maxDepth+9, n, deep.Problems)
	}

	large := loadFiles(t, Options{},
		text("nginx.conf", "events {}\nhttp {\n"+strings.Repeat("include a.conf;\n", 1000)+"}\n"), text("a.conf", strings.Repeat("#\n", 1<<20)))
	if n := expanded(large); n*2<<20 > maxBytes+4<<20 || len(large.Problems) != 1 || !strings.Contains(large.Problems[0].Text, "512 MiB") {
		t.Errorf("a thousand includes of 2 MiB: %d opened, problems %v", n, large.Problems)
	}

	missing := loadFiles(t, Options{}, text("nginx.conf", "events {}\n"+strings.Repeat("include gone;\n", 5000)))
	if len(missing.Problems) != maxProblems {
		t.Errorf("%d problems", len(missing.Problems))
	}
}

// TestHostileDumps: reading a dump ends soon and leaves no byte out, whatever its lines look like. The test's own time
// limit is the bound.
func TestHostileDumps(t *testing.T) {
	var inside, plausible, quotes strings.Builder
	inside.WriteString(markerHead + "/n.conf:\nevents {}\nhttp {\ninclude *.c;\n")
	plausible.WriteString(markerHead + "/n.conf:\nevents {}\nhttp { include *.c; }\n")
	quotes.WriteString(markerHead + "/n.conf:\nevents {}\nhttp { include *.c; }\n")
	for i := range 20_000 {
		fmt.Fprintf(&inside, "%s/%d.c:\n", markerHead, i%1000)
		fmt.Fprintf(&plausible, "gzip on;\n%s/%d.c:\n", markerHead, i%100)
		fmt.Fprintf(&quotes, "a \"\n%s/%d.c:\n", markerHead, i)
	}
	for name, dump := range map[string]string{"inside": inside.String() + "}\n", "plausible": plausible.String(), "quotes": quotes.String()} {
		inputs, err := Load([]string{"-"}, Options{Stdin: strings.NewReader(dump)})
		if err != nil || len(inputs) != 1 {
			t.Fatalf("%s: %v", name, err)
		}
		checkBytes(t, dump, inputs)
	}
}

// endless is a stream without end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	return copy(p, strings.Repeat("# no end\n", len(p)/9+1)), nil
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("the pipe broke") }

func TestReadErrors(t *testing.T) {
	if n, err := readAll(endless{}, 1<<20); err == nil {
		t.Errorf("read %d bytes of a stream without end", len(n))
	}
	folder := t.TempDir()
	sparse := filepath.Join(folder, "sparse.conf")
	file, err := os.Create(sparse)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(file.Truncate(maxText+1), file.Close()); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(folder, "binary.conf")
	if err := os.WriteFile(binary, []byte("\x7fELF\x02\x01\x01\x00\x00limit_req;"), 0o600); err != nil {
		t.Fatal(err)
	}
	wide := filepath.Join(folder, "wide.conf")
	if err := os.WriteFile(wide, []byte("\xff\xfee\x00v\x00e\x00n\x00t\x00s\x00 \x00{\x00}\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path string
		o    Options
		want string
	}{
		{"-", Options{}, "read standard input: there is none"},
		{"-", Options{Stdin: failing{}}, "read standard input: the pipe broke"},
		{"-", Options{Stdin: strings.NewReader("")}, "read standard input: it is empty"},
		{sparse, Options{}, "is larger than 1024 MiB"},
		{binary, Options{}, "no configuration: the file is a program"},
		{wide, Options{}, "UTF-16"},
		{folder, Options{Root: filepath.Join(folder, "gone")}, "no such file or directory"},
		{folder, Options{Context: []string{"http", "cellar"}}, `read context http,cellar: no block "cellar" in http`},
		{folder, Options{Version: "new"}, `read version "new"`},
		{filepath.Join(folder, "gone"), Options{}, "no such file or directory"},
	} {
		_, err := Load([]string{c.path}, c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want %q", c.path, err, c.want)
		}
	}
}

// TestStdin: a single file of standard input has no folder for relative includes.
func TestStdin(t *testing.T) {
	read := func(o Options, text string) *Input {
		t.Helper()
		o.Stdin = strings.NewReader(text)
		inputs, err := Load([]string{"-"}, o)
		if err != nil {
			t.Fatal(err)
		}
		return inputs[0]
	}
	in := read(Options{}, "events {}\ninclude load.go;\ninclude *.go;\n")
	if len(in.Documents) != 1 || len(in.Problems) != 2 || !strings.Contains(in.Problems[0].Text, "standard input has no folder") {
		t.Error(describe([]*Input{in}))
	}
	if in.Kind != Tree || in.Path != "-" || in.Main.File.Disk != "" {
		t.Error(describe([]*Input{in}))
	}
	folder := t.TempDir()
	plant(t, folder, []txtar.File{text("a.conf", "gzip on;\n")})
	if in := read(Options{Prefix: folder}, "server { include a.conf; }\n"); len(in.Documents) != 2 || !in.Complete() || in.Kind != Fragment {
		t.Error(describe([]*Input{in}))
	}
	if in := read(Options{}, byteOrderMark+nginxDump([]namedText{{"/n.conf", "events {}\n"}})); in.Kind != Dump || in.Preamble != byteOrderMark {
		t.Error(describe([]*Input{in}))
	}
	if in := read(Options{}, "user www;\n"+markerHead+"/etc/nginx/x.conf:\nevents {}\n"); in.Kind != Tree {
		t.Errorf("a main file with a comment that looks like a marker: %s", describe([]*Input{in}))
	}
}

package load

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
)

var update = flag.Bool("update", false, "write the expectations of testdata anew; commit only what is understood")

// describe draws inputs as text: every file with what it includes, then the problems.
func describe(inputs []*Input) string {
	var b strings.Builder
	for _, in := range inputs {
		fmt.Fprintf(&b, "%s %s", in.Kind, in.Path)
		if in.Context != nil {
			fmt.Fprintf(&b, " in %s", strings.Join(in.Context, ","))
		}
		if !in.Complete() {
			b.WriteString(" (incomplete)")
		}
		b.WriteString("\n")
		if in.Preamble != "" {
			fmt.Fprintf(&b, "  preamble %q\n", in.Preamble)
		}
		for _, doc := range in.Documents {
			fmt.Fprintf(&b, "  %s: %d lines, %d bytes, %d directives\n", doc.File.Path, doc.File.Lines(), len(doc.File.Text), len(doc.Directives))
			for _, inc := range includesOf(doc) {
				fmt.Fprintf(&b, "    %d: %s ->", doc.File.Position(inc.at.Name().Start).Line, inc.name)
				for _, d := range in.Includes(inc.at) {
					b.WriteString(" " + d.File.Path)
				}
				b.WriteString("\n")
			}
			for _, e := range doc.Errors {
				fmt.Fprintf(&b, "    error %d: %s\n", e.Line, e.Text)
			}
		}
		for _, p := range in.Problems {
			fmt.Fprintf(&b, "  problem %s:%d: %s\n    %q\n", p.Span.File.Path, p.Line, p.Text, p.Span.Text())
		}
	}
	return b.String()
}

// TestDumps reads the dumps of testdata: the archive's file "dump" and what becomes of it in "want". A line that ends
// with \r in the archive is written as ␍.
func TestDumps(t *testing.T) {
	paths, err := filepath.Glob("testdata/dumps/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no dumps: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			text := strings.ReplaceAll(string(section(t, archive, "dump").Data), "␍", "\r")
			inputs, err := Load([]string{"-"}, Options{Stdin: strings.NewReader(text)})
			if err != nil {
				t.Fatal(err)
			}
			checkBytes(t, text, inputs)
			compare(t, path, archive, describe(inputs))
		})
	}
}

func section(t *testing.T, archive *txtar.Archive, name string) *txtar.File {
	t.Helper()
	i := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == name })
	if i < 0 {
		t.Fatalf("the archive has no file %s", name)
	}
	return &archive.Files[i]
}

// compare compares with the file "want" of the archive, or writes it.
func compare(t *testing.T, path string, archive *txtar.Archive, got string) {
	t.Helper()
	want := section(t, archive, "want")
	if string(want.Data) == got {
		return
	}
	if !*update {
		t.Errorf("got\n%s\nwant\n%s", got, want.Data)
		return
	}
	want.Data = []byte(got)
	if err := os.WriteFile(path, txtar.Format(archive), 0o600); err != nil {
		t.Fatal(err)
	}
}

// checkBytes proves that each byte of a dump is in one file, is a marker, is the newline behind a file, or is in the
// preamble, and that the places of all files are right.
func checkBytes(t testing.TB, text string, inputs []*Input) {
	t.Helper()
	type piece struct{ from, to int }
	var pieces []piece
	rest := 0
	for _, in := range inputs {
		rest += len(in.Preamble)
		for _, doc := range in.Documents {
			from := int(doc.File.Base)
			to := from + len(doc.File.Text)
			if to > len(text) || text[from:to] != doc.File.Text {
				t.Fatalf("%s is not what the dump has at %d", doc.File.Path, from)
			}
			pieces = append(pieces, piece{from, to})
		}
	}
	slices.SortFunc(pieces, func(a, b piece) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	between := 0
	at := 0
	for i, p := range pieces {
		if p.from < at {
			t.Fatalf("two files share bytes from %d on", p.from)
		}
		between += outside(t, text[at:p.from], i > 0)
		at = p.to
	}
	between += outside(t, text[at:], len(pieces) > 0)
	if between != rest {
		t.Fatalf("%d bytes lie outside of files and markers, the preambles have %d", between, rest)
	}
}

var markerLine = regexp.MustCompile(`^(?:` + byteOrderMark + `)?` + markerHead + `(?s:.+):\r?\n?$`)

// outside counts the bytes between two files without the newline behind the first and the marker of the second.
func outside(t testing.TB, gap string, behind bool) (n int) {
	t.Helper()
	if behind {
		gap = strings.TrimPrefix(strings.TrimPrefix(gap, "\r"), "\n")
	}
	for line := range strings.Lines(gap) {
		if !markerLine.MatchString(line) {
			n += len(line)
		}
	}
	if strings.HasPrefix(gap, byteOrderMark+markerHead) {
		n += len(byteOrderMark)
	}
	return n
}

// nginxDump writes files as nginx -T does.
func nginxDump(files []namedText) string {
	var b strings.Builder
	for _, f := range files {
		fmt.Fprintf(&b, "%s%s:\n%s\n", markerHead, f.path, f.text)
	}
	return b.String()
}

type namedText struct{ path, text string }

// TestDumpProperty makes trees, dumps them as nginx would, and reads the dumps back: the same files with the same
// bytes, the same includes, and no problem.
func TestDumpProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		files := drawTree(t)
		text := nginxDump(files)
		if rapid.Bool().Draw(t, "merged") {
			text = "nginx: the configuration file /etc/nginx/nginx.conf syntax is ok\nnginx: configuration file /etc/nginx/nginx.conf test is successful\n" + text
		}
		trimmed := rapid.Bool().Draw(t, "trimmed")
		if trimmed {
			text = strings.TrimSuffix(text, "\n")
		}
		inputs, err := Load([]string{"-"}, Options{Stdin: strings.NewReader(text)})
		if err != nil {
			t.Fatal(err)
		}
		if len(inputs) != 1 || inputs[0].Kind != Dump {
			t.Fatalf("got %s", describe(inputs))
		}
		var got []namedText
		for _, doc := range inputs[0].Documents {
			got = append(got, namedText{doc.File.Path, doc.File.Text})
		}
		want := slices.Clone(files)
		if trimmed { // whether the last file ended with a newline can no longer be told
			last := &want[len(want)-1]
			last.text = strings.TrimRight(last.text, "\n")
			got[len(got)-1].text = strings.TrimRight(got[len(got)-1].text, "\n")
		}
		if !slices.Equal(got, want) {
			t.Fatalf("got %q\nwant %q", got, want)
		}
		if !inputs[0].Complete() {
			t.Fatalf("incomplete: %s", describe(inputs))
		}
	})
}

// drawTree draws a tree of files in the order in which nginx opens them. Comments in it look like markers, of files
// that no include leads to, or of such as were there before.
func drawTree(t *rapid.T) []namedText {
	var files []namedText
	seen := map[string]bool{}
	var file func(path string, number int)
	file = func(path string, number int) {
		if seen[path] {
			return
		}
		seen[path] = true
		place := len(files)
		files = append(files, namedText{path: path})
		var b strings.Builder
		var inside []string
		for range rapid.IntRange(0, 4).Draw(t, "pieces") {
			switch rapid.IntRange(0, 6).Draw(t, "piece") {
			case 0:
				b.WriteString("# a comment\n")
			case 1:
				fmt.Fprintf(&b, "%s/etc/nginx/elsewhere.conf:\n", markerHead)
			case 2:
				fmt.Fprintf(&b, "map $a $b {\n%s%s:\n    x y;\n}\n", markerHead, path)
			case 3:
				fmt.Fprintf(&b, "log_format f 'a\n%s/etc/nginx/conf.d/zz.conf:\nb';\n", markerHead)
			case 4:
				if number < 9 { // only files of higher numbers are included, so that none leads back
					name := fmt.Sprintf("inc/%d.conf", rapid.IntRange(number+1, 9).Draw(t, "include"))
					fmt.Fprintf(&b, "include %s;\n", name)
					inside = append(inside, "/etc/nginx/"+name)
				}
			case 5:
				b.WriteString("server {\r\n    listen 80;\r\n}\r\n")
			case 6:
				b.WriteString("etag on;\n\n")
			}
		}
		text := b.String()
		if rapid.IntRange(0, 3).Draw(t, "end") == 0 {
			text = strings.TrimSuffix(text, "\n")
		}
		if path == "/etc/nginx/nginx.conf" {
			text = "events {}\nhttp {\n" + text + "\n}\n"
		}
		files[place].text = text
		for _, name := range inside {
			file(name, int(name[len(name)-len("0.conf")]-'0'))
		}
	}
	file("/etc/nginx/nginx.conf", -1)
	return files
}

// FuzzSplit: no panic, the files are where they are said to be, every byte has its place, and following the includes
// ends.
func FuzzSplit(f *testing.F) {
	paths, err := filepath.Glob("testdata/dumps/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(strings.ReplaceAll(string(archive.Files[0].Data), "␍", "\r"))
	}
	f.Add(nginxDump([]namedText{{"/n.conf", "events {}\nhttp { include *.c; }\n"}, {"/a.c", "include a.c;\ninclude b.c;\n"}, {"/b.c", "include a.c;"}}))
	f.Fuzz(func(t *testing.T, text string) {
		var inputs []*Input
		for _, d := range splitDump("-", text) {
			inputs = append(inputs, fromDump(d))
		}
		if len(inputs) == 0 {
			return
		}
		checkBytes(t, text, inputs)
		for _, in := range inputs {
			if !slices.Contains(in.Documents, in.Main) {
				t.Fatal("the main file is not among the files")
			}
			steps := 0
			walk(t, in, in.Main, 0, &steps)
		}
	})
}

// walk follows the includes from a file, up to a million steps.
func walk(t *testing.T, in *Input, doc *syntax.Document, depth int, steps *int) {
	if *steps++; *steps > 1_000_000 {
		return
	}
	if depth > maxDepth {
		t.Fatalf("includes nested %d deep", depth)
	}
	for _, inc := range includesOf(doc) {
		for _, d := range in.Includes(inc.at) {
			walk(t, in, d, depth+1, steps)
		}
	}
}

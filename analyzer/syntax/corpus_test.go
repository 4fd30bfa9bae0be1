package syntax

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
)

// wantDirective is a directive as the corpus describes it: what nginx itself read.
type wantDirective struct {
	Name  string            `json:"name"`
	Args  []string          `json:"args"`
	Line  int               `json:"line"`
	Col   int               `json:"col"`
	Spans [][2]uint32       `json:"spans"`
	Term  *uint32           `json:"term"`
	Block *[]wantDirective  `json:"block"`
	Close *uint32           `json:"close"`
	Hex   map[string]string `json:"hex"`
	Lua   bool              `json:"lua"`
}

type wantFile struct {
	File       string          `json:"file"`
	Offset     int             `json:"offset"`
	Length     int             `json:"length"`
	Directives []wantDirective `json:"directives"`
	Error      *struct {
		Message string `json:"message"`
		Line    int    `json:"line"`
	} `json:"error"`
}

func readJSON(t *testing.T, path string, into any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// corpusJudge compares documents with the corpus and counts.
type corpusJudge struct {
	t                 *testing.T
	file              string
	files, directives int
	differ            int
	partial           bool // the file ends in an error: its last blocks may be open
	doc               *Document
}

func (j *corpusJudge) errorf(format string, args ...any) {
	if j.differ++; j.differ <= 20 {
		j.t.Errorf(j.file+": "+format, args...)
	}
}

func (j *corpusJudge) judge(name, text string, want wantFile) {
	j.file = name
	j.files++
	j.doc = Parse(&source.File{Path: name, Text: text})
	got := j.doc.Errors
	switch {
	case want.Error == nil && len(got) > 0:
		j.errorf("line %d: %s; nginx reads it", got[0].Line, got[0].Text)
	case want.Error != nil && len(got) == 0:
		j.errorf("read; nginx says at line %d: %s", want.Error.Line, want.Error.Message)
	case want.Error != nil && (got[0].Text != want.Error.Message || got[0].Line != want.Error.Line):
		j.errorf("line %d: %s; nginx says at line %d: %s", got[0].Line, got[0].Text, want.Error.Line, want.Error.Message)
	}
	j.partial = want.Error != nil
	j.list(j.doc.Directives, want.Directives)
}

// list compares two lists. Behind an error there may be more than nginx read.
func (j *corpusJudge) list(got []Directive, want []wantDirective) {
	if len(got) < len(want) || len(got) > len(want) && !j.partial {
		j.errorf("%d directives, nginx read %d", len(got), len(want))
		return
	}
	for i := range want {
		j.one(&got[i], &want[i])
	}
}

func (j *corpusJudge) one(got *Directive, want *wantDirective) {
	j.directives++
	at := fmt.Sprintf("line %d, %s", want.Line, want.Name)
	words := got.Words()
	if len(words) != 1+len(want.Args) {
		j.errorf("%s: %d arguments, nginx read %d", at, len(words)-1, len(want.Args))
		return
	}
	for i, w := range words {
		value := want.Name
		if i > 0 {
			value = want.Args[i-1]
		}
		if h, ok := want.Hex[strconv.Itoa(i)]; ok {
			b, err := hex.DecodeString(h)
			if err != nil {
				j.t.Fatal(err)
			}
			value = string(b)
		}
		if w.Value != value {
			j.errorf("%s: word %d is %q, nginx read %q", at, i, w.Value, value)
		}
		if want.Spans != nil && want.Spans[i] != [2]uint32{w.Start, w.End - w.Start} {
			j.errorf("%s: word %d has the span [%d, %d], expected %v", at, i, w.Start, w.End-w.Start, want.Spans[i])
		}
	}
	if p := got.Span().From(); p.Line != want.Line || want.Col > 0 && p.Column != want.Col {
		j.errorf("%s: at %v, expected %d:%d", at, p, want.Line, want.Col)
	}
	if want.Term != nil && got.End != *want.Term+1 {
		j.errorf("%s: ends at %d, expected %d", at, got.End, *want.Term+1)
	}
	j.block(at, got, want)
}

func (j *corpusJudge) block(at string, got *Directive, want *wantDirective) {
	if hasBlock := want.Block != nil || want.Lua; (got.Block != nil) != hasBlock {
		j.errorf("%s: block %v, expected %v", at, got.Block != nil, hasBlock)
		return
	}
	if got.Block == nil {
		return
	}
	if got.Block.Code != want.Lua {
		j.errorf("%s: code %v, expected %v", at, got.Block.Code, want.Lua)
	}
	if want.Close != nil && (!got.Block.Closed || got.Block.Close != *want.Close) {
		j.errorf("%s: closed %v at %d, expected %d", at, got.Block.Closed, got.Block.Close, *want.Close)
	}
	if want.Block != nil {
		j.list(got.Block.Directives, *want.Block)
	}
}

func (j *corpusJudge) report(what string) {
	j.t.Logf("%s: %d files, %d directives, %d differences", what, j.files, j.directives, j.differ)
	if j.files == 0 || j.directives == 0 {
		j.t.Errorf("nothing was compared")
	}
}

func TestCorpusConfigs(t *testing.T) {
	folder := nginxtest.Shared(t, "corpus", "configs")
	paths, err := filepath.Glob(filepath.Join(folder, "*.expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	j := &corpusJudge{t: t}
	for _, path := range paths {
		var want struct {
			ID    string     `json:"id"`
			Files []wantFile `json:"files"`
		}
		readJSON(t, path, &want)
		for _, f := range want.Files {
			text, err := os.ReadFile(filepath.Join(folder, want.ID, filepath.FromSlash(f.File)))
			if err != nil {
				t.Fatal(err)
			}
			j.judge(want.ID+"/"+f.File, string(text), f)
		}
	}
	j.report("configs")
}

func TestCorpusDumps(t *testing.T) {
	folder := nginxtest.Shared(t, "corpus", "dumps")
	paths, err := filepath.Glob(filepath.Join(folder, "*.expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	j := &corpusJudge{t: t}
	for _, path := range paths {
		var want struct {
			ID    string     `json:"id"`
			Files []wantFile `json:"files"`
		}
		readJSON(t, path, &want)
		dump, err := os.ReadFile(strings.TrimSuffix(path, ".expected.json") + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range want.Files {
			j.judge(want.ID+": "+f.File, string(dump[f.Offset:f.Offset+f.Length]), f)
		}
	}
	j.report("dumps")
}

func TestCorpusNginxTests(t *testing.T) {
	folder := nginxtest.Shared(t, "corpus", "nginx-tests")
	paths, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	j := &corpusJudge{t: t}
	for _, path := range paths {
		var want wantFile
		readJSON(t, path, &want)
		text, err := os.ReadFile(strings.TrimSuffix(path, ".json") + ".conf")
		if err != nil {
			t.Fatal(err)
		}
		j.judge(filepath.Base(path), string(text), want)
	}
	j.report("nginx-tests")
}

func TestCorpusBad(t *testing.T) {
	folder := nginxtest.Shared(t, "corpus", "bad")
	var manifest struct {
		Bad []struct {
			ID            string   `json:"id"`
			Generate      [][2]any `json:"generate"`
			GrammarErrors map[string]struct {
				Message string
				Line    int
			} `json:"grammar_errors"`
		} `json:"bad"`
	}
	readJSON(t, filepath.Join(filepath.Dir(folder), "MANIFEST.json"), &manifest)
	files, refused := 0, 0
	check := func(id, name, text string, want map[string]struct {
		Message string
		Line    int
	},
	) {
		files++
		doc := Parse(&source.File{Path: name, Text: text})
		w, bad := want[name]
		if bad {
			refused++
		}
		switch {
		case bad && doc.Complete():
			t.Errorf("%s/%s: read; nginx says at line %d: %s", id, name, w.Line, w.Message)
		case !bad && !doc.Complete():
			t.Errorf("%s/%s: line %d: %s; nginx reads it", id, name, doc.Errors[0].Line, doc.Errors[0].Text)
		case bad && (doc.Errors[0].Text != w.Message || doc.Errors[0].Line != w.Line):
			t.Errorf("%s/%s: line %d: %s; nginx says at line %d: %s", id, name, doc.Errors[0].Line, doc.Errors[0].Text, w.Line, w.Message)
		}
	}
	for _, b := range manifest.Bad {
		if b.Generate != nil {
			var text strings.Builder
			for _, g := range b.Generate {
				text.WriteString(strings.Repeat(g[0].(string), int(g[1].(float64))))
			}
			if b.GrammarErrors != nil {
				check(b.ID, "nginx.conf", text.String(), b.GrammarErrors)
			}
			continue
		}
		root := filepath.Join(folder, b.ID)
		err := filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			name, err := filepath.Rel(root, path)
			check(b.ID, filepath.ToSlash(name), string(text), b.GrammarErrors)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("bad: %d files, %d of them refused", files, refused)
}

func TestCorpusMutations(t *testing.T) {
	data, err := os.ReadFile(nginxtest.Shared(t, "corpus", "mutations.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	judged, refused := 0, 0
	for n, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
		var m struct {
			From           string `json:"from"`
			Kind           string `json:"kind"`
			Text           string `json:"text"`
			GrammarOK      *bool  `json:"grammar_ok"`
			NeedsDirective bool   `json:"needs_directive_table"`
			Message        string `json:"message"`
			Line           int    `json:"line"`
		}
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatal(err)
		}
		if m.GrammarOK == nil || m.NeedsDirective {
			continue
		}
		judged++
		doc := Parse(&source.File{Path: m.From, Text: m.Text})
		switch {
		case doc.Complete() != *m.GrammarOK:
			t.Errorf("mutation %d: complete %v, nginx at line %d: %s", n+1, doc.Complete(), m.Line, m.Message)
		case !*m.GrammarOK:
			refused++
			if e := doc.Errors[0]; e.Line != m.Line || !strings.Contains(m.Message, e.Text) {
				t.Errorf("mutation %d: line %d: %s; nginx at line %d: %s", n+1, e.Line, e.Text, m.Line, m.Message)
			}
		}
	}
	t.Logf("mutations: %d judged, %d of them refused", judged, refused)
}

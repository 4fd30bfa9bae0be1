package syntax

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/tufanbarisyildirim/gonginx/config"
	gonginx "github.com/tufanbarisyildirim/gonginx/parser"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
)

// A plain is a directive without its places, in the words that both readers have.
type plain struct {
	Name  string
	Args  []string
	Block []plain
}

func plainOwn(directives []Directive) (list []plain) {
	for i := range directives {
		d := &directives[i]
		p := plain{Name: d.Name().Value}
		for _, a := range d.Args() {
			p.Args = append(p.Args, a.Value)
		}
		if d.Block != nil {
			p.Block = append([]plain{}, plainOwn(d.Block.Directives)...)
		}
		list = append(list, p)
	}
	return list
}

func plainGonginx(block config.IBlock) (list []plain) {
	for _, d := range block.GetDirectives() {
		p := plain{Name: unquoted(d.GetName())}
		for _, a := range d.GetParameters() {
			p.Args = append(p.Args, unquoted(a.Value))
		}
		if lua, ok := d.(*config.LuaBlock); ok {
			p.Args = append(p.Args, lua.LuaCode)
		}
		if d.GetBlock() != nil {
			p.Block = append([]plain{}, plainGonginx(d.GetBlock())...)
		}
		list = append(list, p)
	}
	return list
}

// unquoted takes off the quotes that gonginx leaves in a value. It leaves escapes as well; those are recorded as
// differences.
func unquoted(value string) string {
	if n := len(value); n > 1 && (value[0] == '"' || value[0] == '\'') && value[n-1] == value[0] {
		return value[1 : n-1]
	}
	return value
}

// gonginxReads lets gonginx read a text. It may panic on what it does not expect.
func gonginxReads(text string) (list []plain, accepted bool) {
	defer func() {
		if recover() != nil {
			list, accepted = nil, false
		}
	}()
	c, err := gonginx.NewStringParser(text, gonginx.WithSkipValidDirectivesErr(), gonginx.WithSkipComments()).Parse()
	if err != nil {
		return nil, false
	}
	return plainGonginx(c.Block), true
}

// TestGrammarByGonginx compares with gonginx, whose tree serves for text that we make ourselves. Where it is known to
// differ the case says so; a difference that is gone fails as well.
func TestGrammarByGonginx(t *testing.T) {
	agree, known := 0, 0
	for _, c := range allCases() {
		if len(c.text) > bufferSize {
			continue // gonginx has no bounds
		}
		doc := Parse(&source.File{Path: "a.conf", Text: c.text})
		theirs, accepted := gonginxReads(c.text)
		difference := ""
		switch own := plainOwn(doc.Directives); {
		case accepted && !doc.Complete():
			difference = readsOn
		case !accepted && doc.Complete():
			difference = refusesValid
		case accepted && !cmp.Equal(own, theirs):
			difference = splitsWords
			if strings.ContainsAny(c.text, `\`) {
				difference = keepsEscapes
			}
		}
		switch {
		case difference != c.gonginx:
			t.Errorf("%s: gonginx %q, the case says %q\n%s", c.name, difference, c.gonginx, cmp.Diff(plainOwn(doc.Directives), theirs))
		case difference == "":
			agree++
		default:
			known++
		}
	}
	t.Logf("%d cases agree, %d differ as is known", agree, known)
}

// TestCorpusByGonginx compares the files of the corpus that both readers accept. They may differ only where a text has
// what gonginx is known to read otherwise.
func TestCorpusByGonginx(t *testing.T) {
	folder := nginxtest.Shared(t, "corpus", "nginx-tests")
	paths, err := filepath.Glob(filepath.Join(folder, "*.conf"))
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob(filepath.Join(nginxtest.Shared(t, "corpus", "configs"), "*", "*.conf"))
	if err != nil {
		t.Fatal(err)
	}
	agree, reordered, known, refused := 0, 0, 0, 0
	for _, path := range append(paths, more...) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		doc := Parse(&source.File{Path: path, Text: string(text)})
		theirs, accepted := gonginxReads(string(text))
		switch {
		case !doc.Complete() || !accepted:
			refused++
		case cmp.Equal(plainOwn(doc.Directives), theirs):
			agree++
		case cmp.Equal(unordered(plainOwn(doc.Directives)), unordered(theirs)):
			reordered++
		case readOtherwise(string(text)):
			known++
		default:
			t.Errorf("%s:\n%s", path, cmp.Diff(plainOwn(doc.Directives), theirs))
		}
	}
	t.Logf("%d files agree, %d but for the order, %d differ as is known, %d are refused by one or both", agree, reordered, known, refused)
}

// readOtherwise reports whether a text has what gonginx reads otherwise: it keeps escapes, takes braces in code for
// blocks, and knows only UTF-8.
func readOtherwise(text string) bool {
	return strings.Contains(text, `\`) || strings.Contains(text, luaSuffix) || !utf8.ValidString(text)
}

// unordered takes the order out of a list: gonginx moves the servers of an upstream and of the http block behind their
// siblings, and sorts the parameters of an upstream's server.
func unordered(list []plain) []plain {
	for i := range list {
		unordered(list[i].Block)
		if list[i].Name == "server" {
			slices.Sort(list[i].Args)
		}
	}
	slices.SortFunc(list, func(a, b plain) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	return list
}

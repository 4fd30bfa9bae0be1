// Package ruletest proves rules: on cases whose comments say what must be found at their line, on each rule's own bad and
// good example, and on broken input. It knows no single rule. Only tests import it.
package ruletest

import (
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/load"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/model/chain"
	"github.com/ngxlimit/ngxlimit/model/fronts"
	"github.com/ngxlimit/ngxlimit/rules/rule"
	"github.com/ngxlimit/ngxlimit/rules/run"
)

// today is the day on which all cases are judged.
const today = "2026-11-30"

// Resolve reads a configuration from text, as standard input would bring it.
func Resolve(t testing.TB, text, version string) *config.Tree {
	t.Helper()
	tree, err := TryResolve(text, version)
	if err != nil {
		t.Fatalf("read configuration: %v", err)
	}
	return tree
}

// TryResolve is Resolve for text that may leave nothing to check.
func TryResolve(text, version string) (*config.Tree, error) {
	inputs, err := load.Load([]string{"-"}, load.Options{Stdin: strings.NewReader(text)})
	if err != nil {
		return nil, err
	}
	return config.Resolve(inputs[0], config.Options{Version: version}), nil
}

// ResolvePath reads the one configuration that a path names.
func ResolvePath(t testing.TB, path, version string) *config.Tree {
	t.Helper()
	inputs, err := load.Load([]string{path}, load.Options{})
	if err != nil {
		t.Fatalf("read %s: %v", path, err)
	}
	if len(inputs) != 1 {
		t.Fatalf("%s holds %d configurations", path, len(inputs))
	}
	return config.Resolve(inputs[0], config.Options{Version: version})
}

// A testCase is one file of a rule's testdata folder: a configuration or a dump, or a txtar archive whose first file is
// the main one of a tree.
type testCase struct {
	path    string
	main    string // to be read
	options run.Options
	version string
}

// openCase prepares a case. A comment "# case: front=proxy chain=alb keys=api:20000 clients=5 version=1.22.1" holds its settings.
func openCase(t *testing.T, path string) testCase {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c := testCase{path: path, main: path}
	if filepath.Ext(path) == ".txtar" {
		c.main = unpack(t, txtar.Parse(data))
	}
	c.options.Today = today
	for line := range strings.Lines(string(data)) {
		if text, ok := strings.CutPrefix(strings.TrimSpace(line), "# case:"); ok {
			c.set(t, strings.Fields(text))
		}
	}
	return c
}

func unpack(t *testing.T, archive *txtar.Archive) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range archive.Files {
		p := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, filepath.FromSlash(archive.Files[0].Name))
}

func (c *testCase) set(t *testing.T, words []string) {
	t.Helper()
	s := &c.options.Settings
	for _, word := range words {
		name, text, _ := strings.Cut(word, "=")
		switch name {
		case "front":
			s.Front = rule.Front(text)
		case "proxies":
			s.Fronts = append(s.Fronts, lists(t, text)...)
			s.Front = rule.FrontProxy
		case "chain":
			s.Chain = chainOf(t, text)
			s.Front = rule.FrontProxy
			for _, member := range s.Chain {
				s.Fronts = append(s.Fronts, member.Lists...)
			}
		case "version":
			c.version = text
		case "clients":
			s.ClientsPerAddress = number(t, text)
		case "keys":
			zone, count, _ := strings.Cut(text, ":")
			s.ExpectedKeys = map[string]int64{zone: int64(number(t, count))}
		case "background":
			s.Background = strings.Split(text, ",")
		case "interactive":
			s.Interactive = strings.Split(text, ",")
		default:
			t.Fatalf("%s: a case has no setting %q", c.path, name)
		}
	}
}

// chainOf reads the proxies that requests pass.
func chainOf(t *testing.T, text string) chain.Chain {
	t.Helper()
	c, err := chain.Parse(chain.Split(text))
	if err != nil {
		t.Fatal(err)
	}
	return c.Bind(fronts.BuiltIn(), nil)
}

// lists reads what stands in front: names of fronts that are known, and networks.
func lists(t *testing.T, text string) []*fronts.List {
	t.Helper()
	var all []*fronts.List
	var networks []netip.Prefix
	for word := range strings.SplitSeq(text, ",") {
		if front := fronts.BuiltIn().Find(word); front != nil {
			all = append(all, front.List())
			continue
		}
		p, err := netip.ParsePrefix(word)
		if err != nil {
			t.Fatal(err)
		}
		networks = append(networks, p)
	}
	if len(networks) > 0 {
		all = append(all, fronts.ListOf("proxies", networks))
	}
	return all
}

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// A want is what a comment demands of its line: `# want "the text underlined" "part of the message"`, a severity before
// the texts where it matters, several wants one behind the other. "# want+1" speaks of the line below.
type want struct {
	file      *source.File
	line      int
	severity  rule.Severity
	underline string
	message   string
	met       bool
}

func (w *want) String() string {
	return fmt.Sprintf("%s:%d: %s %q %q", w.file.Path, w.line, w.severity, w.underline, w.message)
}

var (
	wantComment = regexp.MustCompile(`# want(\+\d+)?((?:\s+(?:(?:error|warning|note)\s+)?"(?:[^"\\]|\\.)*"\s+"(?:[^"\\]|\\.)*")+)\s*$`)
	wantOne     = regexp.MustCompile(`(?:(error|warning|note)\s+)?("(?:[^"\\]|\\.)*")\s+("(?:[^"\\]|\\.)*")`)
)

// wants reads the demands of all files of a configuration.
func wants(t *testing.T, tree *config.Tree) []*want {
	t.Helper()
	var all []*want
	for _, doc := range tree.Input.Documents {
		for n := 1; n <= doc.File.Lines(); n++ {
			text := doc.File.Line(n)
			m := wantComment.FindStringSubmatch(text)
			if m == nil {
				if strings.Contains(text, "# want") {
					t.Errorf("%s:%d: a want that cannot be read: %s", doc.File.Path, n, text)
				}
				continue
			}
			line := n
			if m[1] != "" {
				line += number(t, m[1][1:])
			}
			for _, one := range wantOne.FindAllStringSubmatch(m[2], -1) {
				all = append(all, &want{
					file: doc.File, line: line, severity: rule.Severity(one[1]),
					underline: unquote(t, one[2]), message: unquote(t, one[3]),
				})
			}
		}
	}
	return all
}

func unquote(t *testing.T, s string) string {
	t.Helper()
	text, err := strconv.Unquote(s)
	if err != nil {
		t.Fatalf("unquote %s: %v", s, err)
	}
	return text
}

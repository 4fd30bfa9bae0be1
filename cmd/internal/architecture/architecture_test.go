// Package architecture holds the arrows between packages: docs/architecture.md has the table, the test reads it.
package architecture

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
)

const module = "github.com/ngxlimit/ngxlimit/"

var quoted = regexp.MustCompile("`([^`]+)`")

// table reads which packages each package may import.
func table(t *testing.T, root string) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	allowed := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) != 5 || !strings.HasPrefix(strings.TrimSpace(cells[1]), "`") {
			continue
		}
		name := quoted.FindStringSubmatch(cells[1])[1]
		allowed[name] = []string{}
		for _, m := range quoted.FindAllStringSubmatch(cells[3], -1) {
			allowed[name] = append(allowed[name], m[1])
		}
		if strings.Contains(cells[3], "everything") {
			allowed[name] = append(allowed[name], "*")
		}
	}
	return allowed
}

func permits(allowed []string, imported string) bool {
	return slices.ContainsFunc(allowed, func(pattern string) bool {
		if prefix, ok := strings.CutSuffix(pattern, "*"); ok {
			return strings.HasPrefix(imported, prefix)
		}
		return pattern == imported
	})
}

func TestImports(t *testing.T) {
	root := nginxtest.Root(t)
	allowed := table(t, root)
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", "./...")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(p.ImportPath, module)
		seen[name] = true
		list, ok := allowed[name]
		if !ok {
			t.Errorf("%s is not in the table of docs/architecture.md", name)
			continue
		}
		for _, imported := range p.Imports {
			if in, ours := strings.CutPrefix(imported, module); ours && !permits(list, in) {
				t.Errorf("%s imports %s, which docs/architecture.md does not allow", name, in)
			}
		}
	}
	for name := range allowed {
		if !seen[name] {
			t.Errorf("docs/architecture.md names %s, which does not exist", name)
		}
	}
}

// TestArrows holds the order of the folders themselves, whatever the table says.
func TestArrows(t *testing.T) {
	order := []string{"analyzer", "model", "rules", "cmd"}
	for name, list := range table(t, nginxtest.Root(t)) {
		from := slices.Index(order, strings.SplitN(name, "/", 2)[0])
		for _, to := range list {
			if to == "*" {
				continue
			}
			if slices.Index(order, strings.SplitN(to, "/", 2)[0]) > from {
				t.Errorf("the table lets %s import %s: against the order of the folders", name, to)
			}
		}
	}
}

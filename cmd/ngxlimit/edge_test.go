package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	edgerules "github.com/ngxlimit/ngxlimit/rules/edge"
)

// TestEdgePage holds the list of rules in docs/edge.md to what the rules say; the links of reports lead there.
func TestEdgePage(t *testing.T) {
	path := filepath.Join(nginxtest.Root(t), "docs", "edge.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const mark = "<!-- rules: written by go test ./cmd/ngxlimit -run TestEdgePage -update -->\n"
	head, _, ok := strings.Cut(string(text), mark)
	if !ok {
		t.Fatal("docs/edge.md has no place for the rules")
	}
	var b strings.Builder
	b.WriteString(head + mark)
	for _, r := range edgerules.All() {
		b.WriteString("\n### " + r.Name + "\n\nSeverity " + string(r.Severity) + ", confidence " + string(r.Confidence) + ": " + r.Summary + ".\n\n" + r.Why + "\n")
	}
	switch {
	case b.String() == string(text):
	case *update:
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Error("docs/edge.md is stale; run go test ./cmd/ngxlimit -run TestEdgePage -update")
	}
}

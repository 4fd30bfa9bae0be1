package simulate

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	reader "github.com/ngxlimit/ngxlimit/analyzer/load"
)

// treeOf reads a configuration from disk.
func treeOf(t testing.TB, path string) *config.Tree {
	t.Helper()
	in, err := reader.Load([]string{path}, reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return config.Resolve(in[0], config.Options{Version: "1.22.1"})
}

// treeOfText reads a configuration that stands in a test.
func treeOfText(t testing.TB, text string) *config.Tree {
	t.Helper()
	path := filepath.Join(t.TempDir(), "nginx.conf")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return treeOf(t, path)
}

func show(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

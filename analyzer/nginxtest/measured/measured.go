// Package measured reads what the real nginx was seen to decide, from the folder "oracle" beside the checkout: one type
// for each form of file, as the folder's own descriptions name their fields. It knows the forms and nothing of what
// decides. A field of a decision that it does not know is an error, as somebody measured it; notes may be of any kind.
// Only tests import it.
package measured

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
)

// Version is the nginx that everything was measured on.
const Version = "1.22.1"

// Path returns a path below the measured decisions, and skips the test where they are absent.
func Path(t testing.TB, elem ...string) string {
	t.Helper()
	return nginxtest.Shared(t, append([]string{"oracle"}, elem...)...)
}

// Files returns the measured files whose path below the folder has the form of pattern; at least one.
func Files(t testing.TB, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(Path(t), filepath.FromSlash(pattern)))
	if err != nil || len(files) == 0 {
		t.Fatalf("no %s among the measured decisions: %v", pattern, err)
	}
	return files
}

// read reads a file of one JSON value.
func read[T any](t testing.TB, path string) (value T) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	decode(t, path, data, &value)
	return value
}

// readLines reads a file of one JSON value a line.
func readLines[T any](t testing.TB, path string) (list []T) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() {
		var value T
		decode(t, path, lines.Bytes(), &value)
		list = append(list, value)
	}
	if err := lines.Err(); err != nil {
		t.Fatalf("read %s: %v", path, err)
	}
	return list
}

func decode(t testing.TB, path string, data []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("read %s: %v", path, err)
	}
}

// decided reads a decision, whose fields must all be known.
func decided(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

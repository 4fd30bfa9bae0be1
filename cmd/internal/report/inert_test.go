package report

import (
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// However the text is cut into pieces, no line of it begins with a colon, and nothing else is changed.
func TestInertWriter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOf(rapid.StringMatching(`[ \t\n:a\\]{0,6}`)).Draw(t, "pieces")
		var b strings.Builder
		w := &inertWriter{w: &b}
		for _, p := range pieces {
			if n, err := io.WriteString(w, p); n != len(p) || err != nil {
				t.Fatalf("wrote %d of %d, %v", n, len(p), err)
			}
		}
		was, is := strings.Split(strings.Join(pieces, ""), "\n"), strings.Split(b.String(), "\n")
		if len(was) != len(is) {
			t.Fatalf("%d lines became %d", len(was), len(is))
		}
		for i, line := range is {
			bare := strings.TrimLeft(line, " \t")
			if strings.HasPrefix(bare, ":") {
				t.Fatalf("line %q", line)
			}
			if line != was[i] && strings.Replace(line, `\`, "", 1) != was[i] {
				t.Fatalf("%q became %q", was[i], line)
			}
		}
	})
}

func TestShown(t *testing.T) {
	for path, want := range map[string]string{
		"a.conf": "a.conf", "::error::x": "./::error::x", "  ::x": "./  ::x", ":x": ":x", "/a/::b": "/a/::b",
	} {
		if got := (Options{}).shown(path); got != want {
			t.Errorf("%q: got %q, want %q", path, got, want)
		}
	}
}

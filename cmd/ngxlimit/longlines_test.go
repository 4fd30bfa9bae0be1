package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
)

// A line of many megabytes in front hides neither the format of those behind it nor itself.
func TestLongFirstLine(t *testing.T) {
	dir := t.TempDir()
	const line = `203.0.113.7 - - [02/Mar/2026:08:00:00 +0000] "GET / HTTP/1.1" 200 1 "-" "-"` + "\n"
	long := strings.Repeat("x", 30<<20) + "\n"
	conf := filepath.Join(nginxtest.Root(t), "fixtures", "trustline", "before.dump")
	for name, c := range map[string]struct{ text, head, skipped string }{
		"first":          {long + strings.Repeat(line, 5), "5 requests of 1 log, 6 lines", "first: %:1)"},
		"first and next": {long + long[:200_000] + "\n" + strings.Repeat(line, 5), "5 requests of 1 log, 7 lines", "2 lines too long"},
		"second":         {line + long + strings.Repeat(line, 4), "5 requests of 1 log, 6 lines", "first: %:2)"},
		"last, unended":  {strings.Repeat(line, 5) + long[:20<<20], "5 requests of 1 log, 6 lines", "first: %:6)"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, "access.log")
			if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, log := range []string{path, "-"} {
				var out, said bytes.Buffer
				status := Main([]string{"replay", conf, log}, strings.NewReader(c.text), &out, &said)
				if want := strings.ReplaceAll(c.skipped, "%", log); status != exitOK || !strings.Contains(out.String(), c.head) || !strings.Contains(out.String(), want) {
					t.Errorf("%s: status %d, want %q and %q: %s\n%.300s", log, status, c.head, want, said.String(), out.String())
				}
			}
			var out, said bytes.Buffer
			Main([]string{"check", conf, "--log", path, "--enable", "missing-nodelay"}, strings.NewReader(""), &out, &said)
			if !strings.Contains(said.String(), "lines of the logs could not be used") {
				t.Errorf("check --log: %s", said.String())
			}
		})
	}
}

package report

import (
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
)

// The names are those that git 2.39 writes.
func TestDiffName(t *testing.T) {
	tests := map[string]string{
		"a/conf.d/site.conf": "a/conf.d/site.conf",
		"a/my site.conf":     "a/my site.conf\t",
		"a/süß.conf":         "a/süß.conf",
		"a/a\nb.conf":        `"a/a\nb.conf"`,
		"a/tab\there":        `"a/tab\there"`,
		`a/say "x".conf`:     `"a/say \"x\".conf"`,
		`a/back\slash`:       `"a/back\\slash"`,
		"a/\x1b[31m":         `"a/\033[31m"`,
		"a/\xff\u202e":       `"a/\377\342\200\256"`,
	}
	for name, want := range tests {
		if got := diffName(name); got != want {
			t.Errorf("%q is written %s, want %s", name, got, want)
		}
	}
}

// What comes from standard input has no name that patch(1) could take, unless it is a dump.
func TestDiffNamesOfStandardInput(t *testing.T) {
	for path, want := range map[string]string{"-": "a/nginx.conf", "/etc/nginx/conf.d/a.conf": "a/etc/nginx/conf.d/a.conf"} {
		if before, after := (Options{}).DiffNames(&source.File{Path: path}); before != want || after != "b"+want[1:] {
			t.Errorf("%s: %s and %s, want %s", path, before, after, want)
		}
	}
}

package report

import "testing"

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

package main

import (
	"bytes"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
)

// TestSameOutput holds check to the same bytes for any number of processors and any order of inputs.
func TestSameOutput(t *testing.T) {
	random := nginxtest.Random(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	t.Chdir(nginxtest.Root(t))
	t.Setenv("NO_COLOR", "1")
	inputs, err := filepath.Glob(filepath.Join("fixtures", "*", "*.*"))
	if err != nil || len(inputs) < 10 {
		t.Fatalf("%d inputs, %v", len(inputs), err)
	}
	inputs = slices.DeleteFunc(inputs, func(p string) bool { return filepath.Ext(p) != ".conf" && filepath.Ext(p) != ".dump" })
	for _, format := range []string{"text", "json", "sarif"} {
		want := ""
		for _, processors := range []int{1, 2, 16} {
			runtime.GOMAXPROCS(processors)
			random.Shuffle(len(inputs), func(i, j int) { inputs[i], inputs[j] = inputs[j], inputs[i] })
			var out, errs bytes.Buffer
			Main(append([]string{"check", "--fail-on", "never", "--format", format}, inputs...), strings.NewReader(""), &out, &errs)
			if want == "" {
				want = out.String()
			}
			if out.String() != want || errs.Len() > 0 {
				t.Errorf("%s on %d processors, in the order %v, prints something else; errors: %s", format, processors, inputs, &errs)
			}
		}
	}
}

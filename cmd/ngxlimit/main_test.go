package main

import (
	"flag"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
)

var update = flag.Bool("update", false, "rewrite the expected output in the scripts; commit only what you understand")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"ngxlimit": main,
	})
}

// TestScripts runs testdata/script/*.txtar: each by topic, its rules pinned by --enable, except the one that shows all.
func TestScripts(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the scripts hold paths and messages of unix")
	}
	root := nginxtest.Root(t)
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("FIXTURES", filepath.Join(root, "fixtures"))
			e.Setenv("NO_COLOR", "1")
			return nil
		},
	})
}

package main

import (
	"runtime/debug"

	"github.com/ngxlimit/ngxlimit/analyzer/load"
)

const (
	largeInput = 4 << 20 // bytes
	frugal     = 15      // how much garbage may stand beside what is in use, in percent
)

// beFrugal collects garbage more eagerly once a large configuration stands in memory: what is computed from then on is
// short-lived, and would otherwise be let to grow as large as the configuration itself. While it is being read there is
// little garbage, and none is looked for beyond the usual.
func beFrugal(inputs []*load.Input) {
	size := 0
	for _, in := range inputs {
		for _, d := range in.Documents {
			size += len(d.File.Text)
		}
	}
	if size >= largeInput {
		debug.SetGCPercent(frugal)
	}
}

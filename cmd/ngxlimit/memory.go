package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"

	"github.com/ngxlimit/ngxlimit/analyzer/load"
)

const (
	largeInput = 4 << 20 // bytes
	roomy      = 10      // how large the memory of a large input may grow before garbage is looked for, in times its size
	frugal     = 20      // how much garbage may stand beside what is in use at least, in percent
)

// beFrugal bounds the garbage once a large configuration stands in memory: what is computed from then on is short-lived,
// and would otherwise be let to grow as large as the configuration itself. While it is being read there is little garbage,
// and none is looked for beyond the usual.
func beFrugal(inputs []*load.Input) {
	size := 0
	for _, in := range inputs {
		for _, d := range in.Documents {
			size += len(d.File.Text)
		}
	}
	if size >= largeInput {
		keepWithin(uint64(size) * roomy)
	}
}

// keepWithin lets garbage stand until the whole is as large as the budget, in bytes. Where what is in use comes near that,
// or is larger, garbage is collected at a share of it, not without pause as a limit of the runtime on the memory has it.
func keepWithin(budget uint64) {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	percent := uint64(frugal)
	if used := live[0].Value.Uint64(); used > 0 && used < budget {
		percent = max(percent, min(100, (budget-used)*100/used))
	}
	debug.SetGCPercent(int(percent))
	runtime.AddCleanup(new(struct{ *load.Input }), keepWithin, budget) // behind the next collection
}

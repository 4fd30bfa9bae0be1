package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"

	"github.com/ngxlimit/ngxlimit/analyzer/load"
)

const (
	largeInput = 4 << 20 // bytes
	roomy      = 9       // how large the memory of a large input may grow before garbage is looked for, in times its size
)

// A budget bounds the garbage: none is looked for until the whole is as large as size, in bytes. Where what is in use comes
// near that, or is larger, garbage is collected when it is least percent of it, not without pause as a limit of the runtime
// on the memory has it.
type budget struct {
	size        uint64
	least, most uint64 // percent of what is in use
}

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
		budget{uint64(size) * roomy, 15, 100}.keep()
	}
}

// leastHeap is what the runtime takes to be in use where it is less: so much is let to grow by the percentage.
const leastHeap = 4 << 20

// keep sets the percentage for what is in use now, and again behind each collection.
func (b budget) keep() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	percent := b.least
	if used := max(live[0].Value.Uint64(), leastHeap); used < b.size {
		percent = max(percent, min(b.most, (b.size-used)*100/used))
	}
	debug.SetGCPercent(int(percent))
	runtime.AddCleanup(new(struct{ *load.Input }), budget.keep, b) // behind the next collection
}

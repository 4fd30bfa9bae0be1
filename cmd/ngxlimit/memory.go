package main

// tuneMemory is set by measurement: see docs/performance.md.
func tuneMemory() {}

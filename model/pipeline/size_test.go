package pipeline

import (
	"testing"
	"unsafe"
)

// TestConfSize: what requests read of a conf fills two lines of a processor's cache and no more.
func TestConfSize(t *testing.T) {
	if size := unsafe.Sizeof(conf{}); unsafe.Sizeof(uintptr(0)) == 8 && (size > 128 || size <= 112) { // memory of 128 bytes starts at a line
		t.Errorf("a conf has %d bytes", size)
	}
}

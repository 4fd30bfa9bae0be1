package pipeline

import (
	"testing"
	"unsafe"
)

// TestConfSize: a conf is one line of a processor's cache.
func TestConfSize(t *testing.T) {
	if size := unsafe.Sizeof(conf{}); unsafe.Sizeof(uintptr(0)) == 8 && size != 64 {
		t.Errorf("a conf has %d bytes", size)
	}
}

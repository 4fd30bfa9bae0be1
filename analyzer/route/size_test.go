package route

import (
	"testing"
	"unsafe"
)

// TestSiteSize: a site is one line of a processor's cache.
func TestSiteSize(t *testing.T) {
	if size := unsafe.Sizeof(Site{}); unsafe.Sizeof(uintptr(0)) == 8 && size != 64 {
		t.Errorf("a site has %d bytes", size)
	}
}

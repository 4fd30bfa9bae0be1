//go:build unix && !linux

package replace

import "os"

// keepAttributes keeps none: only Linux is asked for them.
func keepAttributes(*os.File, string) error { return nil }

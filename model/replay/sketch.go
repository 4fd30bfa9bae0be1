package replay

import "math"

// likely is how many values most likely fill so many of the 256 cells of a sketch.
var likely = func() (t [257]int64) {
	for full := range 256 {
		t[full] = int64(math.Round(256 * math.Log(256/float64(256-full))))
	}
	t[256] = 1420 // and more
	return t
}()

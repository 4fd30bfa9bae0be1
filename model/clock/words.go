package clock

import "strconv"

// Words is a duration in milliseconds as a sentence says it, in three digits: 340 ms, 2.1 s.
func Words(ms int64) string {
	if ms < 1000 {
		return strconv.FormatInt(ms, 10) + " ms"
	}
	return strconv.FormatFloat(float64(ms)/1000, 'g', 3, 64) + " s"
}

// AtMost is Words for a bound from above: the three digits are rounded up, so that no bound is named that is passed.
func AtMost(ms int64) string {
	unit := int64(1)
	for ms/unit >= 1000 {
		unit *= 10
	}
	return Words(ms + (unit-ms%unit)%unit)
}

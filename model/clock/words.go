package clock

import (
	"math"
	"strconv"
)

const (
	minute = 60_000 // milliseconds
	hour   = 60 * minute
)

// Words is a duration in milliseconds as a sentence says it: in three digits up to two minutes, 340 ms or 2.1 s, and from
// there on as Long says it. It is never written in powers of ten.
func Words(ms int64) string {
	switch {
	case ms < 1000:
		return strconv.FormatInt(ms, 10) + " ms"
	case ms < 2*minute:
		return strconv.FormatFloat(float64(ms)/1000, 'g', 3, 64) + " s"
	}
	return Long(ms)
}

// Long is a duration of a minute and more in milliseconds, cut to seconds and from an hour on to minutes: 10 min, 2 min 5 s,
// 3 h 20 min.
func Long(ms int64) string {
	if ms < hour {
		return two(ms/minute, "min", ms/1000%60, "s")
	}
	return two(ms/hour, "h", ms/minute%60, "min")
}

// two writes a time in two units, the smaller one only where there is some of it.
func two(n int64, unit string, rest int64, small string) string {
	s := strconv.FormatInt(n, 10) + " " + unit
	if rest != 0 {
		s += " " + strconv.FormatInt(rest, 10) + " " + small
	}
	return s
}

// AtMost is Words for a bound from above: what would be cut or rounded down is rounded up, so that no bound is named that is
// passed.
func AtMost(ms int64) string {
	unit := int64(1)
	switch {
	case ms > math.MaxInt64-minute:
		return Words(ms)
	case ms < 2*minute:
		for ms/unit >= 1000 {
			unit *= 10
		}
	case ms < hour:
		unit = 1000
	default:
		unit = minute
	}
	return Words(ms + (unit-ms%unit)%unit)
}

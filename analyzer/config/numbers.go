package config

import (
	"math"
	"strconv"
	"strings"
)

// atoi reads a whole number as nginx does (ngx_atoi): digits only, no sign, at most the greatest int64.
func atoi(s string) (int64, bool) {
	if s == "" {
		return 0, false
	}
	var n int64
	for i := range len(s) {
		d := int64(s[i]) - '0'
		if d < 0 || d > 9 || n > (math.MaxInt64-d)/10 {
			return 0, false
		}
		n = n*10 + d
	}
	return n, true
}

// ParseSize reads a number of bytes as nginx writes it: "512", "8k", "1m".
func ParseSize(s string) (n int64, ok bool) { return parseSize(s) }

// parseSize reads bytes as nginx does (ngx_parse_size): a number with k or m behind it, in either case, and nothing else.
func parseSize(s string) (int64, bool) {
	return parseUnit(s, "km")
}

// parseUnit reads a number with at most one unit letter, each 1,024 of the one before.
func parseUnit(s, units string) (int64, bool) {
	scale := int64(1)
	if s != "" {
		if i := strings.IndexByte(units, s[len(s)-1]|0x20); i >= 0 && s[len(s)-1] > '9' {
			scale = 1 << (10 * (i + 1))
			s = s[:len(s)-1]
		}
	}
	n, ok := atoi(s)
	if !ok || n > math.MaxInt64/scale {
		return 0, false
	}
	return n * scale, true
}

// thousandths turns a count into thousandths. What does not fit is cut to what does: no request comes near it.
func thousandths(n int64) int64 { return min(n, math.MaxInt64/1000) * 1000 }

// lower is nginx's lower case: that of A to Z. All other bytes stay, whether they are UTF-8 or not.
func lower(s string) string {
	first := strings.IndexFunc(s, func(c rune) bool { return 'A' <= c && c <= 'Z' })
	if first < 0 {
		return s
	}
	b := []byte(s)
	for i, c := range b[first:] {
		if 'A' <= c && c <= 'Z' {
			b[first+i] = c | 0x20
		}
	}
	return string(b)
}

// isOn reads a flag whose value the table has checked.
func isOn(s string) bool { return lower(s) == "on" }

// cNumber reads a number as C writes them: decimal, octal with 0 in front, hexadecimal with 0x.
func cNumber(s string) (uint64, bool) {
	if s == "" || s[0] == '+' || s[0] == '-' || strings.Contains(s, "_") {
		return 0, false
	}
	base := 10
	switch {
	case len(s) > 2 && (strings.HasPrefix(s, "0x") || strings.HasPrefix(s, "0X")):
		s, base = s[2:], 16
	case len(s) > 1 && s[0] == '0':
		base = 8
	}
	n, err := strconv.ParseUint(s, base, 32)
	return n, err == nil
}

// timeUnits are the units of a time in the order in which they may stand; each at most once, and none after a smaller one.
var timeUnits = []struct {
	name    string
	seconds int64 // 0 for milliseconds
}{
	{"y", 365 * 86400}, {"M", 30 * 86400}, {"w", 7 * 86400}, {"d", 86400}, {"h", 3600}, {"m", 60}, {"s", 1}, {"ms", 0},
}

// validTime says whether nginx takes a time (ngx_parse_time): "1h 30m", "500ms". Where it keeps whole seconds it takes no
// milliseconds; where it keeps milliseconds it takes no years, and no months as the first unit.
func validTime(s string, seconds bool) bool {
	step := -1 // of the last unit
	if !seconds {
		step = 1
	}
	valid := false
	for s != "" {
		digits := 0
		for digits < len(s) && s[digits] >= '0' && s[digits] <= '9' {
			digits++
		}
		if digits > 17 {
			return false
		}
		valid = valid || digits > 0
		s = s[digits:]
		if s == "" {
			break
		}
		if s[0] == ' ' { // seconds without a unit
			if step >= 6 {
				return false
			}
			step = len(timeUnits)
			s = strings.TrimLeft(s, " ")
			continue
		}
		unit := unitAt(s)
		if unit < 0 || unit <= step || timeUnits[unit].seconds == 0 && seconds {
			return false
		}
		step = unit
		s = strings.TrimLeft(s[len(timeUnits[unit].name):], " ")
	}
	return valid
}

// unitAt is the index of the unit that s starts with; -1 where there is none.
func unitAt(s string) int {
	if strings.HasPrefix(s, "ms") {
		return len(timeUnits) - 1
	}
	for i, u := range timeUnits {
		if s[:1] == u.name {
			return i
		}
	}
	return -1
}

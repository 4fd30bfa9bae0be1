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

func lower(s string) string { return strings.ToLower(s) }

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

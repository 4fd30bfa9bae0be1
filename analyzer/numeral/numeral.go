// Package numeral writes numbers for people. What a configuration or another program is to read (bursts, statuses, line
// numbers, JSON) is not written by it.
package numeral

import (
	"strconv"
	"strings"
)

// Count writes a number with its thousands apart.
func Count[N int | int32 | int64](n N) string {
	s := strconv.FormatInt(int64(n), 10)
	first := 0
	if n < 0 {
		first = 1
	}
	for i := len(s) - 3; i > first; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Plural returns one or many, as the number demands, behind the number: "1 request", "3 requests".
func Plural[N int | int32 | int64](n N, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Count(n) + " " + many
}

// Of is Plural of a noun that has no form of its own for many: "2 requests", "2 addresses".
func Of[N int | int32 | int64](n N, noun string) string {
	if strings.HasSuffix(noun, "s") {
		return Plural(n, noun, noun+"es")
	}
	return Plural(n, noun, noun+"s")
}

package report

import (
	"strconv"
	"strings"
	"unicode/utf16"
)

// The rolling hash by which GitHub follows an alert from commit to commit (primaryLocationLineHash): over the next 100
// UTF-16 units from each line's start, blanks left out.
const (
	hashWindow = 100
	hashBase   = 37
	hashEnd    = 65535 // stands once behind the text
)

// lineHashes returns the hash of each line, with how often the same hash has occurred so far.
func lineHashes(text string) []string {
	units, starts := hashUnits(text)
	var leaving uint64 = 1 // hashBase to the power of hashWindow
	for range hashWindow {
		leaving *= hashBase
	}
	at := func(i int) uint64 {
		switch {
		case i < len(units):
			return uint64(units[i])
		case i == len(units):
			return hashEnd
		}
		return 0
	}
	out := make([]string, 0, len(starts))
	seen := make(map[uint64]int, len(starts))
	var h uint64
	for i := range hashWindow {
		h = h*hashBase + at(i)
	}
	line := 0
	for i := 0; line < len(starts); i++ {
		for line < len(starts) && starts[line] == i {
			seen[h]++
			out = append(out, strconv.FormatUint(h, 16)+":"+strconv.Itoa(seen[h]))
			line++
		}
		h = h*hashBase + at(i+hashWindow) - leaving*at(i)
	}
	return out
}

// hashUnits returns the units that count, any line end as one LF, and the index at which each line starts.
func hashUnits(text string) (units []uint16, starts []int) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	units = make([]uint16, 0, len(text))
	starts = append(starts, 0)
	for _, r := range text {
		switch r {
		case ' ', '\t':
		case '\n', '\r':
			units = append(units, '\n')
			starts = append(starts, len(units))
		default:
			units = utf16.AppendRune(units, r)
		}
	}
	return units, starts
}

package accesslog

import "strings"

// sampled is how many lines are looked at to find a log's format.
const sampled = 200

// A Guess is a format that was found by looking at lines.
type Guess struct {
	Format Format
	Fit    int // how many of the lines looked at are of it
	Of     int
}

// Detect finds the format of a log by its first lines: that which most of them are of. Of formats that fit equally the
// first wins: those given, in their order, then JSON lines, then those that are known by name. Fit is 0 where no line is
// of any.
func Detect(block Block, given []Format, o Options) Guess {
	var lines []string
	for s := range strings.SplitSeq(block.Text, "\n") {
		if s = strings.TrimSuffix(strings.TrimPrefix(s, "\ufeff"), "\r"); s != "" && len(s) <= LongestLine {
			lines = append(lines, s)
		}
		if len(lines) == sampled {
			break
		}
	}
	best := Guess{Of: len(lines)}
	for _, f := range append(append(append([]Format{}, given...), JSON), known...) {
		r, err := NewReader(f, o)
		if err != nil {
			continue
		}
		if n := r.fit(lines); n > best.Fit {
			best.Format, best.Fit = f, n
		}
	}
	return best
}

// fit counts the lines that are of the reader's own format.
func (r *Reader) fit(lines []string) int {
	p := r.Parser()
	n := 0
	var rec Record
	for _, s := range lines {
		if !p.decode(r.main, s, len(s), &rec).Skips() {
			n++
		}
	}
	return n
}

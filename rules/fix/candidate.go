package fix

import (
	"cmp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// carrierOf names what holds the bytes of a file, among Texts.
func carrierOf(f *source.File) string { return cmp.Or(f.Real, Stdin) }

// An edit is a source.Edit in the bytes of what holds the file.
type edit struct {
	carrier    string
	start, end int
	text       string
}

func compareEdits(a, b edit) int {
	return cmp.Or(cmp.Compare(a.carrier, b.carrier), cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end))
}

// A candidate is a fix that may be made, with the findings that carry it: a file that several inputs include has the same
// ones in each.
type candidate struct {
	findings []found
	edits    []edit // in order
	quotes   []edit // what they repeat, with no text
	safe     bool
	key      string // the same for the same edits
	carried  bool   // by a dump or by standard input
	parted   bool   // only a part of it is
}

// found is a finding of an input.
type found struct {
	input int
	*rule.Finding
}

func newCandidate(input int, f *rule.Finding) candidate {
	c := candidate{findings: []found{{input, f}}, edits: make([]edit, len(f.Fix.Edits)), safe: f.Fix.Safe}
	for _, q := range f.Fix.Quotes {
		base := int(q.File.Base)
		c.quotes = append(c.quotes, edit{carrierOf(q.File), base + int(q.Start), base + int(q.End), ""})
	}
	for i, e := range f.Fix.Edits {
		file := e.Span.File
		base := int(file.Base)
		c.edits[i] = edit{carrierOf(file), base + int(e.Span.Start), base + int(e.Span.End), e.Text}
		c.parted = c.parted || i > 0 && c.carried != isCarried(file)
		c.carried = isCarried(file)
	}
	slices.SortStableFunc(c.edits, compareEdits)
	var key strings.Builder
	for _, e := range c.edits {
		key.WriteString(e.carrier + "\x00" + strconv.Itoa(e.start) + "\x00" + strconv.Itoa(e.end) + "\x00" + e.text + "\x00")
	}
	c.key = key.String()
	return c
}

// isCarried says that a file has no file of its own on disk.
func isCarried(f *source.File) bool { return f.Container != "" || f.Real == "" }

// invalid says why a fix cannot be made at all.
func (c candidate) invalid() string {
	for i := 1; i < len(c.edits); i++ {
		a, b := c.edits[i-1], c.edits[i]
		if a.carrier == b.carrier && b.start < a.end {
			return "its own edits overlap"
		}
	}
	if c.parted {
		return "a part of it lies in a dump or in standard input"
	}
	return ""
}

// choose takes, in order, the fixes that do not touch one that was taken before: those wait. So do those that repeat what
// another one changes, since they would repeat what is no longer there.
func choose(all []candidate) (chosen, waiting []candidate) {
	if !slices.ContainsFunc(all, func(c candidate) bool { return len(c.quotes) > 0 }) {
		return apart(all)
	}
	changed := byCarrier(editsOf(all))
	var now []candidate
	for _, c := range all {
		if slices.ContainsFunc(c.quotes, func(q edit) bool { return touches(changed[q.carrier], q) }) {
			waiting = append(waiting, c)
		} else {
			now = append(now, c)
		}
	}
	if len(now) == 0 { // they repeat each other
		return all[:1], all[1:]
	}
	chosen, others := apart(now)
	return chosen, append(others, waiting...)
}

// apart takes, in order, the fixes that do not touch one that was taken before.
func apart(all []candidate) (chosen, waiting []candidate) {
	taken := map[string][]edit{} // in order, by carrier; none of them touch
	for _, c := range all {
		if slices.ContainsFunc(c.edits, func(e edit) bool { return touches(taken[e.carrier], e) }) {
			waiting = append(waiting, c)
			continue
		}
		for _, e := range c.edits {
			list := taken[e.carrier]
			i, _ := slices.BinarySearchFunc(list, e, compareEdits)
			taken[e.carrier] = slices.Insert(list, i, e)
		}
		chosen = append(chosen, c)
	}
	return chosen, waiting
}

// touches says whether an edit overlaps one of a list or adjoins it.
func touches(list []edit, e edit) bool {
	i := sort.Search(len(list), func(i int) bool { return list[i].end >= e.start })
	return i < len(list) && list[i].start <= e.end
}

// byCarrier splits edits, which are in order, by what they change.
func byCarrier(edits []edit) map[string][]edit {
	split := map[string][]edit{}
	for _, e := range edits {
		split[e.carrier] = append(split[e.carrier], e)
	}
	return split
}

// applyTo makes edits, which are in order and do not overlap, in a text.
func applyTo(text string, edits []edit) string {
	var b strings.Builder
	at := 0
	for _, e := range edits {
		b.WriteString(text[at:e.start])
		b.WriteString(e.text)
		at = e.end
	}
	b.WriteString(text[at:])
	return b.String()
}

// moved says where a place of the text is after edits: behind what is put in at it. Of a place within what is replaced it
// is where the replacement starts.
func moved(edits []edit, at int) int {
	shift := 0
	for _, e := range edits {
		switch {
		case e.start > at || e.start == at && e.end > at:
			return at + shift
		case e.end > at:
			return e.start + shift
		}
		shift += len(e.text) - (e.end - e.start)
	}
	return at + shift
}

// partition tells safe fixes from the others, each in order.
func partition(all []candidate) (safe, others []candidate) {
	for _, c := range all {
		if c.safe {
			safe = append(safe, c)
		} else {
			others = append(others, c)
		}
	}
	return safe, others
}

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
	c := candidate{findings: []found{{input, f}}, edits: make([]edit, len(f.Fix.Edits))}
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

// choose takes, in order, the fixes that do not touch one that was taken before: those wait.
func choose(all []candidate) (chosen, waiting []candidate) {
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

package load

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
)

// repeats says whether a path is named again by a line that looks like a marker, from i on.
func (s *splitter) repeats(i int, path string) bool {
	places := s.places[path]
	return len(places) > 0 && places[len(places)-1] >= i
}

// real decides whether marker i ends the file that starts at marker start: an include of what was read leads to its
// path, and the path has not been there before. What stays in doubt is noted.
func (s *splitter) real(d *dump, r *reach, start, i int, damaged bool) bool {
	m := s.markers[i]
	if s.refused[i] {
		return false
	}
	if !r.leads(m.path) {
		if damaged || s.spaced(i) && !fits(s.pieces[start], s.pieces[i]) {
			d.doubt(m, `the line "%s%s:" was taken for a comment, since no include before it leads to a further file of that name`)
		}
		return false
	}
	if !r.needs(m.path) || s.repeats(i+1, m.path) {
		if i == start+1 && s.touch(start) {
			return false // nginx ends even an empty file with a newline
		}
		if s.touch(i) && !s.spaced(i) && r.leads(s.markers[i+1].path) {
			d.doubt(m, `of two lines in a row that may start a file, the first, "%s%s:", was taken for a comment`)
			return false
		}
	}
	further, _ := slices.BinarySearch(s.mains, i+1)
	for _, k := range s.places[m.path] {
		switch {
		case k <= i || further < len(s.mains) && k >= s.mains[further]:
			continue
		case s.spaced(i) && !s.spaced(k):
			continue // text of a file, which no line of nginx's own precedes
		case !s.whole(i, k):
			continue // it stands within a block or a string of what the first one starts
		case s.spaced(k) && !s.spaced(i):
			d.doubt(m, `two lines "%s%s:" may start that file, the second was taken`)
			return false
		}
		d.doubt(m, `two lines "%s%s:" may start that file, the first was taken`)
		return true
	}
	return true
}

// whole says that nothing is open at marker k in the text from marker i on, as far as that may still be found out.
func (s *splitter) whole(i, k int) bool {
	file := s.file(i, k)
	if s.budget -= len(file.Text); s.budget < 0 {
		return true
	}
	return syntax.Parse(file).Complete()
}

// doubt notes that a marker may have been misjudged.
func (d *dump) doubt(m marker, format string) {
	d.doubts = append(d.doubts, doubt{at: m.start, text: fmt.Sprintf(format, markerHead, m.path)})
}

// touch says that the next marker follows marker i without any line between.
func (s *splitter) touch(i int) bool {
	return i+1 < len(s.markers) && s.markers[i].text == s.markers[i+1].start
}

// spaced says that an empty line precedes marker i, as one does behind any file that ends with a newline, or a line of
// nginx's own.
func (s *splitter) spaced(i int) bool {
	before := strings.TrimSuffix(s.text[:s.markers[i].start], s.eol)
	return strings.HasSuffix(before, "\n") || before == "" || isOwnLine(before[strings.LastIndexByte(before, '\n')+1:])
}

// restarts says that a further dump starts at marker i: it opens blocks that may stand in a configuration only once and
// that the current dump, whose main file starts at marker main, has had, and no include leads to it.
func (s *splitter) restarts(main, i int, r *reach) bool {
	if i == main {
		return false
	}
	_, begins := slices.BinarySearch(s.mains, main)
	_, again := slices.BinarySearch(s.mains, i)
	return begins && again && !r.leads(s.markers[i].path)
}

// opensOnce says that a file has one of the blocks of which a configuration has only one.
func opensOnce(doc *syntax.Document) bool {
	return slices.ContainsFunc(doc.Directives, func(d syntax.Directive) bool {
		return d.Block != nil && (d.Name().Value == "events" || d.Name().Value == "http")
	})
}

// intruder returns the marker of the first file that does not stand where nginx would have opened it, if nothing but
// a pattern leads to it and no empty line precedes it; -1 if there is none.
func (s *splitter) intruder(d *dump, first int) int {
	opened := d.in.Documents
	i := 0 // where the main file is not the first nothing can be said
	for i < len(d.docs) && i < len(opened) && d.docs[i] == opened[i] {
		i++
	}
	if i == 0 || i == len(d.docs) || s.spaced(d.starts[i]) {
		return -1
	}
	r := newReach(s.prefix(first))
	for _, doc := range d.docs[:i] {
		r.add(s.includesOf(doc))
	}
	if r.needs(d.docs[i].File.Path) {
		return -1
	}
	return d.starts[i]
}

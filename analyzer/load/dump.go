package load

import (
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
)

// A dump is what nginx -T printed, cut into its files. nginx writes a marker line, the file's bytes and one newline
// more, for each file once, in the order in which it first opens them. Lines inside a file may look like markers; what
// tells them apart is that an include leads to a real one, and that it stands where no block and no string is open.
type dump struct {
	preamble string // lines that belong to no file
	docs     []*syntax.Document
	starts   []int  // the marker of each
	in       *Input // the files, their includes followed
	doubts   []doubt
}

// A doubt is a line that may or may not be a marker.
type doubt struct {
	doc  *syntax.Document // of the file that the line was taken to be part of, or to start
	at   int              // offset of the line in the whole text
	text string
}

// A splitter cuts one text. Every piece between two lines that look like markers is read first; pieces of which one
// file consists are then read again as one.
type splitter struct {
	name    string // of the text, for File.Container
	text    string
	eol     string
	markers []marker
	pieces  []*syntax.Document
	found   map[*syntax.Document][]include // the includes of pieces
	places  map[string][]int               // markers by path
	mains   []int                          // markers whose piece opens a block that a configuration has only once
	refused map[int]bool                   // markers that turned out to be none
	budget  int                            // bytes that may still be read again
}

// splitDump cuts a text at its markers. Several dumps in one text, one behind the other, come back as several. There
// are none where the text holds no marker.
func splitDump(name, text string) []*dump {
	markers, eol := findMarkers(text)
	if len(markers) == 0 {
		return nil
	}
	s := &splitter{name: name, text: text, eol: eol, markers: markers, budget: 8*len(text) + 1<<16}
	s.pieces = make([]*syntax.Document, len(markers))
	found := make([][]include, len(markers))
	parallel(len(markers), func(i int) {
		s.pieces[i] = syntax.Parse(s.file(i, i+1))
		found[i] = includesOf(s.pieces[i])
	})
	s.found = make(map[*syntax.Document][]include, len(markers))
	for i, doc := range s.pieces {
		s.found[doc] = found[i]
	}
	s.places, s.refused = map[string][]int{}, map[int]bool{}
	for i, m := range markers {
		s.places[m.path] = append(s.places[m.path], i)
		if opensOnce(s.pieces[i]) {
			s.mains = append(s.mains, i)
		}
	}
	var dumps []*dump
	for i := 0; i < len(markers); {
		d, next := s.split(i)
		if i == 0 {
			d.preamble = text[:markers[0].start] + d.preamble
		}
		dumps = append(dumps, d)
		i = next
	}
	return dumps
}

// includesOf returns the includes of a piece, or of a file put together from several.
func (s *splitter) includesOf(doc *syntax.Document) []include {
	if found, ok := s.found[doc]; ok {
		return found
	}
	return includesOf(doc)
}

// parallel calls do for 0 to n-1, on all processors.
func parallel(n int, do func(int)) {
	workers := min(runtime.GOMAXPROCS(0), n)
	if workers <= 1 {
		for i := range n {
			do(i)
		}
		return
	}
	var wait sync.WaitGroup
	const stride = 16 // neighbours are read together: most files are small
	next := make(chan int)
	for range workers {
		wait.Go(func() {
			for from := range next {
				for i := from; i < min(from+stride, n); i++ {
					do(i)
				}
			}
		})
	}
	for from := 0; from < n; from += stride {
		next <- from
	}
	close(next)
	wait.Wait()
}

// end returns where the piece in front of marker i ends.
func (s *splitter) end(i int) int {
	if i < len(s.markers) {
		return s.markers[i].start
	}
	return len(s.text)
}

// file returns the file that starts at marker i and ends in front of marker j.
func (s *splitter) file(i, j int) *source.File {
	from, to := body(s.text, s.markers[i].text, s.end(j), s.eol)
	return &source.File{Path: s.markers[i].path, Text: s.text[from:to], Container: s.name, Base: uint32(from)}
}

// split cuts one dump that starts at marker first, and returns the marker that starts the next one. Then it lets the
// files be opened as nginx would: one that comes too early, by a line behind which nginx would not have gone on like
// that, was no file, and the cutting is done again without it.
func (s *splitter) split(first int) (d *dump, next int) {
	main := s.mainOf(first)
	for try := 0; ; try++ {
		d, next = s.cut(first, main)
		at := max(slices.Index(d.starts, main), 0)
		d.in = &Input{Path: s.name, Kind: Dump, Main: d.docs[at]}
		follow(d.in, newInDump(d.docs), s.prefix(d.starts[at]), s.includesOf)
		intruder := s.intruder(d, first)
		if intruder < 0 || try >= maxTries && try*len(s.markers) >= maxRetried {
			return d, next
		}
		s.refused[intruder] = true
	}
}

// maxTries and maxRetried bound how often a dump is cut again: few times, or as long as that costs little.
const (
	maxTries   = 3
	maxRetried = 20_000
)

// mainOf returns the marker of the main file of the dump that starts at a marker: that one, unless it starts a fragment
// and a later one a main file to which no include leads. nginx prints the main file first, but dumps are put together
// and edited.
func (s *splitter) mainOf(first int) int {
	next, begins := slices.BinarySearch(s.mains, first)
	if begins || next == len(s.mains) {
		return first
	}
	for _, i := range s.mains[next:min(next+maxTries, len(s.mains))] {
		included := false
		for _, prefix := range []string{s.prefix(i), s.prefix(first)} {
			r := newReach(prefix)
			for _, doc := range s.pieces[first:] {
				r.add(s.includesOf(doc))
			}
			included = included || r.leads(s.markers[i].path)
		}
		if !included {
			return i
		}
	}
	return first
}

func (s *splitter) cut(first, main int) (d *dump, next int) {
	d = &dump{}
	r := newReach(s.prefix(main))
	if main != first { // what it includes may stand before it
		for _, doc := range s.pieces[first:] {
			r.add(s.includesOf(doc))
		}
	}
	for start := first; ; {
		r.take(s.markers[start].path)
		end, found := start, false
		for damaged := false; !found; {
			stop, whole := s.closes(end, r)
			for ; end < stop; end++ {
				r.add(s.includesOf(s.pieces[end]))
			}
			damaged = damaged || !whole
			found = end == len(s.markers) || end == main || s.restarts(main, end, r) || s.real(d, r, start, end, damaged)
		}
		s.finish(d, start, end)
		if end == len(s.markers) || s.restarts(main, end, r) {
			return d, end
		}
		start = end
	}
}

// prefix returns what is put in front of relative includes: the folder of the main file. Where the dump's main file was
// cut off it is the folder above the first file from which most of the includes lead to a file of the dump.
func (s *splitter) prefix(first int) string {
	own := folderOf(s.markers[first].path)
	if opensOnce(s.pieces[first]) {
		return own
	}
	best, most := own, -1
	for folder := own; folder != ""; folder = folderOf(folder[:len(folder)-1]) {
		found := 0
		for _, doc := range s.pieces[first:min(first+maxAsked, len(s.pieces))] {
			for _, inc := range s.includesOf(doc) {
				if len(s.places[folder+inc.name]) > 0 {
					found++
				}
			}
		}
		if found > most {
			best, most = folder, found
		}
	}
	return best
}

// maxAsked bounds how many files are asked for the prefix.
const maxAsked = 100

// closes returns the marker in front of which the text from piece i on is whole: no block and no string is open there.
// Where it never becomes whole, or an include needs the very marker behind the piece, the piece is damaged, and ends
// there all the same.
func (s *splitter) closes(i int, r *reach) (marker int, whole bool) {
	if s.pieces[i].Complete() {
		return i + 1, true
	}
	if i+1 == len(s.markers) {
		return i + 1, false
	}
	r.add(s.includesOf(s.pieces[i]))
	if path := s.markers[i+1].path; r.needs(path) && !s.repeats(i+2, path) {
		return i + 1, false
	}
	for width := 2; ; width *= 2 {
		j := min(i+width, len(s.markers))
		file := s.file(i, j)
		if s.budget -= len(file.Text); s.budget < 0 {
			return i + 1, false
		}
		doc := syntax.Parse(file)
		if k := s.firstGap(doc, i+1, j); k > 0 {
			return k, true
		}
		if j == len(s.markers) || len(doc.Errors) > 0 && !atEnd(doc) {
			return i + 1, false
		}
	}
}

// atEnd says that a file's first error is its end: more text may mend it.
func atEnd(doc *syntax.Document) bool {
	return strings.HasPrefix(doc.Errors[0].Text, "unexpected end of file")
}

// firstGap returns the first of the markers from i up to j that stands between two directives of the file, with
// nothing refused in front of it; 0 if there is none. The end of the file counts where j is the last marker.
func (s *splitter) firstGap(doc *syntax.Document, i, j int) int {
	base := int(doc.File.Base)
	wrong := len(s.text) + 1
	if len(doc.Errors) > 0 {
		wrong = base + int(doc.Errors[0].Span.Start)
	}
	next := 0
	for k := i; k < j; k++ {
		at := s.markers[k].start - base
		for next < len(doc.Directives) && int(extentEnd(&doc.Directives[next])) <= at {
			next++
		}
		if wrong < s.markers[k].start {
			return 0
		}
		if next == len(doc.Directives) || int(doc.Directives[next].Name().Start) >= at {
			return k
		}
	}
	if j == len(s.markers) && doc.Complete() {
		return j
	}
	return 0
}

// extentEnd returns the offset behind a directive and its block.
func extentEnd(d *syntax.Directive) uint32 {
	if d.Block != nil {
		return max(d.End, d.Block.Close+1)
	}
	return d.End
}

// finish adds the file that starts at marker start and ends in front of marker end.
func (s *splitter) finish(d *dump, start, end int) {
	doc := s.pieces[start]
	if end > start+1 {
		doc = syntax.Parse(s.file(start, end))
	}
	d.docs, d.starts = append(d.docs, doc), append(d.starts, start)
	from, to := int(doc.File.Base), int(doc.File.Base)+len(doc.File.Text)
	d.preamble += s.text[s.markers[start].text:from]
	if rest := s.text[to:s.end(end)]; rest != s.eol {
		d.preamble += strings.TrimPrefix(rest, s.eol)
	}
	for i := range d.doubts {
		if p := &d.doubts[i]; p.doc == nil && p.at < s.end(end) {
			p.doc = doc
		}
	}
}

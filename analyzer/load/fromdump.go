package load

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/directive"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
)

// inDump are the files of one dump.
type inDump struct {
	docs    map[string]*syntax.Document
	folders map[string][]string // paths by folder, in the order of bytes
	all     []string            // in the order of bytes
}

func newInDump(docs []*syntax.Document) *inDump {
	s := &inDump{docs: map[string]*syntax.Document{}, folders: map[string][]string{}}
	for _, doc := range docs {
		s.docs[doc.File.Path] = doc
		s.all = append(s.all, doc.File.Path)
	}
	slices.Sort(s.all)
	for _, path := range s.all {
		folder := folderOf(path)
		s.folders[folder] = append(s.folders[folder], path)
	}
	return s
}

func (s *inDump) open(name string) (*syntax.Document, string) {
	if doc := s.docs[name]; doc != nil {
		return doc, ""
	}
	return nil, fmt.Sprintf(`the dump has no file "%s", which is included here`, name)
}

// geoMatches takes the name for a pattern unless the dump has the very file: the nginx that printed it has read both.
func (s *inDump) geoMatches(name string) bool { return s.docs[name] == nil }

func (s *inDump) match(pattern string) ([]string, string) {
	paths := s.all
	if folder := folderOf(pattern); !hasWildcard(folder) {
		paths = s.folders[unescape(folder)]
	}
	var found []string
	for _, path := range paths {
		if matchPath(pattern, path) {
			found = append(found, path)
		}
	}
	return found, ""
}

// dumps makes inputs of the dumps in a text; nil if it is none. A file of a configuration may hold a line that looks
// like a marker, but then directives stand before it.
func (l *loader) dumps(path string, file *source.File) []*Input {
	text := file.Text
	markers, _ := findMarkers(text)
	if len(markers) == 0 {
		return nil
	}
	if before := text[:markers[0].start]; !outsideFiles(before) {
		return nil
	}
	var inputs []*Input
	for _, d := range splitDump(path, text) {
		in := fromDump(d)
		in.Whole = text
		for _, doc := range in.Documents {
			doc.File.Real = file.Real
		}
		inputs = append(inputs, in)
	}
	return inputs
}

// outsideFiles says that a text in front of a dump holds no directive: only what nginx and the shell have written.
func outsideFiles(text string) bool {
	if strings.TrimSpace(text) == "" {
		return true
	}
	doc := syntax.Parse(&source.File{Text: text})
	return !slices.ContainsFunc(doc.Directives, func(d syntax.Directive) bool {
		_, ok := directive.Lookup(d.Name().Value)
		return ok && (d.Block != nil || d.NumArgs() == 0 || terminated(&d))
	})
}

// fromDump completes the input of one dump.
func fromDump(d *dump) *Input {
	in := d.in
	in.Preamble = d.preamble
	for _, doubt := range d.doubts {
		start := uint32(max(doubt.at-int(doubt.doc.File.Base), 0))
		length := strings.IndexByte(doubt.doc.File.Text[start:]+"\n", '\n')
		in.problem(source.Span{File: doubt.doc.File, Start: start, End: start + uint32(length)}, doubt.text)
	}
	in.unreached(d.docs)
	for _, doc := range d.docs {
		in.mixedIn(doc)
	}
	if place(in) != directive.Main {
		in.problem(source.Span{File: in.Main.File}, "the dump does not begin with a main file")
		in.Context = place(in).Path()
	}
	return in
}

// unreached adds the files of a dump to which no include that could be followed leads.
func (in *Input) unreached(docs []*syntax.Document) {
	reached := map[*syntax.Document]bool{}
	for _, doc := range in.Documents {
		reached[doc] = true
	}
	for _, doc := range docs {
		if !reached[doc] {
			in.Documents = append(in.Documents, doc)
			in.problem(source.Span{File: doc.File}, fmt.Sprintf(`no include leads to the file "%s" of the dump`, doc.File.Path))
		}
	}
}

// mixedIn looks for lines of nginx's own in the middle of a file's text: written there while the dump was written.
func (in *Input) mixedIn(doc *syntax.Document) {
	text := doc.File.Text
	for _, head := range []string{"\nnginx: ", "\n20"} {
		for at := strings.Index(text, head); at >= 0; {
			start := at + 1
			line, _, _ := strings.Cut(text[start:], "\n")
			if isOwnLine(line) {
				in.problem(source.Span{File: doc.File, Start: uint32(start), End: uint32(start + len(line))},
					"a line that nginx wrote to standard error stands inside this file")
			}
			next := strings.Index(text[start:], head)
			if next < 0 {
				break
			}
			at = start + next
		}
	}
}

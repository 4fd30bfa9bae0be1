package lsp

import (
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/load"
)

// What open documents may come to.
const (
	maxDocument = 128 << 20 // bytes of one
	maxWork     = 4 << 30   // bytes that the changes of one message may copy
)

// A document is a text that is open in the editor. It is not changed: a change makes a new one.
type document struct {
	uri     string
	path    string // "" for what is no file
	real    string // links followed; "" where no file of the name is on disk
	version int32
	turn    int // later opens and changes have larger ones
	*lines
}

func (s *server) put(d document, text string) error {
	if len(text) > maxDocument {
		delete(s.documents, d.uri)
		s.changed()
		return failed(codeInvalidParams, "%s has %d bytes, more than the %d that are taken: it is read from disk", d.uri, len(text), maxDocument)
	}
	s.turn++
	d.turn, d.lines = s.turn, newLines(text, s.units)
	s.documents[d.uri] = &d
	s.changed()
	return nil
}

func (s *server) didOpen(p *openParams) (any, error) {
	d := document{uri: p.TextDocument.URI, version: p.TextDocument.Version}
	if d.uri == "" {
		return nil, failed(codeInvalidParams, "a document without a URI")
	}
	if d.path = pathOf(d.uri); d.path != "" {
		d.real, _ = load.RealPath(d.path) //nolint:errcheck // a file that is not saved yet
	}
	return nil, s.put(d, p.TextDocument.Text)
}

func (s *server) didChange(p *changeParams) (any, error) {
	old := s.documents[p.TextDocument.URI]
	if old == nil {
		return nil, failed(codeInvalidParams, "%q is not open", p.TextDocument.URI)
	}
	l, work := old.lines, 0
	for _, c := range p.ContentChanges {
		if c.Range == nil {
			l = newLines(c.Text, s.units)
			continue
		}
		start, end := l.offset(c.Range.Start), l.offset(c.Range.End)
		if end < start {
			return nil, failed(codeInvalidParams, "a change of %q ends before it starts", old.uri)
		}
		if work += len(l.text) + len(c.Text); work > maxWork {
			return nil, failed(codeInvalidParams, "the changes of %q are too many", old.uri)
		}
		l = newLines(strings.Join([]string{l.text[:start], c.Text, l.text[end:]}, ""), s.units)
	}
	d := *old
	d.version = p.TextDocument.Version
	return nil, s.put(d, l.text)
}

// didSave looks at the disk again: the file may be new there, and others that are read may have changed with it.
func (s *server) didSave(p *documentParams) (any, error) {
	if old := s.documents[p.TextDocument.URI]; old != nil && old.path != "" {
		d := *old
		d.real, _ = load.RealPath(d.path) //nolint:errcheck // saved elsewhere
		s.documents[d.uri] = &d
	}
	s.disk()
	return nil, nil
}

func (s *server) didClose(p *documentParams) (any, error) {
	if s.documents[p.TextDocument.URI] == nil {
		return nil, failed(codeInvalidParams, "%q is not open", p.TextDocument.URI)
	}
	delete(s.documents, p.TextDocument.URI)
	s.changed()
	return nil, nil
}

// open returns an open document.
func (s *server) open(uri string) (*document, error) {
	d := s.documents[uri]
	if d == nil {
		return nil, failed(codeInvalidParams, "%q is not open", uri)
	}
	return d, nil
}

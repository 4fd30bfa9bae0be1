package lsp

import (
	"strings"
	"unicode"

	"github.com/ngxlimit/ngxlimit/analyzer/directive"
	"github.com/ngxlimit/ngxlimit/analyzer/load"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
)

// A zoneWord is a place at which a zone is named.
type zoneWord struct {
	module  string // "limit_req" or "limit_conn", of which each has zones of its own
	name    string
	defines bool
	span    source.Span // of the name alone; of the whole word where that holds escapes
	plain   bool        // the span is that of the name alone
	at      *syntax.Directive
}

// zoneWords finds the zones that a directive names.
func zoneWords(d *syntax.Directive) []zoneWord {
	module, defines := strings.CutSuffix(d.Name().Value, "_zone")
	if module != "limit_req" && module != "limit_conn" {
		return nil
	}
	var found []zoneWord
	for i, w := range d.Args() {
		name, ok := strings.CutPrefix(w.Value, "zone=")
		prefix := len("zone=")
		if module == "limit_conn" && !defines {
			name, prefix, ok = w.Value, 0, i == 0
		}
		if !ok {
			continue
		}
		if defines {
			name, _, _ = strings.Cut(name, ":")
		}
		z := zoneWord{module: module, name: name, defines: defines, span: d.WordSpan(w), at: d}
		start := w.Start + uint32(prefix)
		if w.Quote != 0 {
			start++
		}
		exact := source.Span{File: d.File, Start: start, End: start + uint32(len(name))}
		if exact.End <= w.End && exact.Text() == name {
			z.span, z.plain = exact, true
		}
		found = append(found, z)
	}
	return found
}

// zones yields every place at which a zone of http is named, in the order of the configuration.
func (v *view) zones(yield func(zoneWord) bool) {
	v.walk(func(d *syntax.Directive, at directive.Context) bool {
		if at&directive.AnyStream != 0 {
			return true // a zone of stream is none of http's
		}
		for _, z := range zoneWords(d) {
			if !yield(z) {
				return false
			}
		}
		return true
	}, func(*syntax.Document, directive.Context) {})
}

// A spot is the place in a configuration that a request is about.
type spot struct {
	*view
	doc       *syntax.Document
	directive *syntax.Directive // nil where none is
	offset    uint32            // within the file
}

// spot finds the place that a request is about; false where nothing could be read there.
func (s *server) spot(p *placeParams) (spot, bool, error) {
	d, err := s.open(p.TextDocument.URI)
	if err != nil {
		return spot{}, false, err
	}
	offset := d.offset(p.Position)
	for _, v := range s.snapshot.of(d) {
		if doc, at, ok := v.at(d, offset); ok {
			return spot{v, doc, directiveAt(doc, at), at}, true, nil
		}
	}
	return spot{}, false, nil
}

// zone returns the zone that is named at the place.
func (p spot) zone() (zoneWord, bool) {
	if p.directive == nil {
		return zoneWord{}, false
	}
	for _, z := range zoneWords(p.directive) {
		if w := z.span; w.Start <= p.offset && p.offset <= w.End {
			return z, true
		}
		if _, w, ok := wordAt(p.directive, p.offset); ok && w.Start <= z.span.Start && z.span.End <= w.End {
			return z, true
		}
	}
	return zoneWord{}, false
}

// named yields the places at which the same zone is named.
func (v *view) named(z zoneWord) (all []zoneWord) {
	for w := range v.zones {
		if w.module == z.module && w.name == z.name {
			all = append(all, w)
		}
	}
	return all
}

func (s *server) definition(p *placeParams) (any, error) {
	found := []location{}
	at, ok, err := s.spot(p)
	if !ok || at.directive == nil {
		return found, err
	}
	if z, ok := at.zone(); ok {
		for _, w := range at.named(z) {
			if w.defines {
				found = append(found, at.locate(w.span))
			}
		}
		return found, nil
	}
	for _, doc := range at.input.Includes(at.directive) {
		found = append(found, at.locate(source.Span{File: doc.File}))
	}
	return found, nil
}

func (s *server) references(p *referenceParams) (any, error) {
	found := []location{}
	at, ok, err := s.spot(&p.placeParams)
	if !ok {
		return found, err
	}
	z, ok := at.zone()
	if !ok {
		return found, nil
	}
	for _, w := range at.named(z) {
		if !w.defines || p.Context.IncludeDeclaration {
			found = append(found, at.locate(w.span))
		}
	}
	return found, nil
}

func (s *server) prepareRename(p *placeParams) (any, error) {
	at, ok, err := s.spot(p)
	if !ok {
		return nil, err
	}
	z, ok := at.zone()
	if !ok || !z.plain {
		return nil, nil
	}
	return prepared{at.rangeOf(z.span), z.name}, nil
}

// rename gives a zone another name wherever the configuration names it. It refuses to where that cannot be told, and
// where two zones would become one.
func (s *server) rename(p *renameParams) (any, error) {
	at, ok, err := s.spot(&p.placeParams)
	if !ok {
		return nil, err
	}
	z, ok := at.zone()
	switch {
	case !ok:
		return nil, failed(codeFailed, "there is no zone here to rename")
	case !zoneName(p.NewName):
		return nil, failed(codeInvalidParams, "%q cannot be written as the name of a zone", p.NewName)
	case !at.tree.Complete():
		return nil, failed(codeFailed, "not all of the configuration could be read, and what was not may name the zone too")
	case at.lone == nil && at.input.Kind == load.Fragment:
		return nil, failed(codeFailed, "the file is read alone, since no main file includes it, and others may name the zone too")
	}
	var edits []source.Edit
	for w := range at.zones {
		switch {
		case w.name == p.NewName && w.name != z.name && w.defines:
			return nil, failed(codeFailed, "there is a zone %q already", p.NewName)
		case w.module != z.module || w.name != z.name:
		case !w.plain:
			return nil, failed(codeFailed, "the zone's name is written with escapes at one place, and is not changed")
		default:
			edits = append(edits, source.Edit{Span: w.span, Text: p.NewName})
		}
	}
	return at.edit(edits, &s.client), nil
}

// zoneName says whether a text can be written as a zone's name without quotes.
func zoneName(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r) || strings.ContainsRune(`;{}"'\$:#`, r)
	})
}

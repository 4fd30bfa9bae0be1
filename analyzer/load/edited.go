package load

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
)

// Edited returns the input as it would be read with edits made in its files. Nothing is opened: each include goes on to
// lead where one of the same name in its file did. It fails for edits that overlap, that belong to no file of the input, that change which files are
// included, or behind which a file can no longer be read.
func (in *Input) Edited(edits []source.Edit) (*Input, error) {
	byFile := map[*source.File][]source.Edit{}
	for _, e := range edits {
		byFile[e.Span.File] = append(byFile[e.Span.File], e)
	}
	out := *in
	out.Documents = slices.Clone(in.Documents)
	fresh := map[*syntax.Document]*syntax.Document{}
	for i, doc := range in.Documents {
		list := byFile[doc.File]
		if list == nil {
			continue
		}
		delete(byFile, doc.File)
		read, err := editedDocument(doc, list)
		if err != nil {
			return nil, fmt.Errorf("edit %s: %w", doc.File.Path, err)
		}
		out.Documents[i], fresh[doc] = read, read
		if doc == in.Main {
			out.Main = read
		}
	}
	if len(byFile) > 0 {
		return nil, errors.New("edit: a file is none of the input")
	}
	return &out, out.reconnect(in, fresh)
}

// reconnect gives the includes of edited files the places where those of the old ones led.
func (in *Input) reconnect(old *Input, fresh map[*syntax.Document]*syntax.Document) error {
	now := func(docs []*syntax.Document) []*syntax.Document {
		if !slices.ContainsFunc(docs, func(d *syntax.Document) bool { return fresh[d] != nil }) {
			return docs
		}
		docs = slices.Clone(docs)
		for i, d := range docs {
			if f := fresh[d]; f != nil {
				docs[i] = f
			}
		}
		return docs
	}
	in.includes = make(map[*syntax.Directive][]*syntax.Document, len(old.includes))
	for d, docs := range old.includes {
		in.includes[d] = now(docs)
	}
	for before, after := range fresh {
		if err := in.lead(includesOf(before), includesOf(after)); err != nil {
			return fmt.Errorf("edit %s: %w", before.File.Path, err)
		}
	}
	return nil
}

// lead lets the includes of an edited file lead where those led that have the same name: that does not rest on where an
// include stands.
func (in *Input) lead(was, is []include) error {
	led := make(map[string][]*syntax.Document, len(was))
	for _, i := range was {
		led[i.name] = in.includes[i.at]
		delete(in.includes, i.at)
	}
	still := make(map[string]bool, len(led))
	for _, i := range is {
		docs, known := led[i.name]
		if !known {
			return errIncludes
		}
		still[i.name] = true
		if docs != nil {
			in.includes[i.at] = docs
		}
	}
	if len(still) < len(led) {
		return errIncludes
	}
	return nil
}

var errIncludes = errors.New("it changes which files are included")

// editedDocument reads a file again with edits made.
func editedDocument(doc *syntax.Document, edits []source.Edit) (*syntax.Document, error) {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b source.Edit) int { return cmp.Compare(a.Span.Start, b.Span.Start) })
	var b strings.Builder
	text, at := doc.File.Text, uint32(0)
	for _, e := range edits {
		if e.Span.Start < at || e.Span.End < e.Span.Start || int(e.Span.End) > len(text) {
			return nil, fmt.Errorf("the edit at byte %d overlaps another one or lies outside", e.Span.Start)
		}
		b.WriteString(text[at:e.Span.Start])
		b.WriteString(e.Text)
		at = e.Span.End
	}
	b.WriteString(text[at:])
	read := syntax.Parse(&source.File{Path: doc.File.Path, Text: b.String(), Container: doc.File.Container, Base: doc.File.Base, Disk: doc.File.Disk})
	if doc.Complete() && !read.Complete() {
		return nil, fmt.Errorf("it can no longer be read: %s", read.Errors[0].Text)
	}
	return read, nil
}

package syntax

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
)

// Parse reads a file as nginx's own reader does. It never fails as a whole: what nginx would refuse is in Errors, and
// whatever could be read in spite of it is in Directives.
func Parse(file *source.File) *Document {
	if uint64(len(file.Text)) > maxText {
		return &Document{File: file, Errors: []Error{{
			Span: source.Span{File: file},
			Line: 1,
			Text: fmt.Sprintf("file of %d bytes is not read, the most is %d", len(file.Text), uint32(maxText)),
		}}}
	}
	p := newParser(file)
	return p.document()
}

// A parser puts the reader's words together to directives and blocks. The open blocks stand on a stack of its own, so
// that no nesting can use up the stack of the program.
type parser struct {
	reader
	read []Directive // of all open blocks, outermost first; those of a block leave when it ends
	open []openBlock

	in *inFile
	*memory
}

func newParser(file *source.File) *parser {
	m := memories.Get().(*memory)
	return &parser{
		reader: reader{file: file, text: file.Text, words: m.spareWords[:0]},
		read:   m.spareRead[:0], in: &inFile{File: file, words: m.sparePlaces[:0]}, memory: m,
	}
}

// An openBlock is a block whose "}" has not been read. One without a name, which nginx refuses, has no Block; its
// directives fall to the block around it.
type openBlock struct {
	*Block
	first int // index in read of its first directive
}

func (p *parser) document() *Document {
	p.run()
	doc := &Document{File: p.file, Directives: p.keep(0), Comments: slices.Clip(p.comments), Errors: p.errors}
	p.spareWords, p.spareRead, p.sparePlaces = p.words, p.read, p.in.words
	p.in.words, p.in.odd = p.places.keep(p.in.words), slices.Clip(p.in.odd)
	memories.Put(p.memory)
	return doc
}

func (p *parser) run() {
	for {
		s := p.directive()
		switch {
		case s == stopEnd:
			p.end()
			return
		case s == stopClose:
			p.closeBlock()
		case len(p.words) == 0:
			p.unnamed(s)
		case s == stopOpen:
			p.openBlock()
		default:
			p.add(p.pos, nil)
		}
	}
}

// add takes the words that were read as a directive that ends at end.
func (p *parser) add(end int, block *Block) {
	p.read = append(p.read, Directive{
		inFile: p.in, Block: block, End: uint32(end), first: p.in.keep(p.words), args: uint32(len(p.words) - 1),
	})
}

func (p *parser) openBlock() {
	block := &p.blocks.take(1)[0]
	block.Open = uint32(p.pos - 1)
	block.Close = uint32(len(p.file.Text))
	end := p.pos
	if strings.HasSuffix(p.words[0].Value, luaSuffix) {
		p.lua(block)
		p.add(end, block)
		return
	}
	p.add(end, block)
	p.enter(block)
}

// enter makes what follows a part of block.
func (p *parser) enter(block *Block) {
	if len(p.open) == maxDepth {
		p.fail(p.pos-1, p.pos, p.pos-1, fmt.Sprintf("blocks nested more than %d deep, the rest of the file is not read", maxDepth))
		p.stop()
	}
	p.open = append(p.open, openBlock{Block: block, first: len(p.read)})
}

// unnamed refuses a ";" or "{" that no word precedes.
func (p *parser) unnamed(s stop) {
	p.unexpected(p.text[p.pos-1], p.pos-1, p.pos)
	if s == stopOpen && !p.skipTemplate() {
		p.enter(nil)
	}
}

// skipTemplate skips a tag of a template language, {{ }}, {% %} or {# #}, whose first brace has been refused: its
// braces are no blocks.
func (p *parser) skipTemplate() bool {
	rest := p.text[p.pos:min(len(p.text), p.pos+bufferSize)]
	if rest == "" {
		return false
	}
	last, ok := map[byte]string{'{': "}}", '%': "%}", '#': "#}"}[rest[0]]
	if !ok {
		return false
	}
	line, _, _ := strings.Cut(rest, "\n")
	n := strings.Index(line, last)
	if n < 0 {
		return false
	}
	p.pos += n + len(last)
	p.limit = max(p.limit, p.pos)
	return true
}

// closeBlock ends the innermost block at the "}" that has been read.
func (p *parser) closeBlock() {
	switch {
	case len(p.words) > 0: // a ";" is missing
		last := p.words[len(p.words)-1]
		p.unexpected('}', int(last.Start), int(last.End))
		p.add(int(last.End), nil)
		if len(p.open) == 0 {
			return
		}
	case len(p.open) == 0:
		p.unexpected('}', p.pos-1, p.pos)
		return
	}
	if b := p.open[len(p.open)-1]; b.Block != nil {
		b.Close, b.Closed = uint32(p.pos-1), true
	}
	p.leave()
}

// leave hands the innermost block its directives.
func (p *parser) leave() {
	b := p.open[len(p.open)-1]
	p.open = p.open[:len(p.open)-1]
	if b.Block == nil {
		return
	}
	b.Directives = p.keep(b.first)
}

// keep takes what was read from first on. Where that is nearly all it keeps the memory instead of a copy.
func (p *parser) keep(first int) []Directive {
	read := p.read[first:]
	if len(read) > largePiece && len(read) > 8*first {
		p.read = slices.Clone(p.read[:first])
		return slices.Clip(read)
	}
	p.read = p.read[:first]
	return p.directives.keep(read)
}

// end closes whatever the end of the text finds open.
func (p *parser) end() {
	if len(p.words) > 0 {
		last := p.words[len(p.words)-1]
		p.unexpectedEnd(int(last.Start), int(last.End))
		p.add(int(last.End), nil)
	} else if n := len(p.open); n > 0 && p.open[n-1].Block != nil {
		at := p.unclosed()
		p.fail(at, at+1, len(p.text), `unexpected end of file, expecting "}"`)
	}
	for len(p.open) > 0 {
		p.leave()
	}
}

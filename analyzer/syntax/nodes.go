// Package syntax knows nginx's grammar: it turns bytes into directives with exact places, and says in nginx's words
// where nginx would refuse them. It knows neither which directives exist nor what they mean (analyzer/directive and
// analyzer/config do), and it follows no include.
package syntax

import (
	"iter"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
)

// A Document is one file, read.
type Document struct {
	File       *source.File
	Directives []Directive
	Comments   []Comment // in order, wherever they stand
	Errors     []Error   // where nginx refuses the grammar, as they are met; nginx itself stops at the first
}

// Complete says that the whole file was understood. Where it is false, directives may be missing behind an error.
func (d *Document) Complete() bool { return len(d.Errors) == 0 }

// A Directive is a name and its arguments, closed by ";" or by a block. In a block whose entries are no directives
// (map, geo, types, split_clients, ...) each entry is a Directive all the same: its first word is its name.
//
// There may be a million: its words lie with those of the whole file, eight bytes each, and are put together when asked
// for.
type Directive struct {
	*inFile
	Block *Block // nil for a directive closed by ";"
	End   uint32 // offset behind the ";" or behind the "{"; where the terminator is missing, behind the last word

	first, args uint32 // where its words are, its name first; how many follow the name
}

// A Block is what stands between "{" and "}".
type Block struct {
	Open, Close uint32 // offsets of the two braces; Close is the text's length where it is missing
	Directives  []Directive
	Closed      bool // the "}" is there
	Code        bool // the body of a *_by_lua_block: one argument of code (the directive's last), no directives
}

// A Word is one token as nginx's own reader splits it. Value shares File.Text's bytes unless something was escaped.
type Word struct {
	Value      string // after unquoting and unescaping, as nginx sees it
	Quote      byte   // '"', '\'' or 0
	Start, End uint32 // in the file, quotes included
}

// A Comment runs from "#" to the end of its line.
type Comment struct{ Start, End uint32 }

// An Error is a place that nginx refuses, in nginx's words where it has words for it. Reading goes on behind it
// whenever the grammar allows that.
type Error struct {
	Span source.Span // the bytes to look at
	Line int         // the line that nginx itself names, which is often a later one
	Text string      // nginx's words, without the file and line
	Read uint32      // what ends at or behind this offset was read in spite of the error; errors are in this order
}

// Name returns the directive's first word.
func (d *Directive) Name() Word { return d.word(d.first) }

// NumArgs returns how many arguments the directive has.
func (d *Directive) NumArgs() int { return int(d.args) }

// Word returns argument i, counted from 0; there must be as many.
func (d *Directive) Word(i int) Word {
	if uint(i) >= uint(d.args) {
		panic("syntax: no such argument")
	}
	return d.word(d.first + 1 + uint32(i))
}

// LastWord returns the last argument; there must be one.
func (d *Directive) LastWord() Word { return d.Word(d.NumArgs() - 1) }

// Args returns the arguments with their numbers, counted from 0.
func (d *Directive) Args() iter.Seq2[int, Word] { return d.ArgsFrom(0) }

// ArgsFrom returns the arguments from number n on, with their numbers.
func (d *Directive) ArgsFrom(n int) iter.Seq2[int, Word] {
	return func(yield func(int, Word) bool) {
		for i := n; i < int(d.args); i++ {
			if !yield(i, d.word(d.first+1+uint32(i))) {
				return
			}
		}
	}
}

// Words returns the name and the arguments in a slice of their own.
func (d *Directive) Words() []Word {
	words := make([]Word, 1+d.args)
	for i := range words {
		words[i] = d.word(d.first + uint32(i))
	}
	return words
}

// Span covers the directive's head: its name, its arguments, and the ";" or "{" that ends them.
func (d *Directive) Span() source.Span {
	return source.Span{File: d.File, Start: d.Name().Start, End: d.End}
}

// Head covers the directive's name and arguments, without its ";" or "{" and without a block of code. A word's span is
// WordSpan.
func (d *Directive) Head() source.Span {
	name := d.Name()
	end := name.End
	n := d.NumArgs()
	if d.Block != nil && d.Block.Code {
		n--
	}
	if n > 0 {
		end = d.Word(n - 1).End
	}
	return source.Span{File: d.File, Start: name.Start, End: end}
}

// WordSpan covers one word of the directive, its quotes included.
func (d *Directive) WordSpan(w Word) source.Span {
	return source.Span{File: d.File, Start: w.Start, End: w.End}
}

// Arg returns the value of argument i, counted from 0; "" where there are not so many.
func (d *Directive) Arg(i int) string {
	if uint(i) >= uint(d.args) {
		return ""
	}
	return d.word(d.first + 1 + uint32(i)).Value
}

// Package document reads the files in which edge rules are kept, JSON and Terraform, into one kind of value, of which
// everything keeps its place in the file. It knows no rule. What only Terraform would know (a variable without a default,
// another resource's number) is unknown, with the reason.
package document

import (
	"unicode/utf8"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
)

// Bounds of what is read.
const (
	deepest  = 64      // nesting of values
	Largest  = 8 << 20 // bytes of a file
	mostRows = 200_000 // values of a file
)

// A Kind says what a value is.
type Kind uint8

// The kinds.
const (
	Null Kind = iota
	Bool
	Number
	String
	List
	Object
	Unknown // it cannot be known; Why says why
)

func (k Kind) String() string {
	return [...]string{"null", "true or false", "a number", "a text", "a list", "an object", "not known"}[k]
}

// A Value is one value with its place.
type Value struct {
	Kind   Kind
	Text   string // of a String; of a Number as written
	Bool   bool
	Items  []*Value // of a List
	Fields []Field  // of an Object, in the order written
	Why    string   // of an Unknown
	Span   source.Span

	pieces []piece // of a String: what lies where
}

// A Field is one of an object's.
type Field struct {
	Name  string
	Span  source.Span // of the name
	Value *Value
}

// Get returns the value of a field, by the names that lead to it; nil where there is none.
func (v *Value) Get(names ...string) *Value {
	for _, name := range names {
		if v == nil || v.Kind != Object {
			return nil
		}
		var next *Value
		for i := range v.Fields {
			if v.Fields[i].Name == name {
				next = v.Fields[i].Value
			}
		}
		v = next
	}
	return v
}

// Known says whether there is a value that can be known.
func (v *Value) Known() bool { return v != nil && v.Kind != Null && v.Kind != Unknown }

// A Problem is something that is wrong with a file, or with a part of it.
type Problem struct {
	Span  source.Span
	Text  string
	Aside bool // nothing is wrong: it is not looked into
}

// escaping is how a piece of a text stands in the file.
type escaping uint8

const (
	bare    escaping = iota // as it is
	quoted                  // with escapes of JSON or HCL
	foreign                 // it comes from elsewhere: the piece stands for all of it
)

// A piece is where a part of a text lies in the file.
type piece struct {
	at         int // in the text
	start, end uint32
	how        escaping
}

// Place is where a part of a String stands in the file, given in bytes of its text.
func (v *Value) Place(start, end int) source.Span {
	if len(v.pieces) == 0 {
		return v.Span
	}
	from, _ := v.locate(start)
	_, to := v.locate(max(end-1, start))
	if from == 0 && to == 0 || to <= from {
		if to = from; from == 0 {
			return v.Span
		}
	}
	return source.Span{File: v.Span.File, Start: from, End: to}
}

// locate returns the bytes of the file that stand for one byte of the text.
func (v *Value) locate(at int) (from, to uint32) {
	p := v.pieces[0]
	for _, next := range v.pieces {
		if next.at <= at {
			p = next
		}
	}
	off := at - p.at
	switch p.how {
	case bare:
		from = min(p.start+uint32(off), p.end)
		return from, min(from+1, p.end)
	case foreign:
		return p.start, p.end
	case quoted:
	}
	text, pos := v.Span.File.Text[p.start:p.end], 0
	for pos < len(text) {
		raw, decoded := escapeAt(text[pos:])
		if off < decoded {
			return p.start + uint32(pos), p.start + uint32(pos+raw)
		}
		off -= decoded
		pos += raw
	}
	return p.end, p.end
}

// escapeAt measures one character as written and the bytes that it stands for.
func escapeAt(s string) (raw, decoded int) {
	if len(s) > 3 && (s[:3] == "$${" || s[:3] == "%%{") {
		return 2, 1
	}
	if s[0] != '\\' || len(s) < 2 {
		return 1, 1
	}
	n := 4
	switch s[1] {
	case 'u':
	case 'U':
		n = 8
	default:
		return 2, 1
	}
	if len(s) < 2+n {
		return len(s), 1
	}
	r := hexOf(s[2 : 2+n])
	if n == 4 && 0xd800 <= r && r < 0xdc00 && len(s) >= 12 && s[6:8] == `\u` {
		return 12, 4 // a pair of surrogates
	}
	if size := utf8.RuneLen(r); size > 0 {
		return 2 + n, size
	}
	return 2 + n, 3 // what is no character becomes one that says so
}

func hexOf(s string) (r rune) {
	for i := range len(s) {
		c := s[i]
		switch {
		case '0' <= c && c <= '9':
			r = r<<4 | rune(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		}
	}
	return r
}

// TextOr is the text of a String or a Number; other for anything else, and for none.
func (v *Value) TextOr(other string) string {
	if v == nil || v.Kind != String && v.Kind != Number {
		return other
	}
	return v.Text
}

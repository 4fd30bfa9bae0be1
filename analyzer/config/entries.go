package config

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ngxlimit/ngxlimit/analyzer/directive"
)

// Entries are the lines of a block whose lines are no directives (map, geo, types), includes expanded.
//
// nginx takes each line when it has read it, and stops at the first that is wrong, in its grammar or in what it says. Here
// a block is read as a whole first; so that what is wrong is told in nginx's order, each refusal knows its line.
type entries struct {
	items []Item
	lines []int // of each item; nil where they count from 0
	all   int   // how many lines there are, those with a block included
	first int   // of the refusals of this block
}

// entries reads a block of entries. A line that ends in another way than with ";", which nginx refuses, is not among the
// items.
func (r *resolver) entries(it Item, v *visit, s *scope) *entries {
	e := &entries{first: len(r.found)}
	inner := &scope{at: directive.Entries, level: s.level, plain: !includes[it.Name().Value], into: &e.items}
	r.block(it, v, inner)
	e.all = len(e.items)
	if slices.ContainsFunc(e.items, badEnd) {
		for i, item := range e.items {
			if !badEnd(item) {
				e.lines = append(e.lines, i)
			}
		}
		e.items = slices.DeleteFunc(e.items, badEnd)
	}
	return e
}

// includes are the blocks whose lines may include a file.
var includes = map[string]bool{"map": true, "geo": true, "types": true}

func badEnd(it Item) bool { return it.Block != nil || !terminated(it.Directive) }

// line has what is refused from here on belong to an entry; -1 is the head of the block, all its end.
func (r *resolver) line(e *entries, item int) {
	switch {
	case item >= len(e.items):
		item = e.all
	case item >= 0 && e.lines != nil:
		item = e.lines[item]
	}
	r.entry = item
}

// inOrder puts the refusals of a block into the order of its lines.
func (r *resolver) inOrder(e *entries) {
	if e.first < len(r.found)-1 {
		slices.SortStableFunc(r.found[e.first:], func(a, b found) int { return cmp.Compare(a.entry, b.entry) })
	}
}

// types reads a types block: a type, and the extensions of its files.
func (r *resolver) types(t *table, it Item, v *visit, s *scope) {
	e := r.entries(it, v, s)
	typed := r.typed[s.level]
	if typed == nil {
		typed = make(map[string]string)
		r.typed[s.level] = typed
	}
	for i, item := range e.items {
		r.line(e, i)
		if item.Name().Value == "include" {
			r.refuseHead(item, s.level, TooManyArguments, `invalid number of arguments in "include" directive`)
			continue
		}
		for _, w := range item.Args() {
			extension := lower(w.Value)
			r.longWord(t, item, w, extension, NameExact, s.level)
			if old, ok := typed[extension]; ok {
				r.refuse(s.level, Refusal{
					Kind: DuplicateDirective, Span: item.WordSpan(w), Line: line(item.Directive), Warning: true,
					Text: fmt.Sprintf(`duplicate extension "%s", content type: "%s", previous content type: "%s"`, extension, item.Name().Value, old),
				})
			}
			typed[extension] = item.Name().Value
		}
	}
	r.inOrder(e)
}

// charsetMap reads a charset_map: the codes of characters in one set and in another.
func (r *resolver) charsetMap(it Item, v *visit, s *scope) {
	from, to := lower(it.Arg(0)), lower(it.Arg(1))
	pair := [2]string{min(from, to), max(from, to)}
	between := fmt.Sprintf(`between "%s" and "%s"`, it.Arg(0), it.Arg(1))
	switch {
	case from == to:
		r.refuseHead(it, s.level, InvalidValue, fmt.Sprintf(`"charset_map" between the same charsets "%s" and "%s"`, it.Arg(0), it.Arg(1)))
	case r.charsets[pair]:
		r.refuseHead(it, s.level, DuplicateDirective, `duplicate "charset_map" `+between)
	}
	r.charsets[pair] = true
	e := r.entries(it, v, s)
	for i, item := range e.items {
		r.line(e, i)
		valid := validCode
		if to == "utf-8" {
			valid = validUTF8
		}
		switch {
		case item.NumArgs() != 1:
			r.refuseHead(item, s.level, TooManyArguments, "invalid parameters number")
		case !validCode(item.Name().Value):
			r.refuseWord(item, item.Name(), s.level, InvalidValue, "invalid value "+quoted(item.Name().Value))
		case !valid(item.Arg(0)):
			r.refuseWord(item, item.Word(0), s.level, InvalidValue, "invalid value "+quoted(item.Arg(0)))
		}
	}
	r.inOrder(e)
}

// validCode says whether a word is a number of a byte in hexadecimal digits, with any number of zeros in front.
func validCode(word string) bool {
	digits := strings.TrimLeft(word, "0")
	return word != "" && len(digits) <= 2 && hexadecimal(digits)
}

// validUTF8 says whether a word is the bytes of a character in UTF-8, each of two hexadecimal digits. nginx takes no
// characters of one byte here, none beyond U+FFFF, and does not mind what follows the first.
func validUTF8(word string) bool {
	if len(word)%2 != 0 || !hexadecimal(word) {
		return false
	}
	b := make([]byte, 0, len(word)/2)
	for i := 0; i < len(word); i += 2 {
		n, _ := strconv.ParseUint(word[i:i+2], 16, 8)
		b = append(b, byte(n))
	}
	c, size := utf8.DecodeRune(b)
	return size > 1 && c <= 0xffff
}

func hexadecimal(word string) bool { return strings.Trim(word, "0123456789abcdefABCDEF") == "" }

package accesslog

import (
	"math/bits"
	"strings"
)

// A mould is how the lines of one writer look: what stands before the first value and behind each of them, to the byte. A line
// of a known mould is read without looking at names or at what is between values. It says exactly what jsonLine.walk or
// template.match would say: whatever is not plain (escapes, lists, objects, another order) is of no mould.
type mould struct {
	lead  stop
	parts []mouldPart
}

// A mouldPart is one value and what stands behind it.
type mouldPart struct {
	stop
	field  field
	quoted bool       // a quote ends it, and nothing but a quote or an escape
	ends   *[256]bool // the bytes that end it where it is not quoted, and those that it may not hold
	null   bool       // it may be null, which says nothing
	listed bool       // it may go on behind the stop; see goesOn
	last   bool       // it ends where the line does
	word   bool       // it holds no blank
	formed bool       // its field has a usual form
	end    byte       // the first of the stop; it ends the value, which does not hold it
}

const (
	mostMoulds  = 4   // that are tried for each line
	mostLearned = 100 // that are learned in all: lines that look each another way are not worth it
)

// read fills in a line that has the mould, and with which a longer text begins; where it reports false it may have filled in
// some of it.
func (h *mould) read(s string, length int, l *line, headers int) bool {
	s = s[:min(len(s), length+usualRoom)] // a value is not looked for through all that follows
	if !h.lead.at(s, 0) {
		return false
	}
	i := len(h.lead.text)
	for n := range h.parts {
		p := &h.parts[n]
		if p.last {
			return i <= length && p.rest(s[i:length], l, headers)
		}
		end := -1
		if p.formed && i+usualRoom <= len(s) {
			end = p.usual(s, i, l)
		}
		if end < 0 {
			end = p.value(s, i, l, headers)
		}
		if !p.at(s, end) || p.listed && goesOn(s, i, end) { // a value that is not plain ends where this cannot stand
			return false
		}
		i = end + len(p.text)
	}
	return i == length // a value that goes on in the next line leads beyond
}

// value fills in the value of any form that begins at i, and returns where it ends.
func (p *mouldPart) value(s string, i int, l *line, headers int) int {
	if p.quoted {
		end := i + plainText(s[i:])
		l.set(p.field, s[i:end], headers)
		return end
	}
	end := i
	for end < len(s) && !p.ends[s[end]] {
		end++
	}
	if !p.null || s[i:end] != "null" {
		l.set(p.field, s[i:end], headers)
	}
	return end
}

// rest fills in a value that ends where the line does; it reports false for one that holds an escape.
func (p *mouldPart) rest(v string, l *line, headers int) bool {
	if strings.IndexByte(v, '\\') >= 0 {
		return false
	}
	l.set(p.field, v, headers)
	return true
}

// plainText is how far a string goes up to its quote, or to the first escape.
func plainText(s string) int {
	const quotes, slashes = '"' * ones, '\\' * ones
	i := 0
	for ; i+wordBytes <= len(s); i += wordBytes {
		w := wordAt(s, i)
		q, b := w^quotes, w^slashes
		// The lowest bit that is set belongs to the first byte that is one of them; higher ones may be wrong.
		if found := ((q-ones)&^q | (b-ones)&^b) & highs; found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for i < len(s) && s[i] != '"' && s[i] != '\\' {
		i++
	}
	return i
}

// bareEnds are the bytes that end a number or a word of JSON, and those that none may hold.
var bareEnds = [256]bool{',': true, '}': true, ' ': true, '\t': true, '\r': true, '"': true, '{': true, '[': true, ']': true, ':': true}

// known reads a line of a length, with which a text begins, by one of the moulds that have been learned.
func (j *jsonLine) known(s string, length int, l *line) bool {
	for n := range j.moulds {
		if j.moulds[n].read(s, length, l, len(j.table.headers)) {
			if n > 0 { // the next line is most likely the same
				j.moulds[n], j.moulds[n-1] = j.moulds[n-1], j.moulds[n]
			}
			return true
		}
		l.begin(l.Record)
	}
	return false
}

// learn takes the mould of a line that walk has read well, if it has one.
func (j *jsonLine) learn(s string) {
	if j.learned >= mostLearned {
		return
	}
	j.learned++
	var h mould
	behind := 0 // the end of the last value
	i := 1
	for n := 0; ; n++ {
		for i = blank(s, i); s[i] == ','; {
			i = blank(s, i+1)
		}
		if s[i] == '}' {
			break
		}
		f, after := j.name(s, i, n)
		from, to, next, escaped := value(s, blank(s, blank(s, after)+1))
		if from > to && next-len("null") > 0 && s[next-len("null"):next] == "null" {
			from, to = next-len("null"), next
		}
		if escaped || from > to || n == maxNames {
			return
		}
		h.close(s[behind:from])
		quoted := next > to
		h.parts = append(h.parts, mouldPart{field: f, quoted: quoted, ends: &bareEnds, null: true, formed: formed(f) && (quoted || f != anyTime)})
		behind, i = to, next
	}
	h.close(s[behind:])
	if len(h.parts) == 0 {
		return
	}
	if len(j.moulds) < mostMoulds {
		j.moulds = append(j.moulds, h)
		return
	}
	j.moulds[mostMoulds-1] = h
}

// close notes what stands before the next value.
func (h *mould) close(text string) {
	text = strings.Clone(text)
	if len(h.parts) == 0 {
		h.lead = stopOf(text)
		return
	}
	p := &h.parts[len(h.parts)-1]
	p.stop, p.end = stopOf(text), text[0]
}

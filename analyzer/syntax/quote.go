package syntax

import "strings"

// quoted reads a word in quotes and what nginx lets follow it: a blank, ";", "{", or the ")" of a condition, which
// starts the next word. The opening quote has been read.
func (r *reader) quoted(quote byte) stop {
	start := r.pos - 1
	r.mark = r.pos
	closed, escaped := r.closingQuote(quote)
	if !closed {
		if s := r.restoreQuote(start, !r.long); s != stopNone {
			return s
		}
		r.push(start, r.pos, quote, r.text[start+1:r.pos], escaped)
		return stopEnd
	}
	r.push(start, r.pos, quote, r.text[start+1:r.pos-1], escaped)
	if !r.more() {
		return stopEnd
	}
	c := r.text[r.pos]
	switch {
	case classes[c]&isBlank != 0:
		r.pos++
	case classes[c]&isStop != 0:
		r.pos++
		return stopOf(c)
	case c != ')':
		return r.afterQuote(start, c)
	}
	return stopNone
}

// closingQuote reads behind the closing quote. It is false where the text ends first, or where the word became too long
// and looks as if its closing quote had been forgotten.
func (r *reader) closingQuote(quote byte) (closed, escaped bool) {
	r.quote = quote
	defer func() { r.quote = 0 }()
	start := r.mark - 1
	for short := true; r.more(); {
		if short && r.long {
			short = false
			if _, ok := r.forgotten(start); ok {
				return false, escaped
			}
		}
		pos, limit := r.pos, r.limit
		for pos < limit && r.text[pos] != quote && r.text[pos] != '\\' {
			pos++
		}
		if r.pos = pos; pos == limit {
			continue
		}
		r.pos++
		if r.text[pos] == quote {
			return true, escaped
		}
		escaped = true
		if r.more() {
			r.pos++
		}
	}
	return false, escaped
}

// afterQuote refuses c, which follows a closing quote at once, and reads on with it as the start of the next word.
func (r *reader) afterQuote(start int, c byte) stop {
	if _, ok := r.forgotten(start); ok {
		r.unexpected(c, start, start+1)
		r.words = r.words[:len(r.words)-1]
		return r.restoreQuote(start, false)
	}
	if c != '}' { // that one is refused where it ends the directive
		r.unexpected(c, r.pos, r.pos+1)
	}
	return stopNone
}

// restoreQuote goes back to where a forgotten quote belongs, and reads on behind it. Without it the rest of the file
// would be read inside out. It returns stopNone where the quote was not forgotten.
func (r *reader) restoreQuote(start int, atEnd bool) stop {
	line, ok := r.forgotten(start)
	if !ok {
		return stopNone
	}
	if atEnd {
		r.unexpectedEnd(start, start+len(line))
	}
	if n := len(r.errors); n > 0 {
		r.errors[n-1].Read = min(r.errors[n-1].Read, uint32(start)) // what follows is read in spite of the error
	}
	last := len(line) - 1
	value := strings.TrimRight(line[1:last], blanks)
	end := start + 1 + len(value)
	r.push(start, end, line[0], value, strings.IndexByte(value, '\\') >= 0)
	r.pos = start + len(line)
	r.mark, r.long = r.pos, false
	return stopOf(line[last])
}

const blanks = " \t\r\n"

// forgotten returns the first line of a quoted word that goes on over several lines although that line ends as a
// directive does, with ";" or "{".
func (r *reader) forgotten(start int) (line string, ok bool) {
	line = r.text[start:min(r.pos, start+bufferSize)]
	n := strings.IndexByte(line, '\n')
	if n < 0 {
		return "", false
	}
	line = strings.TrimRight(line[:n], blanks)
	return line, len(line) > 1 && classes[line[len(line)-1]]&isStop != 0
}

package syntax

import (
	"fmt"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
)

// bufferSize is the size of the buffer through which nginx reads a file. One parameter with its terminator has to fit
// into it, and so does one comment.
const bufferSize = 4096

// A stop says what ended a run of words.
type stop uint8

const (
	stopNone stop = iota
	stopSemicolon
	stopOpen  // "{"
	stopClose // "}"
	stopEnd   // the text's end
)

// A reader goes through one text with nginx's own states. Places are offsets in the text. nginx sees the text through a
// window that ends at limit; where it is used up it slides, so that it begins at mark, the start of what is being read.
// nginx calls too long what fills the whole window, which makes the window a part of the grammar.
type reader struct {
	file  *source.File
	text  string
	pos   int
	mark  int  // where the current parameter (without its quote), blank or comment starts
	limit int  // the window's end, at most len(text)
	quote byte // the quote that is open
	long  bool // the current parameter was reported as too long

	words []Word // of the current directive, its name first
	parts int    // how many words and comments were read

	uncounted int // lines that nginx forgets to count

	comments []Comment
	errors   []Error
	stopped  bool // nothing more is read
}

const (
	isBlank  = 1 << iota // ends a word
	isStop               // ends a word and the run of words: ";" and "{"
	isActive             // changes how the next byte is read: "\" and "$"
)

var classes = [256]uint8{
	' ': isBlank, '\t': isBlank, '\r': isBlank, '\n': isBlank,
	';': isStop, '{': isStop,
	'\\': isActive, '$': isActive,
}

// more reports whether there is a byte to read, and slides the window where it is used up.
func (r *reader) more() bool {
	if r.pos < r.limit {
		return true
	}
	if r.limit >= len(r.text) {
		return false
	}
	if r.pos-r.mark < bufferSize {
		r.limit = min(r.mark+bufferSize, len(r.text))
		return true
	}
	if !r.long {
		r.long = true
		r.tooLong()
	}
	r.limit = min(r.limit+bufferSize, len(r.text)) // on, as if nginx's buffer were larger
	return r.pos < r.limit
}

// directive reads words up to what ends them.
func (r *reader) directive() stop {
	r.words = r.words[:0]
	r.mark = r.pos
	for r.skipBlanks() {
		c := r.text[r.pos]
		r.mark, r.long = r.pos, false
		r.pos++
		s := stopNone
		switch c {
		case ';', '{':
			s = stopOf(c)
		case '}':
			s = stopClose
		case '#':
			r.comment()
		case '"', '\'':
			s = r.quoted(c)
		default:
			s = r.bare(c)
		}
		if r.parts > maxParts && !r.stopped {
			r.fail(r.pos, r.pos, r.pos, fmt.Sprintf("more than %d words and comments, the rest of the file is not read", maxParts))
			r.stop()
		}
		if s != stopNone {
			return s
		}
	}
	return stopEnd
}

func stopOf(c byte) stop {
	if c == ';' {
		return stopSemicolon
	}
	return stopOpen
}

// skipBlanks goes to the next byte that is no blank, and reports whether there is one.
func (r *reader) skipBlanks() bool {
	for r.more() {
		pos, limit := r.pos, r.limit
		for pos < limit && classes[r.text[pos]]&isBlank != 0 {
			pos++
		}
		if pos > r.pos {
			r.mark, r.pos = pos-1, pos // nginx starts anew at every blank
		}
		if pos < limit {
			return true
		}
	}
	return false
}

// comment reads on to the end of the line; the "#" has been read.
func (r *reader) comment() {
	start := r.pos - 1
	for r.more() {
		rest := r.text[r.pos:r.limit]
		if n := strings.IndexByte(rest, '\n'); n >= 0 {
			r.pos += n
			break
		}
		r.pos += len(rest)
	}
	end := r.pos
	if end > start+1 && r.text[end-1] == '\r' && end < len(r.text) {
		end-- // the "\r" of a line end is not a part of what a person wrote
	}
	r.parts++
	r.comments = append(r.comments, Comment{Start: uint32(start), End: uint32(end)})
}

// bare reads a word without quotes; its first byte, c, has been read.
func (r *reader) bare(c byte) stop {
	start, escaped, variable := r.pos-1, c == '\\', c == '$'
	if escaped && r.more() {
		r.pos++
	}
	for r.more() {
		pos, limit := r.pos, r.limit
		if variable {
			// "${" opens the name of a variable, and every "{" that follows at once stays in the word as well.
			for pos < limit && r.text[pos] == '{' {
				pos++
			}
			variable = pos == limit
		}
		for pos < limit && classes[r.text[pos]] == 0 {
			pos++
		}
		if r.pos = pos; pos == limit {
			continue
		}
		r.pos++
		switch c = r.text[pos]; classes[c] {
		case isActive:
			variable = c == '$'
			if c == '\\' {
				escaped = true
				if r.more() {
					r.pos++
				}
			}
		case isBlank:
			r.push(start, pos, 0, r.text[start:pos], escaped)
			return stopNone
		default:
			r.push(start, pos, 0, r.text[start:pos], escaped)
			return stopOf(c)
		}
	}
	r.push(start, r.pos, 0, r.text[start:r.pos], escaped)
	return stopEnd
}

// push takes the word at [start, end), whose value is still escaped.
func (r *reader) push(start, end int, quote byte, value string, escaped bool) {
	if escaped {
		value = unescape(value)
	}
	r.parts++
	r.words = append(r.words, Word{Value: value, Quote: quote, Start: uint32(start), End: uint32(end)})
}

// unescape resolves the escapes that nginx knows: a quote or a backslash stands for itself, "t", "r" and "n" for
// control characters. Any other backslash stays.
func unescape(s string) string {
	i := nextEscape(s, 0)
	if i < 0 {
		return s
	}
	b := make([]byte, 0, len(s)-1)
	from := 0
	for ; i >= 0; i = nextEscape(s, from) {
		b = append(b, s[from:i]...)
		b = append(b, escapes[s[i+1]])
		from = i + 2
	}
	return string(append(b, s[from:]...))
}

var escapes = [256]byte{'"': '"', '\'': '\'', '\\': '\\', 't': '\t', 'r': '\r', 'n': '\n'}

// nextEscape returns where the next escape that stands for another byte starts, at or behind from; -1 without any.
func nextEscape(s string, from int) int {
	for from < len(s) {
		n := strings.IndexByte(s[from:], '\\')
		if n < 0 || from+n+1 >= len(s) {
			return -1
		}
		if from += n; escapes[s[from+1]] != 0 {
			return from
		}
		from += 2
	}
	return -1
}

package traffic

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// A jsonStream reads a JSON text piece by piece, of any length: what is passed over is checked as it goes by and never
// held. Its errors know their place. After an error it reads no further.
type jsonStream struct {
	r        io.Reader
	buf      []byte
	pos, end int   // what is read of buf, and how far it is filled
	before   int64 // bytes of the text that came before buf
	line     int   // of pos, from 1
	start    int64 // offset at which that line begins
	mark     mark  // where the value at hand began
	failure  error // of r; io.EOF at the end
	words    map[string]string
	word     []byte
	open     []byte // brackets that a skipped value has open
}

type mark struct {
	line   int
	column int64
}

// A placed error knows where in a stream it is.
type placed struct {
	mark
	err error
}

func (p *placed) Error() string { return p.err.Error() }
func (p *placed) Unwrap() error { return p.err }

const (
	streamBuffer  = 64 << 10
	deepestJSON   = 10_000 // as encoding/json
	maxWords      = 4096
	longestNumber = 64
	longestScheme = 20 // of a string that is not held: enough to tell what kind of URL it is
)

func newJSONStream(r io.Reader) *jsonStream {
	return &jsonStream{r: r, buf: make([]byte, streamBuffer), line: 1, words: map[string]string{}}
}

// fill makes a byte at pos available; false at the end of the text.
func (s *jsonStream) fill() bool {
	if s.pos < s.end {
		return true
	}
	s.before += int64(s.end)
	s.pos, s.end = 0, 0
	for empty := 0; s.end == 0 && s.failure == nil; empty++ {
		if empty == 100 {
			s.failure = io.ErrNoProgress
			break
		}
		s.end, s.failure = s.r.Read(s.buf)
	}
	return s.end > 0
}

func (s *jsonStream) here() mark { return mark{s.line, s.before + int64(s.pos) - s.start + 1} }

// fail is an error at a place.
func (s *jsonStream) fail(at mark, format string, args ...any) error {
	return &placed{at, fmt.Errorf(format, args...)}
}

// cutShort is the error for a text that ends too early, or cannot be read.
func (s *jsonStream) cutShort() error {
	if s.failure != nil && !errors.Is(s.failure, io.EOF) {
		return s.fail(s.here(), "read: %w", s.failure)
	}
	return s.fail(s.here(), "not valid JSON: it ends too early")
}

func (s *jsonStream) unexpected(wanted string) error {
	return s.fail(s.here(), "not valid JSON: %s where %s is expected", strconv.QuoteRuneToASCII(rune(s.buf[s.pos])), wanted)
}

// peek passes over space and returns the next byte; 0 at the end.
func (s *jsonStream) peek() byte {
	for s.fill() {
		switch c := s.buf[s.pos]; c {
		case ' ', '\t', '\r':
		case '\n':
			s.line++
			s.start = s.before + int64(s.pos) + 1
		default:
			return c
		}
		s.pos++
	}
	return 0
}

// value is peek at the place where a value begins.
func (s *jsonStream) value() (byte, error) {
	c := s.peek()
	if s.pos == s.end {
		return 0, s.cutShort()
	}
	s.mark = s.here()
	return c, nil
}

// take passes over one of the bytes that may follow, and returns it.
func (s *jsonStream) take(allowed, wanted string) (byte, error) {
	c := s.peek()
	if s.pos == s.end {
		return 0, s.cutShort()
	}
	for i := range len(allowed) {
		if allowed[i] == c {
			s.pos++
			return c, nil
		}
	}
	return 0, s.unexpected(wanted)
}

// object calls do for each member, which has to read or to skip its value.
func (s *jsonStream) object(do func(name string) error) error {
	if err := s.begins('{', "an object"); err != nil {
		return err
	}
	c, err := s.take(`}"`, "a name in quotes")
	for ; err == nil && c == '"'; c, err = s.take(`"`, "a name in quotes") {
		name, err := s.name()
		if err != nil {
			return err
		}
		if err := do(name); err != nil {
			return under(name, err)
		}
		if c, err = s.take(`,}`, "a comma or the end of the object"); err != nil || c == '}' {
			return err
		}
	}
	return err
}

// name reads a member's name, whose quote was read, and the colon. Names repeat, and each is held once.
func (s *jsonStream) name() (string, error) {
	if err := s.inside(&s.word, longestTarget); err != nil {
		return "", err
	}
	name, known := s.words[string(s.word)]
	if !known {
		var err error
		if name, err = s.decode(s.word); err != nil {
			return "", err
		}
		if len(s.words) < maxWords {
			s.words[string(s.word)] = name
		}
	}
	_, err := s.take(":", "a colon")
	return name, err
}

// list calls do for each element, which has to read or to skip it.
func (s *jsonStream) list(do func() error) error {
	if err := s.begins('[', "a list"); err != nil {
		return err
	}
	if s.peek() == ']' {
		s.pos++
		return nil
	}
	for i := 0; ; i++ {
		if err := do(); err != nil {
			return element(i, err)
		}
		if c, err := s.take(",]", "a comma or the end of the list"); err != nil || c == ']' {
			return err
		}
	}
}

func (s *jsonStream) begins(bracket byte, wanted string) error {
	c, err := s.value()
	if err != nil {
		return err
	}
	if c != bracket {
		return s.another(c, wanted)
	}
	s.pos++
	return nil
}

// another is the error for a value of another kind; its content is not shown.
func (s *jsonStream) another(c byte, wanted string) error {
	kind := "a number"
	switch c {
	case '{':
		kind = "an object"
	case '[':
		kind = "a list"
	case '"':
		kind = "a string"
	case 't', 'f':
		kind = "true or false"
	case 'n':
		kind = "null"
	default:
		if c != '-' && (c < '0' || c > '9') {
			return s.unexpected("a value")
		}
	}
	return s.fail(s.mark, "%s where %s is expected", kind, wanted)
}

// text reads a string of at most so many bytes. Of a longer one, which is not ok, it returns how it begins. Null is as if
// there were nothing, since exporters write it for what they do not know; a value of another kind is not ok either.
func (s *jsonStream) text(most int) (string, bool, error) {
	c, err := s.value()
	if err != nil {
		return "", false, err
	}
	if c != '"' {
		return "", c == 'n', s.skip()
	}
	s.pos++
	if err := s.inside(&s.word, most); err != nil {
		return "", false, err
	}
	if len(s.word) > most {
		return string(s.word[:min(len(s.word), longestScheme)]), false, nil
	}
	text, err := s.decode(s.word)
	return text, true, err
}

// inside passes over the rest of a string, whose first quote was read, and keeps up to one byte more than most of it.
func (s *jsonStream) inside(keep *[]byte, most int) error {
	if keep != nil {
		*keep = (*keep)[:0]
	}
	for {
		if !s.fill() {
			return s.cutShort()
		}
		part := s.buf[s.pos:s.end]
		n := 0
		for n < len(part) && !special[part[n]] {
			n++
		}
		hold(keep, part[:n], most)
		if s.pos += n; n == len(part) {
			continue
		}
		switch part[n] {
		case '"':
			s.pos++
			return nil
		case '\\':
			if err := s.escape(keep, most); err != nil {
				return err
			}
		default:
			return s.fail(s.here(), "not valid JSON: a control character in a string")
		}
	}
}

// escape passes over a backslash and what it stands before.
func (s *jsonStream) escape(keep *[]byte, most int) error {
	more := 1 // bytes behind the backslash
	for i := 0; i <= more; i++ {
		if !s.fill() {
			return s.cutShort()
		}
		switch c := s.buf[s.pos]; {
		case i == 0:
		case i == 1 && c == 'u':
			more = 5
		case i == 1 && strings.IndexByte(`"\/bfnrt`, c) < 0, i > 1 && !hex(c):
			return s.unexpected("an escape")
		}
		hold(keep, s.buf[s.pos:s.pos+1], most)
		s.pos++
	}
	return nil
}

func hex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func hold(keep *[]byte, part []byte, most int) {
	if keep != nil {
		*keep = append(*keep, part[:min(len(part), max(most+1-len(*keep), 0))]...)
	}
}

// special are the bytes that end a run of plain ones in a string.
var special = func() (t [256]bool) {
	for c := range 0x20 {
		t[c] = true
	}
	t['"'], t['\\'] = true, true
	return t
}()

// decode takes the escapes out of a string.
func (s *jsonStream) decode(raw []byte) (string, error) {
	if plain(raw) {
		return string(raw), nil
	}
	var text string
	quoted := append(append([]byte{'"'}, raw...), '"')
	if err := json.Unmarshal(quoted, &text); err != nil {
		return "", s.fail(s.mark, "not valid JSON: %w", err)
	}
	return text, nil
}

// number reads a number. ok is false for null and for values of another kind.
func (s *jsonStream) number() (v float64, ok bool, err error) {
	c, err := s.value()
	if err != nil {
		return 0, false, err
	}
	if c != '-' && (c < '0' || c > '9') {
		return 0, false, s.skip()
	}
	digits, err := s.digits()
	if err != nil {
		return 0, false, err
	}
	if v, err = strconv.ParseFloat(digits, 64); err != nil {
		return 0, false, s.fail(s.mark, "%s is no number", quoted(digits))
	}
	return v, true, nil
}

// digits reads the text of a number.
func (s *jsonStream) digits() (string, error) {
	s.word = s.word[:0]
	for s.fill() {
		c := s.buf[s.pos]
		if (c < '0' || c > '9') && c != '-' && c != '+' && c != '.' && c != 'e' && c != 'E' {
			break
		}
		if s.pos++; len(s.word) == longestNumber {
			return "", s.fail(s.mark, "a number of more than %d bytes", longestNumber)
		}
		s.word = append(s.word, c)
	}
	if !json.Valid(s.word) {
		return "", s.fail(s.mark, "not valid JSON: %s is no number", quoted(string(s.word)))
	}
	return string(s.word), nil
}

// boolean reads true or false; anything else is false.
func (s *jsonStream) boolean() (bool, error) {
	c, err := s.value()
	if err != nil {
		return false, err
	}
	return c == 't', s.skip()
}

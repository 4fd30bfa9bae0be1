package pcre

import (
	"strings"
)

// escape reads what starts with a backslash, outside a class.
func (t *translator) escape(a *atom) error {
	if t.pos++; !t.more() {
		return t.refuse(t.pos, "\\ at end of pattern")
	}
	c := t.pattern[t.pos]
	if s, ok := classEscape(c); ok {
		t.pos++
		t.set(s)
		return nil
	}
	switch c {
	case 'b', 'B', 'A', 'Z', 'z', 'G', 'K':
		t.pos++
		a.nullable, a.fixed = true, true
		t.assertion(c)
		return nil
	case 'Q':
		return t.quoted(a)
	case 'E':
		t.pos++
		a.fixed, a.nullable = true, true
		return nil
	case 'N':
		t.pos++
		if _, _, quantified := t.quantity(); quantified == 0 && t.more() && t.pattern[t.pos] == '{' {
			if strings.HasPrefix(t.pattern[t.pos:], "{U+") {
				return unable("it uses \\N{U+...}")
			}
			return t.refuse(t.pos, foreignEscape)
		}
		t.set(dotSet)
		return nil
	case 'R':
		t.pos++
		t.only(`(?>\r\n|[\n-\r\x85])`)
		t.leaf(&node{kind: nodeVaries})
		return nil
	case 'C':
		t.pos++
		t.set(anySet)
		return nil
	case 'X':
		t.pos++
		t.cannot("it uses \\X")
		t.leaf(&node{kind: nodeVaries})
		return nil
	case 'p', 'P':
		s, err := t.property()
		t.set(s)
		return err
	case 'g', 'k':
		return t.reference(a)
	}
	if '1' <= c && c <= '9' {
		n, end := number(t.pattern, t.pos)
		if n < 10 || c >= '8' || n <= t.groups {
			t.pos = end
			return t.backreference(a, n)
		}
	}
	b, err := t.charEscape()
	if err == nil {
		t.literal(b)
	}
	return err
}

// classEscape is what stands for a class of bytes, within a class and outside.
func classEscape(c byte) (set, bool) {
	var s set
	switch c | 0x20 {
	case 'd':
		s = digitSet
	case 'w':
		s = wordSet
	case 's':
		s = spaceSet
	case 'h':
		s = blankSet
	case 'v':
		s = lineSet
	default:
		return set{}, false
	}
	if c < 'a' {
		s = s.inverse()
	}
	return s, 'A' <= c
}

// assertions are \b and its kin.
var assertions = map[byte]nodeKind{'b': nodeEdge, 'B': nodeNoEdge, 'A': nodeBegin, 'G': nodeBegin, 'Z': nodeEnd, 'z': nodeEndText}

func (t *translator) assertion(c byte) {
	const before, after = `(?<=[0-9A-Z_a-z])`, `(?=[0-9A-Z_a-z])`
	const notBefore, notAfter = `(?<![0-9A-Z_a-z])`, `(?![0-9A-Z_a-z])`
	if kind, ok := assertions[c]; ok {
		t.leaf(&node{kind: kind})
	}
	switch c {
	case 'b':
		t.each(`(?:\b)`, `(?:`+before+notAfter+`|`+notBefore+after+`)`)
	case 'B':
		t.each(`(?:\B)`, `(?:`+before+after+`|`+notBefore+notAfter+`)`)
	case 'A', 'G':
		t.both(`(?:\A)`)
	case 'Z':
		t.each(`(?:\z)`, `(?=\n?\z)`)
	case 'z':
		t.both(`(?:\z)`)
	case 'K':
		if t.looking > 0 {
			t.late(len(t.pattern), "\\K is not allowed in lookarounds (but see PCRE2_EXTRA_ALLOW_LOOKAROUND_BSK)")
		}
		// It moves the start of the match, which nginx never looks at.
		t.both(`(?:)`)
	}
}

// quoted reads \Q...\E. A quantifier behind it repeats its last byte.
func (t *translator) quoted(a *atom) error {
	t.pos++
	text, rest, closed := strings.Cut(t.pattern[t.pos:], `\E`)
	t.pos = len(t.pattern) - len(rest)
	if !closed {
		t.pos = len(t.pattern)
	}
	if text == "" {
		a.fixed, a.nullable = true, true
		return nil
	}
	for i := range len(text) {
		a.slow = len(t.slow)
		t.literal(text[i])
	}
	return nil
}

// charEscape reads an escape that stands for one byte; the place reached is behind the backslash.
func (t *translator) charEscape() (byte, error) {
	c := t.pattern[t.pos]
	t.pos++
	if i := strings.IndexByte("aefnrt", c); i >= 0 {
		return "\a\x1b\f\n\r\t"[i], nil
	}
	switch {
	case c == 'x':
		return t.hex()
	case c == 'o':
		if !t.next("{") {
			at := t.pos
			if !t.more() {
				at--
			}
			return 0, t.refuse(at, "missing opening brace after \\o")
		}
		return t.braced(8)
	case c == 'c':
		if !t.more() {
			return 0, t.refuse(t.pos, "\\c at end of pattern")
		}
		b := t.pattern[t.pos]
		if b < 0x20 || b > 0x7e {
			return 0, t.refuse(t.pos, "\\c must be followed by a printable ASCII character")
		}
		t.pos++
		if 'a' <= b && b <= 'z' {
			b -= 0x20
		}
		return b ^ 0x40, nil
	case '0' <= c && c <= '7':
		t.pos--
		return t.octal()
	case strings.IndexByte("FLlUu", c) >= 0:
		return 0, t.refuse(t.pos, foreignEscape)
	case 'a' <= c|0x20 && c|0x20 <= 'z':
		return 0, t.refuse(t.pos-1, "unrecognized character follows \\")
	}
	return c, nil
}

const foreignEscape = "PCRE2 does not support \\F, \\L, \\l, \\N{name}, \\U, or \\u"

func (t *translator) octal() (byte, error) {
	v, n := 0, 0
	for ; n < 3 && t.more() && '0' <= t.pattern[t.pos] && t.pattern[t.pos] <= '7'; n++ {
		v = v*8 + int(t.pattern[t.pos]-'0')
		t.pos++
	}
	if v > 0xff {
		return 0, t.refuse(t.pos, "octal value is greater than \\377 in 8-bit non-UTF-8 mode")
	}
	return byte(v), nil
}

const hexDigits = "0123456789abcdef0123456789ABCDEF"

func (t *translator) hex() (byte, error) {
	if t.next("{") {
		return t.braced(16)
	}
	v := 0
	for n := 0; n < 2 && t.more(); n++ {
		d := strings.IndexByte(hexDigits, t.pattern[t.pos])
		if d < 0 {
			break
		}
		v = v*16 + d%16
		t.pos++
	}
	return byte(v), nil
}

func (t *translator) braced(base int) (byte, error) {
	start, v := t.pos, 0
	for ; t.more(); t.pos++ {
		d := strings.IndexByte(hexDigits, t.pattern[t.pos])
		if d < 0 || d%16 >= base {
			break
		}
		if v = v*base + d%16; v > 0xff && !t.utf {
			return 0, t.tooLarge(base)
		}
		if v > 0x7f && t.utf {
			return 0, unable("it names a character beyond ASCII in UTF mode")
		}
	}
	switch {
	case t.pos == start && (!t.more() || t.pattern[t.pos] == '}'):
		return 0, t.refuse(t.pos, "digits missing in \\x{} or \\o{} or \\N{U+}")
	case !t.next("}") && base == 16:
		return 0, t.refuse(min(t.pos, len(t.pattern)-1), "non-hex character in \\x{} (closing brace missing?)")
	case t.pattern[t.pos-1] != '}':
		return 0, t.refuse(min(t.pos, len(t.pattern)-1), "non-octal character in \\o{} (closing brace missing?)")
	}
	return byte(v), nil
}

// tooLarge refuses a number, at the end of its digits.
func (t *translator) tooLarge(base int) error {
	for t.more() {
		if d := strings.IndexByte(hexDigits, t.pattern[t.pos]); d < 0 || d%16 >= base {
			break
		}
		t.pos++
	}
	return t.refuse(t.pos, "character code point value in \\x{} or \\o{} is too large")
}

const malformedProperty = "malformed \\P or \\p sequence"

// property reads \p or \P; the place reached is its letter.
func (t *translator) property() (set, error) {
	negate := t.pattern[t.pos] == 'P'
	t.pos++
	var name string
	switch {
	case t.next("{"):
		end := strings.IndexByte(t.pattern[t.pos:], '}')
		if end < 0 {
			return set{}, t.refuse(len(t.pattern), malformedProperty)
		}
		name = t.pattern[t.pos : t.pos+end]
		t.pos += end + 1
	case t.more() && 'a' <= t.pattern[t.pos]|0x20 && t.pattern[t.pos]|0x20 <= 'z':
		name = t.pattern[t.pos : t.pos+1]
		t.pos++
	default:
		return set{}, t.refuse(min(t.pos+1, len(t.pattern)), malformedProperty)
	}
	s, ok := property(name)
	switch {
	case !ok && len(name) > 40 || strings.IndexByte(name, 0) >= 0:
		return s, unable("it uses the property %q", name)
	case !ok && !knownProperty(name):
		return s, t.refuse(t.pos, "unknown property after \\P or \\p")
	case !ok:
		t.cannot("it uses the property %q", name)
	}
	if negate {
		s = s.inverse()
	}
	return s, nil
}

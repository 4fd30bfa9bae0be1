package accesslog

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// unescapeDefault takes back what nginx's own escaping did: \xHH for quotes, backslashes, control characters and bytes
// beyond ASCII. Of what others write, \" is understood. What is of neither form stays as it is.
func unescapeDefault(s string) string {
	at := strings.IndexByte(s, '\\')
	if at < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for at >= 0 {
		b.WriteString(s[:at])
		s = s[at:]
		if len(s) >= 4 && s[1] == 'x' {
			high, ok1 := hexOf(s[2])
			low, ok2 := hexOf(s[3])
			if ok1 && ok2 {
				b.WriteByte(high<<4 | low)
				s = s[4:]
				at = strings.IndexByte(s, '\\')
				continue
			}
		}
		if !strings.HasPrefix(s, `\"`) {
			b.WriteByte('\\')
		}
		s = s[1:]
		at = strings.IndexByte(s, '\\')
	}
	b.WriteString(s)
	return b.String()
}

// unescapeJSON reads the escapes of a JSON string. What is none stays as it is.
func unescapeJSON(s string) string {
	at := strings.IndexByte(s, '\\')
	if at < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for at >= 0 && at+1 < len(s) {
		b.WriteString(s[:at])
		n := 2
		switch c := s[at+1]; c {
		case '"', '\\', '/':
			b.WriteByte(c)
		case 'b':
			b.WriteByte('\b')
		case 'f':
			b.WriteByte('\f')
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case 't':
			b.WriteByte('\t')
		case 'u':
			r, length := escapedRune(s[at:])
			if length == 0 {
				b.WriteString(`\u`)
				break
			}
			b.WriteRune(r)
			n = length
		default:
			b.WriteByte('\\')
			b.WriteByte(c)
		}
		s = s[at+n:]
		at = strings.IndexByte(s, '\\')
	}
	b.WriteString(s)
	return b.String()
}

// escapedRune reads \uXXXX, or two of them for one character; length is 0 where it is none.
func escapedRune(s string) (r rune, length int) {
	r, ok := unit(s)
	switch {
	case !ok:
		return 0, 0
	case !utf16.IsSurrogate(r):
		return r, 6
	}
	if second, ok := unit(s[6:]); ok {
		if both := utf16.DecodeRune(r, second); both != utf8.RuneError {
			return both, 12
		}
	}
	return utf8.RuneError, 6
}

func unit(s string) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	r := rune(0)
	for i := 2; i < 6; i++ {
		d, ok := hexOf(s[i])
		if !ok {
			return 0, false
		}
		r = r<<4 | rune(d)
	}
	return r, true
}

func hexOf(c byte) (byte, bool) {
	switch {
	case '0' <= c && c <= '9':
		return c - '0', true
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10, true
	}
	return 0, false
}

package request

import "strings"

// ParseHost reads a Host header, or the host of an absolute target, as nginx does: without port and final dot, in lower
// case. It is not ok where nginx answers 400.
func ParseHost(text string) (host string, ok bool) {
	if plainHost(text) {
		return text, true
	}
	end, dot := len(text), len(text)
	upper := false
	const (
		usual = iota
		bracketed
		rest
	)
	state := usual
	for i := range len(text) {
		switch c := text[i]; {
		case c == '.':
			if dot == i-1 {
				return "", false
			}
			dot = i
		case c == ':':
			if state == usual {
				end, state = i, rest
			}
		case c == '[':
			if i == 0 {
				state = bracketed
			}
		case c == ']':
			if state == bracketed {
				end, state = i+1, rest
			}
		case c == '/' || c <= ' ' || c == 0x7f:
			return "", false
		case 'A' <= c && c <= 'Z':
			upper = true
		}
	}
	if dot == end-1 {
		end--
	}
	if end <= 0 {
		return "", false
	}
	if text = text[:end]; upper {
		return lower(text), true
	}
	return text, true
}

// plainHost says that a host needs no work: it is not empty, has no port, no brackets, no capital letters, no two dots in a row
// and none at its end. Nearly all are so, and are read for every request.
func plainHost(s string) bool {
	last := uint8(dotInHost)
	for i := range len(s) {
		kind := inHost[s[i]]
		if kind != plainInHost && (kind == otherInHost || last == dotInHost && i > 0) {
			return false
		}
		last = kind
	}
	return last == plainInHost
}

// What a byte is in a host.
const (
	plainInHost = iota
	dotInHost
	otherInHost
)

var inHost = func() (kinds [256]uint8) {
	for c := range kinds {
		if c <= ' ' || c == 0x7f || c >= 'A' && c <= 'Z' || strings.IndexByte(":[]/", byte(c)) >= 0 {
			kinds[c] = otherInHost
		}
	}
	kinds['.'] = dotInHost
	return kinds
}()

func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c | 0x20
		}
	}
	return string(b)
}

// HostPort returns the port that a Host header names; 0 where it names none.
func HostPort(text string) uint16 {
	i := strings.LastIndexByte(text, ':')
	if i < 0 || strings.IndexByte(text[i:], ']') >= 0 {
		return 0
	}
	if n, ok := digits(text[i+1:]); ok && text[i+1:] != "" && n <= 65535 {
		return uint16(n)
	}
	return 0
}

// Escape writes a path as nginx does where it makes a Location header of it: what may not stand in a URI as %XX.
func Escape(path string) string {
	const digits = "0123456789ABCDEF"
	n := 0
	for i := range len(path) {
		if escaped(path[i]) {
			n++
		}
	}
	if n == 0 {
		return path
	}
	b := make([]byte, 0, len(path)+2*n)
	for i := range len(path) {
		if c := path[i]; escaped(c) {
			b = append(b, '%', digits[c>>4], digits[c&15])
		} else {
			b = append(b, c)
		}
	}
	return string(b)
}

func escaped(c byte) bool {
	return c <= ' ' || c >= 0x7f || strings.IndexByte("\"#%?<>\\^`{|}", c) >= 0
}

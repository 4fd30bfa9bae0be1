package request

import (
	"bytes"
	"errors"
	"strings"
)

// ErrBad is a target that nginx answers with 400.
var ErrBad = errors.New("invalid request")

// A Target is a request target, read.
type Target struct {
	URI      string // the path: decoded, dots resolved, slashes merged where they are
	Args     string // what follows "?", as sent
	Unparsed string // $request_uri: as sent, without the scheme and host of an absolute form
	Host     string // the host of an absolute form, without its port
	Absolute bool   // it names a scheme and a host
}

// Normalize turns a request target into the path and the arguments as nginx does. mergeSlashes is the server's
// merge_slashes. The error is ErrBad.
func Normalize(target string, mergeSlashes bool) (uri, args string, err error) {
	t, err := ParseTarget(target, mergeSlashes)
	return t.URI, t.Args, err
}

// ParseTarget reads a request target as nginx does. The error is ErrBad; Unparsed is set all the same.
func ParseTarget(target string, mergeSlashes bool) (Target, error) {
	if path, args, _ := strings.Cut(target, "?"); plainPath(path) && plainArgs(args) {
		return Target{URI: path, Args: args, Unparsed: target}, nil
	}
	for i := range len(target) {
		if target[i] <= ' ' || target[i] == 0x7f {
			return Target{Unparsed: target}, ErrBad
		}
	}
	t := Target{Unparsed: target}
	path := target
	if !strings.HasPrefix(target, "/") {
		var ok bool
		if t.Host, path, ok = absolute(target); !ok {
			return t, ErrBad
		}
		t.Absolute, t.Unparsed = true, path
	}
	if !strings.HasPrefix(path, "/") { // http://host?args
		path = "/" + path
	}
	n := normaliser{out: make([]byte, 0, len(path)), merge: mergeSlashes}
	if !n.run(path) {
		return Target{Unparsed: t.Unparsed, Host: t.Host, Absolute: t.Absolute}, ErrBad
	}
	t.URI, t.Args = string(n.out), n.args
	return t, nil
}

// Unparsed returns $request_uri of a target.
func Unparsed(target string) string {
	if strings.HasPrefix(target, "/") {
		return target
	}
	if _, path, ok := absolute(target); ok {
		return path
	}
	return target
}

// What a byte is in a path that needs no work. Paths are read for every request, and one look into a table takes less than
// to compare.
const (
	plainByte = iota
	partByte  // "/" and "."
	workByte  // has to be looked at, or is refused
)

var inPath = func() (kinds [256]uint8) {
	for c := range kinds {
		if c <= ' ' || c == 0x7f || c == '%' || c == '?' || c == '#' {
			kinds[c] = workByte
		}
	}
	kinds['/'], kinds['.'] = partByte, partByte
	return kinds
}()

// plainArgs says that arguments need no work: nginx refuses nothing in them, and no fragment follows.
func plainArgs(s string) bool {
	for i := range len(s) {
		if c := s[i]; inPath[c] == workByte && c != '%' && c != '?' {
			return false
		}
	}
	return true
}

// plainPath says that a path needs no work: it has no escapes, fragment, dots at the start of a part, or empty parts.
func plainPath(s string) bool {
	if s == "" || s[0] != '/' {
		return false
	}
	for i := 1; i < len(s); i++ {
		switch inPath[s[i]] {
		case plainByte:
		case partByte:
			if s[i-1] == '/' {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// absolute takes scheme, host and port off an absolute form. The path starts with "/" or "?".
func absolute(s string) (host, path string, ok bool) {
	i := strings.Index(s, "://")
	if i < 1 || !letter(s[0]) {
		return "", "", false
	}
	for _, c := range []byte(s[:i]) {
		if !letter(c) && !digit(c) && c != '+' && c != '-' && c != '.' {
			return "", "", false
		}
	}
	s = s[i+3:]
	end := 0
	if strings.HasPrefix(s, "[") {
		if end = strings.IndexByte(s, ']') + 1; end == 0 || !literal(s[1:end-1]) {
			return "", "", false
		}
	} else {
		for end < len(s) && (letter(s[end]) || digit(s[end]) || s[end] == '.' || s[end] == '-') {
			end++
		}
	}
	host, s = s[:end], s[end:]
	if strings.HasPrefix(s, ":") {
		s = strings.TrimLeft(s[1:], "0123456789")
	}
	switch {
	case s == "":
		return host, "/", true
	case s[0] == '/' || s[0] == '?':
		return host, s, true
	}
	return "", "", false
}

func letter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func digit(c byte) bool { return '0' <= c && c <= '9' }

// literal says whether nginx takes what stands in the brackets of a host.
func literal(s string) bool {
	for _, c := range []byte(s) {
		if !letter(c) && !digit(c) && strings.IndexByte(":-._~!$&'()*+,;=", c) < 0 {
			return false
		}
	}
	return true
}

// normaliser walks a path once, as nginx does: what an escape stands for counts as if it had been written.
type normaliser struct {
	out   []byte
	args  string
	merge bool
	after place
}

// place says what stands directly before the place reached in the output.
type place uint8

const (
	afterText place = iota
	afterSlash
	afterDot    // "/."
	afterDotDot // "/.."
)

func (n *normaliser) run(path string) bool {
	for i := 0; i < len(path); i++ {
		c := path[i]
		if c == '%' {
			decoded, ok := unescape(path[i+1:])
			if !ok {
				return false
			}
			i += 2
			if decoded == '%' || decoded == '#' || decoded == '?' { // they mean nothing once they were escaped
				n.put(decoded)
				n.after = afterText
				continue
			}
			c = decoded
		}
		switch c {
		case '?':
			n.args = path[i+1:]
			if hash := strings.IndexByte(n.args, '#'); hash >= 0 {
				n.args = n.args[:hash]
			}
			return n.end()
		case '#':
			return n.end()
		}
		if !n.next(c) {
			return false
		}
	}
	return n.end()
}

// unescape reads the two hexadecimal digits behind a "%". A zero byte is refused.
func unescape(s string) (byte, bool) {
	if len(s) < 2 {
		return 0, false
	}
	high, ok1 := hex(s[0])
	low, ok2 := hex(s[1])
	return high<<4 | low, ok1 && ok2 && high|low != 0
}

func hex(c byte) (byte, bool) {
	switch {
	case digit(c):
		return c - '0', true
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10, true
	}
	return 0, false
}

func (n *normaliser) put(c byte) { n.out = append(n.out, c) }

func (n *normaliser) next(c byte) bool {
	switch {
	case c == '/' && n.after == afterText:
		n.put(c)
		n.after = afterSlash
	case c == '/' && n.after == afterSlash:
		if !n.merge {
			n.put(c)
		}
	case c == '/' && n.after == afterDot:
		n.out = n.out[:len(n.out)-1]
		n.after = afterSlash
	case c == '/':
		n.after = afterSlash
		return n.up()
	case c == '.' && n.after == afterSlash:
		n.put(c)
		n.after = afterDot
	case c == '.' && n.after == afterDot:
		n.put(c)
		n.after = afterDotDot
	default:
		n.put(c)
		n.after = afterText
	}
	return true
}

// up takes "/.." and the part before it away; it fails at the root.
func (n *normaliser) up() bool {
	end := len(n.out) - len("/..")
	slash := bytes.LastIndexByte(n.out[:end], '/')
	if slash < 0 {
		return false
	}
	n.out = n.out[:slash+1]
	return true
}

func (n *normaliser) end() bool {
	switch n.after {
	case afterDot:
		n.out = n.out[:len(n.out)-1]
	case afterDotDot:
		return n.up()
	case afterText, afterSlash:
	}
	return true
}

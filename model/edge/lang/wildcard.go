package lang

import (
	"errors"
	"strings"

	"github.com/ngxlimit/ngxlimit/model/edge"
)

// A wildcard is a pattern for a whole text, in which "*" stands for any run of characters.
type wildcard struct {
	text   string
	strict bool     // letters count as written
	parts  []string // between the stars; in lower case unless strict
}

// newWildcard reads a pattern: \* and \\ are the characters themselves, and ** is refused.
func newWildcard(s string, strict bool) (*wildcard, error) {
	w := &wildcard{text: s, strict: strict}
	var part strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s) && (s[i+1] == '*' || s[i+1] == '\\'):
			i++
			part.WriteByte(s[i])
		case c == '*' && i+1 < len(s) && s[i+1] == '*':
			return nil, errors.New("a wildcard has no two stars in a row")
		case c == '*':
			w.parts = append(w.parts, part.String())
			part.Reset()
		default:
			part.WriteByte(c)
		}
	}
	w.parts = append(w.parts, part.String())
	if !strict {
		for i, p := range w.parts {
			w.parts[i] = edge.Lower(p)
		}
	}
	return w, nil
}

func (w *wildcard) String() string {
	if w.strict {
		return "strict wildcard " + quote(w.text)
	}
	return "wildcard " + quote(w.text)
}

// match says whether a whole text fits. The first place where a part fits is as good as any later one, so that each part
// is looked for once.
func (w *wildcard) match(s string) bool {
	first, last := w.parts[0], w.parts[len(w.parts)-1]
	if len(w.parts) == 1 {
		return len(s) == len(first) && w.at(s, first)
	}
	if len(s) < len(first)+len(last) || !w.at(s, first) || !w.at(s[len(s)-len(last):], last) {
		return false
	}
	s = s[len(first) : len(s)-len(last)]
	for _, part := range w.parts[1 : len(w.parts)-1] {
		i := w.index(s, part)
		if i < 0 {
			return false
		}
		s = s[i+len(part):]
	}
	return true
}

// at says whether a text begins with a part.
func (w *wildcard) at(s, part string) bool {
	if w.strict {
		return strings.HasPrefix(s, part)
	}
	if len(s) < len(part) {
		return false
	}
	for i := range len(part) {
		if small(s[i]) != part[i] {
			return false
		}
	}
	return true
}

func (w *wildcard) index(s, part string) int {
	if w.strict {
		return strings.Index(s, part)
	}
	for i := 0; i+len(part) <= len(s); i++ {
		if w.at(s[i:], part) {
			return i
		}
	}
	return -1
}

func small(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c | 0x20
	}
	return c
}

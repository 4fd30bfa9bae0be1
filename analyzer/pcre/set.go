package pcre

import (
	"fmt"
	"strings"
	"unicode"
)

// set is a set of bytes: what one character of a pattern stands for. PCRE works on bytes outside UTF mode, so that every
// class, every escape and every letter without case is such a set, whatever the engine that runs it.
type set [256]bool

func setOf(in func(c byte) bool) set {
	var s set
	for i := range s {
		s[i] = in(byte(i))
	}
	return s
}

func (s *set) add(o *set) {
	for i, in := range o {
		if in {
			s[i] = true
		}
	}
}

func (s *set) addRange(from, to byte) {
	for i := int(from); i <= int(to); i++ {
		s[i] = true
	}
}

// inverse holds exactly the bytes that s does not.
func (s set) inverse() set {
	for i := range s {
		s[i] = !s[i]
	}
	return s
}

// single says whether the set is one character, or a letter in both cases.
func (s *set) single() bool {
	size := 0
	for _, in := range s {
		if in {
			size++
		}
	}
	folded := *s
	folded.fold()
	return size == 1 || size == 2 && folded == *s
}

// fold adds the other case of every letter.
func (s *set) fold() {
	for c := 'a'; c <= 'z'; c++ {
		if both := s[c] || s[c-0x20]; both {
			s[c], s[c-0x20] = true, true
		}
	}
}

// String writes the set in the syntax that RE2 and regexp2 share.
func (s set) String() string {
	var ranges []string
	only := -1
	for i := 0; i < len(s); i++ {
		if !s[i] {
			continue
		}
		from := i
		for i+1 < len(s) && s[i+1] {
			i++
		}
		if from == i {
			ranges = append(ranges, quoteByte(byte(i)))
		} else {
			ranges = append(ranges, quoteByte(byte(from))+"-"+quoteByte(byte(i)))
		}
		if only = -1; from == i {
			only = i
		}
	}
	switch {
	case len(ranges) == 0:
		return `[^\x00-\x{10FFFF}]` // matches nothing; see emptySet for regexp2
	case len(ranges) == 1 && only >= 0:
		return quoteByte(byte(only))
	}
	return "[" + strings.Join(ranges, "") + "]"
}

// quoteByte writes a byte so that it stands for itself, in a class and outside of one.
func quoteByte(c byte) string {
	if '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || c == '/' || c == '_' {
		return string(rune(c))
	}
	return fmt.Sprintf(`\x%02x`, c)
}

func inRange(c byte, ranges string) bool {
	for i := 0; i+1 < len(ranges); i += 2 {
		if ranges[i] <= c && c <= ranges[i+1] {
			return true
		}
	}
	return false
}

var (
	digitSet  = setOf(func(c byte) bool { return inRange(c, "09") })
	wordSet   = setOf(func(c byte) bool { return inRange(c, "09AZaz__") })
	spaceSet  = setOf(func(c byte) bool { return inRange(c, "\t\r  ") })
	blankSet  = setOf(func(c byte) bool { return c == ' ' || c == '\t' || c == 0xa0 }) // \h
	lineSet   = setOf(func(c byte) bool { return inRange(c, "\n\r") || c == 0x85 })    // \v
	dotSet    = setOf(func(c byte) bool { return c != '\n' })                          // . and \N
	anySet    = setOf(func(byte) bool { return true })                                 // . with (?s)
	posixSets = map[string]set{
		"alpha":  setOf(func(c byte) bool { return inRange(c, "AZaz") }),
		"lower":  setOf(func(c byte) bool { return inRange(c, "az") }),
		"upper":  setOf(func(c byte) bool { return inRange(c, "AZ") }),
		"alnum":  setOf(func(c byte) bool { return inRange(c, "09AZaz") }),
		"ascii":  setOf(func(c byte) bool { return c < 0x80 }),
		"blank":  setOf(func(c byte) bool { return c == ' ' || c == '\t' }),
		"cntrl":  setOf(func(c byte) bool { return c < 0x20 || c == 0x7f }),
		"digit":  digitSet,
		"graph":  setOf(func(c byte) bool { return inRange(c, "!~") }),
		"print":  setOf(func(c byte) bool { return inRange(c, " ~") }),
		"punct":  setOf(func(c byte) bool { return inRange(c, "!/:@[`{~") }),
		"space":  spaceSet,
		"word":   wordSet,
		"xdigit": setOf(func(c byte) bool { return inRange(c, "09AFaf") }),
	}
)

// property returns the bytes that have a Unicode property, by the name that stands in \p{...}.
func property(name string) (set, bool) {
	negate := strings.HasPrefix(name, "^")
	name = strings.TrimPrefix(name, "^")
	var in func(r rune) bool
	switch name {
	case "Any":
		in = func(rune) bool { return true }
	case "L&":
		in = func(r rune) bool { return unicode.In(r, unicode.Lu, unicode.Ll, unicode.Lt) }
	case "Xan":
		in = func(r rune) bool { return unicode.In(r, unicode.L, unicode.N) }
	case "Xwd":
		in = func(r rune) bool { return r == '_' || unicode.In(r, unicode.L, unicode.N) }
	case "Xps", "Xsp":
		in = func(r rune) bool { return unicode.In(r, unicode.Z) || '\t' <= r && r <= '\r' || r == 0x85 }
	default:
		table, ok := unicode.Categories[name]
		if !ok {
			if table, ok = unicode.Scripts[name]; !ok {
				return set{}, false
			}
		}
		in = func(r rune) bool { return unicode.Is(table, r) }
	}
	return setOf(func(c byte) bool { return in(rune(c)) != negate }), true
}

// singles are the sets of one byte.
var singles = func() (all [256]set) {
	for i := range all {
		all[i][i] = true
	}
	return all
}()

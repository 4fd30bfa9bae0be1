package rule

import "strings"

// Covers says whether a map's regex surely takes whatever a later one could: it is the same, or asks for a text that the later
// one asks for as well ("~^/" before "~^/api/", "~*bot" before "~*examplebot"). Where that cannot be told it does not.
func Covers(earlier, later string) bool {
	a, okA := readPattern(earlier)
	b, okB := readPattern(later)
	if !okA || !okB || b.anyCase && !a.anyCase {
		return false // the later one takes other letter cases as well
	}
	if a.text == b.text {
		return true
	}
	if !a.plain || a.literal == "" || b.alternates {
		return false
	}
	want, have := a.literal, b.literal
	if a.anyCase {
		want, have = strings.ToLower(want), strings.ToLower(have)
	}
	if a.anchored {
		return b.anchored && strings.HasPrefix(have, want)
	}
	return strings.Contains(have, want)
}

// A pattern is what can be told of a map's regex without running it.
type pattern struct {
	text       string
	anyCase    bool
	anchored   bool
	literal    string // that it asks for at its beginning, or anywhere
	plain      bool   // it asks for nothing else
	alternates bool   // at its outermost level it is one of several
}

func readPattern(key string) (p pattern, ok bool) {
	text, ok := strings.CutPrefix(key, "~")
	if !ok {
		return p, false
	}
	p.text, p.anyCase = strings.CutPrefix(text, "*")
	rest, anchored := strings.CutPrefix(p.text, "^")
	p.anchored = anchored
	p.literal, rest = literalStart(rest)
	p.plain = rest == "" || rest == ".*"
	p.alternates = alternates(p.text)
	return p, true
}

// alternates says whether a regex has a "|" outside of all groups and classes.
func alternates(regex string) bool {
	depth, class := 0, false
	for i := 0; i < len(regex); i++ {
		switch c := regex[i]; {
		case c == '\\':
			i++
		case class:
			class = c != ']'
		case c == '[':
			class = true
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == '|' && depth <= 0:
			return true
		}
	}
	return false
}

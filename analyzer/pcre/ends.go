package pcre

import (
	"regexp/syntax"
	"strings"
)

// Ends are what every subject that RE2 matches begins and ends with. Most patterns of a configuration name one of them
// ("\.php$", "^/media/"), and most requests have neither, so that the regex itself need not be run. Nor is it where that is
// all that it asks for.
type ends struct {
	first, last end
	all         bool // what has these ends matches
}

type end struct {
	text string
	fold bool // letters match without case
}

// endsOf finds them in a pattern of RE2, for subjects of ASCII without newlines.
func endsOf(pattern string) ends {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil || re.Op != syntax.OpConcat {
		return ends{}
	}
	var e ends
	n := len(re.Sub)
	if re.Sub[0].Op == syntax.OpBeginText {
		e.first = endOf(re.Sub[1])
	}
	if re.Sub[n-1].Op == syntax.OpEndText {
		e.last = endOf(re.Sub[n-2])
	}
	e.all = n == 2 && (e.first.text != "" || e.last.text != "")
	return e
}

func endOf(re *syntax.Regexp) end {
	if text := string(re.Rune); re.Op == syntax.OpLiteral && ascii(text) {
		return end{text, re.Flags&syntax.FoldCase != 0}
	}
	return end{}
}

func (e *ends) allow(s string) bool {
	return len(s) >= len(e.first.text) && e.first.is(s[:len(e.first.text)]) &&
		len(s) >= len(e.last.text) && e.last.is(s[len(s)-len(e.last.text):])
}

func (e *end) is(s string) bool { return s == e.text || e.fold && strings.EqualFold(s, e.text) }

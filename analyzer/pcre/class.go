package pcre

import "strings"

// class reads a bracketed class.
func (t *translator) class(a *atom) error {
	if t.wordEdge(a) {
		return nil
	}
	if outside := t.pos; hasAnyPrefix(t.pattern[outside:], "[:", "[.", "[=") {
		_, ok, err := t.posix()
		if err != nil && t.pattern[outside+1] != ':' {
			return err
		}
		if ok || err != nil {
			return t.refuse(outside, "POSIX named classes are supported only within a class")
		}
	}
	t.pos++
	negate := t.next("^")
	var s set
	first := true
	for {
		if !t.more() {
			return t.refuse(len(t.pattern), "missing terminating ] for character class")
		}
		c := t.pattern[t.pos]
		if c == ']' && !first {
			t.pos++
			break
		}
		first = false
		if t.extendedMore && (c == ' ' || c == '\t') {
			t.pos++
			continue
		}
		if t.next(`\E`) {
			continue
		}
		if t.next(`\Q`) {
			t.quotedInClass(&s)
			continue
		}
		if err := t.member(&s); err != nil {
			return err
		}
	}
	if t.caseless {
		s.fold()
	}
	if negate {
		s = s.inverse()
	}
	t.set(s)
	return nil
}

// wordEdge reads [[:<:]] and [[:>:]], the start and the end of a word.
func (t *translator) wordEdge(a *atom) bool {
	switch {
	case t.next("[[:<:]]"):
		t.only(`(?:(?<![0-9A-Z_a-z])(?=[0-9A-Z_a-z]))`)
	case t.next("[[:>:]]"):
		t.only(`(?:(?<=[0-9A-Z_a-z])(?![0-9A-Z_a-z]))`)
	default:
		return false
	}
	t.leaf(&node{kind: nodeZero})
	a.nullable = true
	return true
}

func (t *translator) quotedInClass(s *set) {
	text, rest, closed := strings.Cut(t.pattern[t.pos:], `\E`)
	t.pos = len(t.pattern) - len(rest)
	if !closed {
		t.pos = len(t.pattern)
	}
	for i := range len(text) {
		s[text[i]] = true
	}
}

// member reads one byte, range or named set of a class.
func (t *translator) member(s *set) error {
	from, named, err := t.classAtom()
	if err != nil {
		return err
	}
	rest := t.pattern[t.pos:]
	ranged := len(rest) > 1 && rest[0] == '-' && rest[1] != ']'
	switch {
	case named != nil && ranged:
		return t.refuse(t.pos, "invalid range in character class")
	case named != nil:
		s.add(named)
		return nil
	case !ranged:
		s[from] = true
		return nil
	}
	t.pos++
	to, named, err := t.classAtom()
	switch {
	case err != nil:
		return err
	case named != nil:
		return t.refuse(t.pos, "invalid range in character class")
	case to < from:
		return t.refuse(t.pos-1, "range out of order in character class")
	}
	s.addRange(from, to)
	return nil
}

// classAtom reads one byte or one named set within a class.
func (t *translator) classAtom() (byte, *set, error) {
	if !t.more() {
		return 0, nil, t.refuse(len(t.pattern), "missing terminating ] for character class")
	}
	c := t.pattern[t.pos]
	switch c {
	case '[':
		if s, ok, err := t.posix(); ok || err != nil {
			return 0, s, err
		}
	case '\\':
		return t.classEscape()
	}
	if c >= 0x80 && t.utf {
		return 0, nil, unable("it names a character beyond ASCII in UTF mode")
	}
	t.pos++
	return c, nil, nil
}

func (t *translator) classEscape() (byte, *set, error) {
	if t.pos++; !t.more() {
		return 0, nil, t.refuse(t.pos, "\\ at end of pattern")
	}
	c := t.pattern[t.pos]
	if s, ok := classEscape(c); ok {
		t.pos++
		return 0, &s, nil
	}
	switch c {
	case 'b':
		t.pos++
		return '\b', nil, nil
	case 'p', 'P':
		s, err := t.property()
		return 0, &s, err
	case 'N':
		return 0, nil, t.refuse(t.pos+1, "\\N is not supported in a class")
	case 'g':
		t.pos++
		return c, nil, nil
	case 'R', 'X', 'B', 'k', 'A', 'z', 'Z', 'G', 'K':
		return 0, nil, t.refuse(t.pos, "escape sequence is invalid in character class")
	}
	if c == '8' || c == '9' {
		t.pos++
		return c, nil, nil
	}
	b, err := t.charEscape()
	return b, nil, err
}

// posix reads [:name:] within a class.
func (t *translator) posix() (s *set, ok bool, err error) {
	rest := t.pattern[t.pos:]
	if len(rest) < 2 || strings.IndexByte(":.=", rest[1]) < 0 {
		return nil, false, nil
	}
	end := strings.Index(rest[2:], rest[1:2]+"]")
	if end < 0 || strings.ContainsAny(rest[2:2+end], `]\`) {
		return nil, false, nil
	}
	if rest[1] != ':' {
		return nil, false, t.refuse(t.pos, "POSIX collating elements are not supported")
	}
	name := rest[2 : 2+end]
	negate := strings.HasPrefix(name, "^")
	name = strings.TrimPrefix(name, "^")
	if t.caseless && (name == "upper" || name == "lower") {
		name = "alpha"
	}
	members, known := posixSets[name]
	if !known {
		return nil, false, t.refuse(t.pos+2, "unknown POSIX class name")
	}
	if negate {
		members = members.inverse()
	}
	t.pos += end + 4
	return &members, true, nil
}

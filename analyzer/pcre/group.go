package pcre

import (
	"strconv"
	"strings"
)

// ignoredVerbs may stand in front of a pattern and change nothing about what matches.
var ignoredVerbs = []string{"(*LF)", "(*NO_AUTO_POSSESS)", "(*NO_DOTSTAR_ANCHOR)", "(*NO_JIT)", "(*NO_START_OPT)", "(*BSR_UNICODE)"}

func (t *translator) leadingVerbs() error {
	for strings.HasPrefix(t.pattern[t.pos:], "(*") {
		switch {
		case t.next("(*UTF)"), t.next("(*UTF8)"):
			t.utf = true
		case t.limitVerb():
		default:
			found := false
			for _, v := range ignoredVerbs {
				found = found || t.next(v)
			}
			for _, v := range foreignVerbs {
				if !found && t.next(v) {
					found = true
					t.cannot("it uses %s", v)
				}
			}
			if !found {
				return nil
			}
		}
	}
	return nil
}

// group reads what starts with "(".
func (t *translator) group(a *atom) error {
	switch {
	case t.next("(*F)"), t.next("(*FAIL)"):
		a.fixed = true
		t.set(set{})
		return nil
	case strings.HasPrefix(t.pattern[t.pos:], "(*"):
		return t.verb()
	case !strings.HasPrefix(t.pattern[t.pos:], "(?"):
		t.pos++
		if t.noCapture {
			return t.body(a, "(?:")
		}
		return t.capture(a, "")
	}
	t.pos += 2
	if !t.more() {
		return t.refuse(t.pos, "missing closing parenthesis")
	}
	return t.special(a)
}

// special reads a group behind its "(?".
func (t *translator) special(a *atom) error {
	switch {
	case t.next("#"):
		return t.refuse(len(t.pattern), "missing ) after (?# comment")
	case t.next(":"):
		return t.body(a, "(?:")
	case t.next("|"):
		return t.branchReset(a)
	case t.next(">"):
		t.only("(?:")
		err := t.body(a, "(?>")
		t.both(barrier + ")")
		if err == nil {
			t.last(&node{kind: nodeAtomic})
		}
		return err
	case t.next("="):
		return t.look(a, "(?=")
	case t.next("!"):
		return t.look(a, "(?!")
	case t.next("<="):
		return t.look(a, "(?<=")
	case t.next("<!"):
		return t.look(a, "(?<!")
	case t.next("*"):
		t.cannot("it uses (?*")
		return t.look(a, "(?=")
	case t.next("<*"):
		t.cannot("it uses (?<*")
		return t.look(a, "(?<=")
	case t.next("P>"), t.next("&"):
		return t.callName(a, ')')
	case t.next("("):
		return t.conditional(a)
	case t.next("P="):
		name, err := t.name(')')
		if err != nil {
			return err
		}
		return t.namedReference(a, name)
	}
	for open, end := range map[string]byte{"<": '>', "P<": '>', "'": '\''} {
		if t.next(open) {
			name, err := t.name(end)
			if err != nil {
				return err
			}
			return t.capture(a, name)
		}
	}
	rest := t.pattern[t.pos:]
	switch c := rest[0]; {
	case c == 'R':
		if t.pos++; !t.next(")") {
			return t.refuse(t.pos, "(?R (recursive pattern call) must be followed by a closing parenthesis")
		}
		t.cannot("it calls a group as a subroutine")
		t.leaf(&node{kind: nodeVaries})
		a.nullable = true
		return nil
	case isDigit(c), c == '+', c == '-' && len(rest) > 1 && isDigit(rest[1]):
		return t.callNumber(a)
	case c == 'P':
		if len(rest) == 1 {
			return t.refuse(t.pos+1, "missing closing parenthesis")
		}
		return t.refuse(t.pos+1, "unrecognized character after (?P")
	case c == 'C':
		return unable("it uses a callout")
	}
	return t.setOptions(a)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// body reads a group's alternatives and its ")".
func (t *translator) body(a *atom, open string) error {
	t.both(open)
	if t.depth++; t.depth > nestingMax {
		return t.refuse(t.pos, "parentheses are too deeply nested")
	}
	outer, before := t.options, t.items
	nullable, err := t.alternatives()
	if err != nil {
		return err
	}
	inner := t.items
	t.items = before
	t.items = append(t.items, inner...)
	if !t.next(")") {
		return t.refuse(len(t.pattern), "missing closing parenthesis")
	}
	t.options = outer
	t.depth--
	t.both(")")
	a.nullable = nullable
	return nil
}

func (t *translator) look(a *atom, open string) error {
	t.onlySlow = true
	offset := t.pos - len(open)
	outer := t.behinds
	t.looking++
	if t.behinds = 0; len(open) > 3 {
		t.behinds = outer + 1
	}
	err := t.body(a, open)
	t.looking--
	t.behinds = outer
	a.nullable = true
	if err != nil {
		return err
	}
	n := &node{kind: nodeLook, negative: open[len(open)-1] == '!'}
	if len(open) > 3 {
		n.behind = t.lookbehind(offset)
		n.untold = n.behind == nil
	}
	t.last(n)
	return nil
}

func (t *translator) capture(a *atom, name string) error {
	t.groups++
	group := t.groups
	for _, n := range t.names {
		if name != "" && n.Group == group && n.Name != name {
			return t.refuse(t.pos, "different names for subpatterns of the same number are not allowed")
		}
	}
	if name != "" && !t.addName(name) {
		return t.refuse(t.pos, "two named subpatterns have the same name (PCRE2_DUPNAMES not set)")
	}
	fast := len(t.fast)
	err := t.body(a, "(?<"+strconv.Itoa(t.groups)+">")
	// RE2 counts groups by itself, and a number is no name to it.
	t.fast = append(append(t.fast[:fast:fast], '('), t.fast[fast+len("(?<>")+len(strconv.Itoa(t.groups)):]...)
	if err == nil {
		n := t.items[len(t.items)-1]
		n.capturing, n.group, t.nodes[group] = true, group, n
	}
	return err
}

// addName notes a named group, unless the name is taken by another one.
func (t *translator) addName(name string) bool {
	for _, n := range t.names {
		if n.Name == name && n.Group == t.groups {
			return true
		}
		if n.Name == name && !t.dupNames {
			return false
		}
	}
	t.names = append(t.names, Name{name, t.groups})
	return true
}

// named returns the number of the group of a name in the whole pattern; 0 where there is none.
func (t *translator) named(name string) (int, error) {
	group := 0
	for _, n := range t.allNames {
		if n.Name == name && group != 0 {
			return 0, unable("two groups have the name %q", name)
		}
		if n.Name == name {
			group = n.Group
		}
	}
	return group, nil
}

// branchReset reads (?|...), in which every alternative counts its groups from the same number.
func (t *translator) branchReset(a *atom) error {
	t.only("(?:")
	t.numberless = true
	if t.depth++; t.depth > nestingMax {
		return t.refuse(t.pos, "parentheses are too deeply nested")
	}
	outer, first, most := t.options, t.groups, t.groups
	before, all := t.items, &node{kind: nodeAny}
	for {
		t.groups, t.items = first, nil
		empty, err := t.sequence()
		if err != nil {
			return err
		}
		a.nullable = a.nullable || empty
		all.subs = append(all.subs, &node{kind: nodeConcat, subs: t.items})
		most = max(most, t.groups)
		if !t.next("|") {
			break
		}
		t.both("|")
	}
	if !t.next(")") {
		return t.refuse(len(t.pattern), "missing closing parenthesis")
	}
	t.groups, t.options, t.items = most, outer, before
	t.leaf(all)
	t.depth--
	t.both(")")
	return nil
}

// name reads the name of a group up to the byte that ends it.
func (t *translator) name(end byte) (string, error) {
	start := t.pos
	for t.more() && isWord(t.pattern[t.pos]) {
		t.pos++
	}
	name := t.pattern[start:t.pos]
	switch {
	case name != "" && isDigit(name[0]):
		return "", t.refuse(start, "subpattern name must start with a non-digit")
	case len(name) > nameMax:
		return "", t.refuse(t.pos, "subpattern name is too long (maximum 32 code units)")
	case name == "":
		return "", t.refuse(t.pos, "subpattern name expected")
	case !t.more() || t.pattern[t.pos] != end:
		return "", t.refuse(t.pos, "syntax error in subpattern name (missing terminator?)")
	}
	t.pos++
	return name, nil
}

func isWord(c byte) bool { return wordSet[c] }

// setOptions reads (?i-s) or (?i-s:...).
func (t *translator) setOptions(a *atom) error {
	outer, on, unset := t.options, true, false
	if t.next("^") {
		unset = true
		t.caseless, t.multiline, t.dotAll, t.extended, t.extendedMore, t.noCapture = false, false, false, false, false, false
	}
	for t.more() {
		c := t.pattern[t.pos]
		t.pos++
		switch c {
		case 'i':
			t.caseless = on
		case 'm':
			t.multiline = on
		case 's':
			t.dotAll = on
		case 'x':
			t.extended = on
			t.extendedMore = on && t.next("x")
		case 'n':
			t.noCapture = on
		case 'U':
			t.ungreedy = on
		case 'J':
			t.dupNames = on
		case '-':
			if !on || unset {
				return t.refuse(t.pos-1, "invalid hyphen in option setting")
			}
			on = false
		case ')':
			a.fixed, a.nullable = true, true
			return nil
		case ':':
			err := t.body(a, "(?:")
			t.options = outer
			return err
		default:
			return t.refuse(t.pos-1, "unrecognized character after (? or (?-")
		}
	}
	return t.refuse(t.pos, "missing closing parenthesis")
}

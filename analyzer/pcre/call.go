package pcre

import (
	"cmp"
	"strings"
)

// late notes what PCRE refuses only after it has read the whole pattern.
func (t *translator) late(offset int, text string) {
	switch {
	case t.total < 0:
	case t.behinds > 0 && text == noGroup: // found when the lookbehind is measured
		t.behind = cmp.Or(t.behind, t.refuse(offset, text))
	default:
		t.lateErr = cmp.Or(t.lateErr, t.refuse(offset, text))
	}
}

const noGroup = "reference to non-existent subpattern"

// cannot notes what PCRE may take and is not run here; reading goes on, since PCRE may refuse what follows.
func (t *translator) cannot(format string, args ...any) {
	if t.cannotErr == nil {
		t.cannotErr = unable(format, args...)
	}
	t.onlySlow = true
}

// call writes nothing for the call of a group as a subroutine; offset is where PCRE looks if there is no such group.
func (t *translator) call(a *atom, group, offset int) {
	a.nullable = true
	t.cannot("it calls a group as a subroutine")
	if group > t.total || group < 0 {
		t.late(offset, noGroup)
		return
	}
	t.leaf(&node{kind: nodeReference, group: group})
}

// callNumber reads the call of a group behind "(?", by its number, which may have a sign.
func (t *translator) callNumber(a *atom) error {
	sign := byte(0)
	start := t.pos
	if c := t.pattern[t.pos]; c == '+' || c == '-' {
		sign = c
	}
	n, ok := t.relative()
	switch {
	case !ok:
		return t.refuse(start, "digit expected after (?+ or (?-")
	case sign != 0 && strings.Trim(t.pattern[start+1:t.pos], "0") == "":
		return t.refuse(t.pos, "a relative value of zero is not allowed")
	case sign == '-' && n < 1:
		return t.refuse(t.pos, noGroup)
	}
	offset := t.pos
	if !t.next(")") {
		return t.refuse(t.pos, "missing closing parenthesis")
	}
	t.call(a, n, offset)
	return nil
}

// callName reads the call of a group by its name; the place reached is at the name.
func (t *translator) callName(a *atom, end byte) error {
	start := t.pos
	name, err := t.name(end)
	if err != nil {
		return err
	}
	n, single := t.single(name)
	if !single || t.total < 0 {
		t.cannot("it calls a group as a subroutine")
		return nil
	}
	if n == 0 {
		n = -1
	} else {
		t.stale = start
	}
	t.call(a, n, start)
	return nil
}

// single is named for what is not run anyway; false where two groups have the name.
func (t *translator) single(name string) (int, bool) {
	n, err := t.named(name)
	return n, err == nil
}

// callEscape reads \g<...> or \g'...'; the place reached is behind the bracket.
func (t *translator) callEscape(a *atom, end byte) error {
	start := t.pos
	if !t.more() {
		return t.refuse(t.pos, "subpattern name expected")
	}
	c := t.pattern[t.pos]
	n, ok := t.relative()
	if !ok {
		return t.callName(a, end)
	}
	offset := t.pos
	switch {
	case c == '-' && n < 1:
		return t.refuse(start-1, noGroup)
	case !t.next(string(end)):
		return t.refuse(start-1, noReference['g'])
	}
	t.call(a, n, offset)
	return nil
}

package pcre

import (
	"strconv"
	"strings"
)

// conditional reads a group behind its "(?(".
func (t *translator) conditional(a *atom) error {
	open := t.pos - 3
	rest := t.pattern[t.pos:]
	before, at := len(t.items), t.stale
	switch {
	case rest == "":
		return t.refuse(t.pos, "missing closing parenthesis")
	case hasAnyPrefix(rest, "?=", "?!", "?<=", "?<!"):
		t.only("(?")
		t.pos-- // the condition is a group of its own
		if err := t.group(&atom{}); err != nil {
			return err
		}
		t.items = t.items[:before]
	case hasAnyPrefix(rest, "?C", "*", "VERSION"):
		return unable("it has a condition that is not known here")
	case rest[0] == '?':
		return t.refuse(t.pos-1, "assertion expected after (?( or (?(?C)")
	default:
		group, err := t.condition()
		if err != nil {
			return err
		}
		t.only("(?(" + strconv.Itoa(max(group, 1)) + ")")
		if at = t.stale; isDigit(rest[0]) || rest[0] == '+' || rest[0] == '-' {
			at = open
		}
	}
	err := t.body(a, "")
	a.nullable = true
	if err != nil {
		return err
	}
	n := t.items[len(t.items)-1]
	n.untold = true
	switch branches := len(n.subs); {
	case strings.HasPrefix(rest, "DEFINE)") && branches > 1:
		t.branches(open+3, "DEFINE subpattern contains more than one branch")
	case branches > 2:
		t.branches(at, "conditional subpattern contains more than two branches")
	}
	return nil
}

// branches notes an error about the number of branches.
func (t *translator) branches(offset int, text string) {
	if t.total >= 0 && t.branchErr == nil {
		t.branchErr = t.refuse(offset, text)
	}
}

func hasAnyPrefix(s string, prefixes ...string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// condition reads the group that a condition asks for, and the ")" behind it.
func (t *translator) condition() (group int, err error) {
	start := t.pos
	c := t.pattern[t.pos]
	if isDigit(c) || (c == '+' || c == '-') && t.pos+1 < len(t.pattern) && isDigit(t.pattern[t.pos+1]) {
		n, _ := t.relative()
		switch {
		case n < 1:
			return 0, t.refuse(t.pos, noGroup)
		case n > t.total && isDigit(c):
			t.late(start-1, noGroup)
		case n > t.total:
			t.late(start, noGroup)
		}
		return n, t.closeCondition()
	}
	switch rest := t.pattern[t.pos:]; {
	case strings.HasPrefix(rest, "DEFINE)"), strings.HasPrefix(rest, "R)"):
		t.cannot("it has a condition that is not known here")
		t.pos += strings.IndexByte(rest, ')') + 1
		return 0, nil
	case t.next("R&"):
		t.cannot("it has a condition that is not known here")
		return t.conditionName(')')
	case c == 'R' && strings.Trim(rest[1:max(1, strings.IndexByte(rest, ')'))], "0123456789") == "":
		t.cannot("it has a condition that is not known here")
		n, end := number(rest, 1)
		if t.pos += end; n > t.total && len(t.allNames) == 0 {
			t.late(start, noGroup)
		}
		return 0, t.closeCondition()
	}
	for open, end := range map[string]byte{"<": '>', "'": '\''} {
		if t.next(open) {
			if group, err = t.conditionName(end); err != nil {
				return 0, err
			}
			return group, t.closeCondition()
		}
	}
	return t.conditionName(')')
}

func (t *translator) conditionName(end byte) (int, error) {
	start := t.pos
	name, err := t.name(end)
	if err != nil {
		return 0, err
	}
	group, single := t.single(name)
	if !single {
		t.cannot("two groups have one name")
		return 0, nil
	}
	if group == 0 {
		t.late(start, noGroup)
	} else {
		t.stale = start
	}
	return group, nil
}

func (t *translator) closeCondition() error {
	if !t.next(")") {
		return t.refuse(t.pos, "missing closing parenthesis for condition")
	}
	return nil
}

package pcre

import "strconv"

// reference reads \g or \k; the place reached is its letter.
func (t *translator) reference(a *atom) error {
	kind := t.pattern[t.pos]
	t.pos++
	if !t.more() {
		return t.refuse(t.pos, noReference[kind])
	}
	open := t.pattern[t.pos]
	ends := map[byte]byte{'{': '}', '<': '>', '\'': '\''}
	end, bracketed := ends[open]
	if kind == 'g' && bracketed && open != '{' {
		t.pos++
		return t.callEscape(a, end)
	}
	if bracketed {
		t.pos++
	} else if kind == 'k' {
		return t.refuse(t.pos, noReference[kind])
	}
	if kind == 'g' && (!bracketed || t.more()) {
		start := t.pos
		if n, ok := t.relative(); ok {
			if n < 1 && bracketed && t.pattern[start] == '-' {
				return t.refuse(start-1, noGroup)
			}
			if bracketed && !t.next("}") {
				return t.refuse(start-1, noReference[kind])
			}
			if n < 1 {
				return t.refuse(t.pos, noGroup)
			}
			return t.backreference(a, n)
		}
		if !bracketed {
			return t.refuse(t.pos, noReference[kind])
		}
	}
	name, err := t.name(end)
	if err != nil {
		return err
	}
	return t.namedReference(a, name)
}

// noReference is what PCRE says where nothing that it knows stands behind \g or \k.
var noReference = map[byte]string{
	'g': "\\g is not followed by a braced, angle-bracketed, or quoted name/number or by a plain number",
	'k': "\\k is not followed by a braced, angle-bracketed, or quoted name",
}

// relative reads the number of a group, which may count from the place reached.
func (t *translator) relative() (int, bool) {
	start, sign := t.pos, byte(0)
	if c := t.pattern[t.pos]; c == '-' || c == '+' {
		sign = c
		t.pos++
	}
	n, end := number(t.pattern, t.pos)
	if end == t.pos {
		t.pos = start
		return 0, false
	}
	t.pos = end
	switch sign {
	case '-':
		n = t.groups - n + 1
	case '+':
		n += t.groups
	}
	return n, true
}

func (t *translator) namedReference(a *atom, name string) error {
	n, err := t.named(name)
	if err != nil {
		return err
	}
	if n == 0 && t.total >= 0 {
		t.late(t.pos-len(name)-1, noGroup)
		return nil
	}
	if n > 0 {
		t.stale = t.pos - len(name) - 1
	}
	return t.backreference(a, n)
}

// backreference writes what matches the text of a group again.
func (t *translator) backreference(a *atom, n int) error {
	if t.total >= 0 && (n < 1 || n > t.total) {
		t.late(t.pos-1, noGroup)
		return nil
	}
	t.leaf(&node{kind: nodeReference, group: n, caseless: t.caseless})
	a.nullable = true
	ref := `(?:\k<` + strconv.Itoa(n) + `>)`
	if t.caseless {
		ref = `(?i:\k<` + strconv.Itoa(n) + `>)`
	}
	t.only(ref)
	return nil
}

package pcre

import "strings"

// stepping is one match of a stepper.
type stepping struct {
	*stepper
	subject string
	steps   int
	limit   int
	over    bool // a limit was exceeded
	pending []choice
	slot    []int
}

// A choice is what is left to try, or what is to be undone on the way back to it.
type choice struct {
	pc, at int
	star   bool
	bound  int // of a star: the last place to go on at
	slot   int // over 0: slot-1 is to be restored, to at
}

// unset is what the slots of a group hold that took no part.
const unset = -1

// from matches at one place; ok is false where a limit is exceeded.
func (m *stepping) from(start int) (matched, ok bool) {
	m.pending = m.pending[:0]
	for _, first := range m.groups {
		m.slot[first+1] = unset
	}
	_, matched = m.run(0, start, 0)
	return matched, !m.over
}

// run follows the code to an opMatch, and returns the place reached. Of the choices left it takes up none below base.
func (m *stepping) run(pc, at, base int) (end int, matched bool) {
	for {
		if m.steps > m.limit || len(m.pending) > pendingMax || m.over {
			m.over = true
			return 0, false
		}
		next, to, good := m.one(pc, at)
		if good && next < 0 {
			return to, true
		}
		if good {
			pc, at = next, to
			continue
		}
		if pc, at, good = m.back(base); !good {
			return 0, false
		}
	}
}

// one runs one instruction. A next below 0 is a match.
func (m *stepping) one(pc, at int) (next, to int, ok bool) {
	i := &m.code[pc]
	switch i.op {
	case opMatch:
		return -1, at, true
	case opSet:
		return pc + 1, at + 1, at < len(m.subject) && i.set[m.subject[at]]
	case opStar:
		return m.star(pc, at)
	case opSplit:
		if i.counted {
			m.steps++
		}
		m.pending = append(m.pending, choice{pc: i.to, at: at})
	case opJump:
		return i.to, at, true
	case opEnter, opOpen:
		m.put(i.slot, at)
	case opAgain:
		if at != m.slot[i.slot] {
			return i.to, at, true
		}
	case opStep:
		m.steps++
	case opAssert:
		return pc + 1, at, m.holds(i.kind, at)
	case opClose:
		m.put(i.slot+1, m.slot[i.slot])
		m.put(i.slot+2, at)
	case opSame:
		to, ok = m.same(i, at)
		return pc + 1, to, ok
	case opWithin:
		to, ok = m.within(pc+1, at)
		return i.to, to, ok
	case opLook:
		return i.to, at, m.look(i, pc+1, at) != i.negative
	}
	return pc + 1, at, true
}

// put gives a slot its value, until a choice before is taken up.
func (m *stepping) put(slot, at int) {
	m.pending = append(m.pending, choice{slot: slot + 1, at: m.slot[slot]})
	m.slot[slot] = at
}

// same matches what a group holds once more.
func (m *stepping) same(i *instruction, at int) (to int, ok bool) {
	if m.slot[i.slot+1] == unset {
		return 0, false
	}
	held := m.subject[m.slot[i.slot+1]:m.slot[i.slot+2]]
	if to = at + len(held); to > len(m.subject) {
		return 0, false
	}
	found := m.subject[at:to]
	return to, found == held || i.caseless && strings.EqualFold(found, held)
}

// within matches a piece for itself. Of its choices only what is to be undone remains.
func (m *stepping) within(pc, at int) (end int, ok bool) {
	base := len(m.pending)
	end, ok = m.run(pc, at, base)
	kept := m.pending[:base]
	for _, c := range m.pending[base:] {
		if c.slot > 0 {
			kept = append(kept, c)
		}
	}
	m.pending = kept
	return end, ok
}

// look says whether a look-around's piece matches.
func (m *stepping) look(i *instruction, pc, at int) bool {
	if i.behind == nil {
		_, ok := m.within(pc, at)
		return ok
	}
	for _, b := range i.behind {
		if b.length > at {
			continue
		}
		if _, ok := m.within(b.pc, at-b.length); ok {
			return true
		}
	}
	return false
}

func (m *stepping) star(pc, at int) (next, to int, ok bool) {
	i := &m.code[pc]
	most := at
	for most < len(m.subject) && (i.max < 0 || most-at < i.max) && i.set[m.subject[most]] {
		most++
	}
	least := at + i.min
	switch {
	case most < least:
		return 0, 0, false
	case i.greedy:
		return pc + 1, most, true
	}
	m.steps++
	first, last := most, least
	if i.lazy {
		first, last = least, most
	}
	if first != last {
		m.pending = append(m.pending, choice{star: true, pc: pc, at: first, bound: last})
	}
	return pc + 1, first, true
}

// back takes up the last choice that is left above base.
func (m *stepping) back(base int) (pc, at int, ok bool) {
	for n := len(m.pending); n > base; n = len(m.pending) {
		c := &m.pending[n-1]
		if c.star {
			m.steps++
			pc, at, last := c.move()
			if last {
				m.pending = m.pending[:n-1]
			}
			return pc, at, true
		}
		m.pending = m.pending[:n-1]
		if c.slot == 0 {
			return c.pc, c.at, true
		}
		m.slot[c.slot-1] = c.at
	}
	return 0, 0, false
}

// move takes a repeat on by one character; last says that there is no other one.
func (c *choice) move() (pc, at int, last bool) {
	if c.at > c.bound {
		c.at--
	} else {
		c.at++
	}
	return c.pc + 1, c.at, c.at == c.bound
}

func (m *stepping) holds(kind nodeKind, at int) bool {
	s := m.subject
	switch kind {
	case nodeBegin:
		return at == 0
	case nodeEnd:
		return at == len(s) || at == len(s)-1 && s[at] == '\n'
	case nodeEndText:
		return at == len(s)
	case nodeLineBegin:
		return at == 0 || at < len(s) && s[at-1] == '\n'
	case nodeLineEnd:
		return at == len(s) || s[at] == '\n'
	case nodeEdge:
		return m.edge(at)
	case nodeNoEdge:
		return !m.edge(at)
	default:
		return false
	}
}

func (m *stepping) edge(at int) bool {
	before := at > 0 && wordSet[m.subject[at-1]]
	after := at < len(m.subject) && wordSet[m.subject[at]]
	return before != after
}

package pcre

// stepping is one match of a stepper.
type stepping struct {
	*stepper
	subject string
	steps   int
	limit   int
	pending []choice
	entered []int // by slot
}

// A choice is what is left to try, or what is to be undone on the way back to it.
type choice struct {
	pc, at int
	star   bool
	bound  int // of a star: the last place to go on at
	slot   int // over 0: that entered place is to be restored, to at
}

// from matches at one place; ok is false where a limit is exceeded.
func (m *stepping) from(start int) (matched, ok bool) {
	m.pending = m.pending[:0]
	pc, at := 0, start
	for {
		if m.steps > m.limit || len(m.pending) > pendingMax {
			return false, false
		}
		next, to, good := m.one(pc, at)
		if good && next < 0 {
			return true, true
		}
		if good {
			pc, at = next, to
			continue
		}
		if pc, at, good = m.back(); !good {
			return false, true
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
	case opEnter:
		m.pending = append(m.pending, choice{slot: i.slot + 1, at: m.entered[i.slot]})
		m.entered[i.slot] = at
	case opAgain:
		if at != m.entered[i.slot] {
			return i.to, at, true
		}
	case opStep:
		m.steps++
	case opAssert:
		return pc + 1, at, m.holds(i.kind, at)
	}
	return pc + 1, at, true
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

// back takes up the last choice that is left.
func (m *stepping) back() (pc, at int, ok bool) {
	for n := len(m.pending); n > 0; n = len(m.pending) {
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
		m.entered[c.slot-1] = c.at
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
	switch kind {
	case nodeBegin:
		return at == 0
	case nodeEnd:
		return at == len(m.subject)
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

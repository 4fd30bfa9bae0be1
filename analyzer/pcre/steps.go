package pcre

import "errors"

// StepsMax is PCRE's match limit, which nginx leaves as it is: so many times its matcher may be entered for one place at
// which a match may begin.
const StepsMax = 10_000_000

// pendingMax bounds what may be left to try; PCRE's bound on its heap, 20 MB, comes to about as many of its records.
const pendingMax = 160_000

// ErrSteps says that PCRE would give up a match at its own limit.
var ErrSteps = errors.New("match exceeds PCRE's limit of 10000000 steps")

// A stepper matches by backtracking in PCRE's order and counts its steps. RE2 answers such patterns at once; the stepper
// tells whether PCRE would come to the answer. Its count is PCRE's to within a small factor.
type stepper struct {
	code     []instruction
	anchored bool
	nested   bool // a repeat within a repeat
	repeats  int
	starts   *set // with one of which a match begins
	required *set // one of which a match holds
	slots    int
	groups   map[int]int // the first of the three slots of each group that is referred to
}

type operation uint8

const (
	opSet    operation = iota
	opStar             // a repeat of one set
	opSplit            // tries what follows, then to
	opJump             // to
	opEnter            // notes in slot where a turn of a loop begins
	opAgain            // goes on behind if the turn since opEnter was empty
	opStep             // counts a step
	opAssert           // kind
	opOpen             // notes in slot where a group begins
	opClose            // notes in the next two slots what the group holds, up to here
	opSame             // what the group in slot holds, once more
	opWithin           // the code up to its own opMatch, of which nothing is tried again; then to
	opLook             // whether the code behind matches here; then to
	opMatch
)

type instruction struct {
	op       operation
	set      *set
	min, max int
	lazy     bool
	greedy   bool // nothing is given back
	counted  bool
	to       int
	slot     int
	kind     nodeKind
	caseless bool
	negative bool
	behind   []behind // of a lookbehind
}

// behind is one alternative of a lookbehind: where its code is, and how long it is.
type behind struct{ pc, length int }

// codeMax bounds a pattern whose counted repeats are written out.
const codeMax = 4000

// newStepper returns the stepper of a pattern; nil where its matches cannot take many steps.
func newStepper(root *node) *stepper {
	if nested, repeats := root.loops(); !nested && repeats < 3 {
		return nil
	}
	return newStepperFor(root)
}

// newStepperFor returns the stepper of a pattern; nil where its steps cannot be counted.
func newStepperFor(root *node) *stepper {
	s := &stepper{}
	s.nested, s.repeats = root.loops()
	first := root
	for len(first.subs) > 0 && (first.kind == nodeConcat || first.kind == nodeAny && len(first.subs) == 1) {
		first = first.subs[0]
	}
	s.anchored = first.kind == nodeBegin
	s.number(root)
	if c, empty, ok := root.starts(); ok && !empty {
		s.starts = &c
	}
	s.required = root.required()
	if !s.add(root) {
		return nil
	}
	s.code = append(s.code, instruction{op: opMatch})
	return s
}

// number gives slots to the groups that are referred to.
func (s *stepper) number(n *node) {
	if n.kind == nodeReference && s.groups[n.group] == 0 {
		if s.groups == nil {
			s.groups, s.slots = map[int]int{}, 1
		}
		s.groups[n.group] = s.slots
		s.slots += 3
	}
	for _, sub := range n.subs {
		s.number(sub)
	}
}

func (s *stepper) emit(i instruction) int {
	s.code = append(s.code, i)
	return len(s.code) - 1
}

// add writes the code of a node; false says that it is too large, or not told.
func (s *stepper) add(n *node) bool {
	if len(s.code) > codeMax || n.untold {
		return false
	}
	switch n.kind {
	case nodeSet:
		s.emit(instruction{op: opSet, set: n.set})
	case nodeConcat:
		for i, sub := range n.subs {
			at := len(s.code)
			if !s.add(sub) {
				return false
			}
			// PCRE gives nothing back of a repeat that what follows cannot begin with.
			if i+1 < len(n.subs) && sub.kind == nodeRepeat && sub.subs[0].kind == nodeSet && !sub.lazy {
				s.code[at].greedy = n.subs[i+1].excludes(sub.subs[0].set)
			}
		}
	case nodeAny:
		return s.addAny(n, n.capturing)
	case nodeRepeat:
		return s.addRepeat(n)
	case nodeAtomic, nodeLook:
		return s.addWithin(n)
	case nodeReference:
		s.emit(instruction{op: opSame, slot: s.groups[n.group], caseless: n.caseless})
	case nodeZero, nodeVaries, nodeForeign:
		return false
	default:
		s.emit(instruction{op: opAssert, kind: n.kind})
	}
	return true
}

// addWithin writes a piece that is matched for itself.
func (s *stepper) addWithin(n *node) bool {
	sub := n.subs[0]
	if n.kind == nodeAtomic && sub.kind == nodeRepeat && sub.subs[0].kind == nodeSet {
		s.emit(instruction{op: opStar, set: sub.subs[0].set, min: sub.min, max: sub.max, greedy: true})
		return true
	}
	op := opWithin
	if n.kind == nodeLook {
		op = opLook
	}
	at := s.emit(instruction{op: op, negative: n.negative})
	if len(n.behind) == 0 {
		if sub.kind != nodeAny {
			s.emit(instruction{op: opStep})
			if !s.add(sub) {
				return false
			}
		} else if !s.addAny(sub, true) {
			return false
		}
		s.emit(instruction{op: opMatch})
	}
	for i, length := range n.behind {
		s.code[at].behind = append(s.code[at].behind, behind{len(s.code), length})
		s.emit(instruction{op: opStep})
		if !s.add(sub.subs[i]) {
			return false
		}
		s.emit(instruction{op: opMatch})
	}
	s.code[at].to = len(s.code)
	return true
}

// excludes says whether a node begins with none of the characters.
func (n *node) excludes(s *set) bool {
	switch n.kind {
	case nodeSet:
		return disjoint(s, n.set)
	case nodeEnd:
		return !s['\n']
	case nodeEndText:
		return true
	default:
		return false
	}
}

func disjoint(a, b *set) bool {
	for i := range a {
		if a[i] && b[i] {
			return false
		}
	}
	return true
}

// addAny writes alternatives; in some groups PCRE enters its matcher for the last one too.
func (s *stepper) addAny(n *node, last bool) bool {
	slot, held := s.groups[n.group]
	if held = held && n.capturing; held {
		s.emit(instruction{op: opOpen, slot: slot})
	}
	var ends []int
	for i, sub := range n.subs {
		more := i < len(n.subs)-1
		split := -1
		if more {
			split = s.emit(instruction{op: opSplit, counted: true})
		} else if last {
			s.emit(instruction{op: opStep})
		}
		if !s.add(sub) {
			return false
		}
		if more {
			ends = append(ends, s.emit(instruction{op: opJump}))
			s.code[split].to = len(s.code)
		}
	}
	for _, i := range ends {
		s.code[i].to = len(s.code)
	}
	if held {
		s.emit(instruction{op: opClose, slot: slot})
	}
	return true
}

func (s *stepper) addRepeat(n *node) bool {
	sub := n.subs[0]
	if sub.kind == nodeSet {
		s.emit(instruction{op: opStar, set: sub.set, min: n.min, max: n.max, lazy: n.lazy})
		return true
	}
	for range n.min {
		if !s.add(sub) {
			return false
		}
	}
	if n.max >= 0 {
		var exits []int
		for range n.max - n.min {
			exits = append(exits, s.fork(n.lazy))
			if !s.add(sub) {
				return false
			}
		}
		for _, i := range exits {
			s.land(i)
		}
		return true
	}
	slot := s.slots
	s.slots++
	fork := s.fork(n.lazy)
	s.emit(instruction{op: opEnter, slot: slot})
	if !s.add(sub) {
		return false
	}
	s.emit(instruction{op: opAgain, slot: slot, to: fork})
	s.land(fork)
	return true
}

// fork writes the choice between one more turn and going on; land says where going on leads.
func (s *stepper) fork(lazy bool) int {
	i := s.emit(instruction{op: opSplit, counted: true, lazy: lazy})
	if lazy { // the first choice is to go on
		s.emit(instruction{op: opJump})
		s.code[i].to = len(s.code)
	}
	return i
}

func (s *stepper) land(fork int) {
	if s.code[fork].lazy {
		fork++
	}
	s.code[fork].to = len(s.code)
}

// worth says whether a match with this subject may take so many steps that counting them is worth while.
func (s *stepper) worth(subject string) bool {
	const longest, many = 12, 1_000_000
	if s.lacks(subject) {
		return false
	}
	if s.nested && len(subject) > longest {
		return true
	}
	ways := 1 // to share the subject out among the repeats
	for i := range s.repeats {
		if ways = ways * (len(subject) - i) / (i + 1); ways <= 0 || ways > many {
			return ways > many
		}
	}
	return false
}

// lacks says whether a subject, from where a match would begin, has none of the characters that one needs: PCRE then does
// not begin. It looks behind the first character where that is a certain one.
func (s *stepper) lacks(subject string) bool {
	if s.required == nil {
		return false
	}
	if subject != "" && s.starts != nil && s.starts.single() {
		subject = subject[1:]
	}
	for i := range len(subject) {
		if s.required[subject[i]] {
			return false
		}
	}
	return true
}

// A count is what a match took.
type count struct {
	most    int  // steps of the place that took most
	all     int  // steps of all places
	exceeds bool // one took more than the limit
}

// exceeds says whether a match takes more steps than the limit from one place.
func (s *stepper) exceeds(subject string, limit int) bool { return s.count(subject, limit).exceeds }

// count matches. It stops at the first place where a match is found, or a limit exceeded.
func (s *stepper) count(subject string, limit int) (c count) {
	overall := 2 * limit // for all places together: with StepsMax PCRE itself would take a second
	m := stepping{stepper: s, subject: subject, limit: limit, slot: make([]int, s.slots)}
	for start := 0; start <= len(subject) && c.all < overall; start++ {
		if s.starts != nil && (start == len(subject) || !s.starts[subject[start]]) {
			if s.anchored {
				break
			}
			continue
		}
		if s.lacks(subject[start:]) {
			break
		}
		m.steps = 0
		matched, ok := m.from(start)
		c.most = max(c.most, m.steps)
		c.all += m.steps + 1
		if !ok {
			c.exceeds = true
		}
		if matched || !ok || s.anchored {
			break
		}
	}
	return c
}

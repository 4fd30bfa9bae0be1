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
	required *set
	slots    int
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
}

// codeMax bounds a pattern whose counted repeats are written out.
const codeMax = 4000

// newStepper returns the stepper of a pattern; nil where its matches cannot take many steps.
func newStepper(root *node) *stepper {
	s := &stepper{}
	s.nested, s.repeats = root.loops()
	first := root
	for len(first.subs) > 0 && (first.kind == nodeConcat || first.kind == nodeAny && len(first.subs) == 1) {
		first = first.subs[0]
	}
	s.anchored = first.kind == nodeBegin
	if !s.nested && s.repeats < 3 {
		return nil
	}
	if c, ok := root.required(); ok {
		s.required = &c
	}
	if !s.add(root) {
		return nil
	}
	s.code = append(s.code, instruction{op: opMatch})
	return s
}

func (s *stepper) emit(i instruction) int {
	s.code = append(s.code, i)
	return len(s.code) - 1
}

// add writes the code of a node; false says that it is too large.
func (s *stepper) add(n *node) bool {
	if len(s.code) > codeMax {
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
			if i+1 < len(n.subs) && n.subs[i+1].kind == nodeSet && at < len(s.code) && s.code[at].op == opStar && !s.code[at].lazy {
				s.code[at].greedy = disjoint(s.code[at].set, n.subs[i+1].set)
			}
		}
	case nodeAny:
		return s.addAny(n)
	case nodeRepeat:
		return s.addRepeat(n)
	default:
		s.emit(instruction{op: opAssert, kind: n.kind})
	}
	return true
}

func disjoint(a, b *set) bool {
	for i := range a {
		if a[i] && b[i] {
			return false
		}
	}
	return true
}

func (s *stepper) addAny(n *node) bool {
	var ends []int
	for i, sub := range n.subs {
		last := i == len(n.subs)-1
		split := -1
		if !last {
			split = s.emit(instruction{op: opSplit, counted: true})
		} else if n.capturing {
			s.emit(instruction{op: opStep})
		}
		if !s.add(sub) {
			return false
		}
		if !last {
			ends = append(ends, s.emit(instruction{op: opJump}))
			s.code[split].to = len(s.code)
		}
	}
	for _, i := range ends {
		s.code[i].to = len(s.code)
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
	if s.required != nil {
		found := false
		for i := 0; i < len(subject) && !found; i++ {
			found = s.required[subject[i]]
		}
		if !found {
			return false
		}
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

// exceeds says whether a match takes more steps than the limit from one place. It stops at the first place where a match is
// found.
func (s *stepper) exceeds(subject string, limit int) bool {
	overall := 2 * limit // for all places together: with StepsMax PCRE itself would take a second
	spent := 0
	m := stepping{stepper: s, subject: subject, limit: limit, entered: make([]int, s.slots)}
	for start := 0; start <= len(subject) && spent < overall; start++ {
		m.steps = 0
		matched, ok := m.from(start)
		if !ok {
			return true
		}
		if matched || s.anchored {
			return false
		}
		spent += m.steps + 1
	}
	return false
}

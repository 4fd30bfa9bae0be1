package pcre

import "slices"

// A node is a piece of a pattern as PCRE sees it: unlike the parsers of other engines this one joins and drops nothing,
// since each alternative costs PCRE steps.
type node struct {
	kind      nodeKind
	set       *set
	subs      []*node
	min, max  int // of a repeat; max is -1 where it has no bound
	lazy      bool
	capturing bool
	group     int   // of a reference, and of what captures
	caseless  bool  // of a reference
	negative  bool  // of a look-around
	behind    []int // of a lookbehind: the length of each alternative
	untold    bool  // its subs are not all that it is
}

type nodeKind uint8

const (
	nodeSet       nodeKind = iota
	nodeBegin              // \A, and "^" outside of (?m)
	nodeEnd                // "$" outside of (?m), which a newline at the end may follow, and \Z
	nodeEndText            // \z
	nodeLineBegin          // "^" in (?m)
	nodeLineEnd            // "$" in (?m)
	nodeEdge               // \b
	nodeNoEdge             // \B
	nodeConcat             // of subs
	nodeAny                // of subs, the first that leads to a match
	nodeRepeat             // of one sub
	nodeAtomic             // of one sub, of which nothing is tried again once it has matched
	nodeLook               // around: of one sub, a nodeAny
	nodeZero               // matches nothing of the subject, and is not told here any further
	nodeVaries             // matches pieces of several lengths
	nodeForeign            // not told here
	nodeReference          // to a group
)

// leaf adds a node to the sequence that is read.
func (t *translator) leaf(n *node) { t.items = append(t.items, n) }

// repeated wraps the item read last.
func (t *translator) repeated(from, to int, lazy bool) {
	if n := len(t.items); n > 0 {
		t.items[n-1] = &node{kind: nodeRepeat, subs: []*node{t.items[n-1]}, min: from, max: to, lazy: lazy}
	}
}

// last wraps the item read last.
func (t *translator) last(outer *node) {
	at := &t.items[len(t.items)-1]
	outer.subs = []*node{*at}
	*at = outer
}

// varies says whether a node may match in more than one way.
func (n *node) varies() bool {
	switch n.kind {
	case nodeAtomic, nodeLook:
		return false
	case nodeAny:
		if len(n.subs) > 1 {
			return true
		}
	case nodeRepeat:
		if n.min != n.max {
			return true
		}
	default:
	}
	for _, s := range n.subs {
		if s.varies() {
			return true
		}
	}
	return false
}

// manyTurns is from how many turns on a repeat counts as one that has no bound.
const manyTurns = 10

// loops looks for what makes backtracking costly: a repeat over something that varies itself (nested), and how many repeats
// of single characters there are.
func (n *node) loops() (nested bool, repeats int) {
	if n.kind == nodeRepeat && n.min != n.max {
		endless := n.max < 0 || n.max >= manyTurns
		if endless && n.subs[0].kind == nodeSet {
			repeats++
		}
		nested = endless && n.subs[0].varies()
	} else if n.kind == nodeRepeat && n.max >= manyTurns {
		nested = n.subs[0].varies()
	}
	for _, s := range n.subs {
		inner, more := s.loops()
		nested, repeats = nested || inner, repeats+more
	}
	return nested, repeats
}

// starts returns the characters with which a match begins; empty says that it may begin with none, and ok that they are told.
func (n *node) starts() (s set, empty, ok bool) {
	switch n.kind {
	case nodeSet:
		return *n.set, false, true
	case nodeConcat:
		for _, sub := range n.subs {
			inner, empty, ok := sub.starts()
			if !ok {
				return s, false, false
			}
			if s.add(&inner); !empty {
				return s, false, true
			}
		}
		return s, true, true
	case nodeAny:
		for _, sub := range n.subs {
			inner, none, ok := sub.starts()
			if !ok || n.untold {
				return s, false, false
			}
			s.add(&inner)
			empty = empty || none
		}
		return s, empty, true
	case nodeRepeat:
		s, empty, ok = n.subs[0].starts()
		return s, empty || n.min == 0, ok
	case nodeAtomic:
		return n.subs[0].starts()
	case nodeReference, nodeVaries, nodeForeign, nodeZero:
		return s, false, false
	default:
		return s, true, true
	}
}

// required returns the character that every match holds, as PCRE finds it: the last single one that is not optional, but for
// the one that a match begins with. PCRE looks for it in the subject before it matches. It is nil where there is none.
func (n *node) required() *set {
	if last := n.lastSingle(); last != nil && last != n.firstSingle() {
		return last.set
	}
	return nil
}

func (n *node) lastSingle() *node {
	switch n.kind {
	case nodeSet:
		if n.set.single() {
			return n
		}
	case nodeConcat:
		for _, sub := range slices.Backward(n.subs) {
			if last := sub.lastSingle(); last != nil {
				return last
			}
		}
	case nodeRepeat:
		if n.min > 0 {
			return n.subs[0].lastSingle()
		}
	case nodeAny, nodeAtomic:
		if len(n.subs) == 1 {
			return n.subs[0].lastSingle()
		}
	default:
	}
	return nil
}

// firstSingle is the character that every match begins with, where that is a certain one.
func (n *node) firstSingle() *node {
	switch n.kind {
	case nodeSet:
		if n.set.single() {
			return n
		}
	case nodeConcat:
		for _, sub := range n.subs {
			if s, empty, ok := sub.starts(); ok && empty && s == (set{}) {
				continue // an assertion
			}
			return sub.firstSingle()
		}
	case nodeRepeat:
		if n.min > 0 {
			return n.subs[0].firstSingle()
		}
	case nodeAny, nodeAtomic:
		if len(n.subs) == 1 {
			return n.subs[0].firstSingle()
		}
	default:
	}
	return nil
}

package pcre

// A node is a piece of a pattern that RE2 can run, as PCRE sees it: unlike the parsers of other engines this one joins and
// drops nothing, since each alternative costs PCRE steps.
type node struct {
	kind      nodeKind
	set       *set
	subs      []*node
	min, max  int // of a repeat; max is -1 where it has no bound
	lazy      bool
	capturing bool
	group     int // of a reference
}

type nodeKind uint8

const (
	nodeSet nodeKind = iota
	nodeBegin
	nodeEnd
	nodeEdge      // \b
	nodeNoEdge    // \B
	nodeConcat    // of subs
	nodeAny       // of subs, the first that leads to a match
	nodeRepeat    // of one sub
	nodeZero      // matches nothing of the subject: look-around and the like
	nodeVaries    // matches pieces of several lengths
	nodeForeign   // not told here
	nodeReference // to a group
)

// leaf adds a node to the sequence that is read.
func (t *translator) leaf(n *node) { t.items = append(t.items, n) }

// repeated wraps the item read last.
func (t *translator) repeated(from, to int, lazy bool) {
	if n := len(t.items); n > 0 {
		t.items[n-1] = &node{kind: nodeRepeat, subs: []*node{t.items[n-1]}, min: from, max: to, lazy: lazy}
	}
}

// varies says whether a node may match in more than one way.
func (n *node) varies() bool {
	switch n.kind {
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

// required returns the characters one of which every match holds, as PCRE finds them: the last single character that is not
// optional. It looks for it in the subject before it matches.
func (n *node) required() (set, bool) {
	switch n.kind {
	case nodeSet:
		size := 0
		for _, in := range n.set {
			if in {
				size++
			}
		}
		folded := *n.set
		folded.fold()
		return *n.set, size == 1 || size == 2 && folded == *n.set
	case nodeConcat:
		for i := len(n.subs) - 1; i >= 0; i-- {
			if s, ok := n.subs[i].required(); ok {
				return s, true
			}
		}
	case nodeRepeat:
		if n.min > 0 {
			return n.subs[0].required()
		}
	case nodeAny:
		if len(n.subs) == 1 {
			return n.subs[0].required()
		}
	default:
	}
	return set{}, false
}

package pcre

// An automaton is a pattern as a graph: its single characters, and which of them may follow each. It is what a pattern comes
// to where look-arounds hold and groups are only repeated: it may read more than the pattern matches, never less, except
// for what a back-reference stands for, which it leaves out.
type automaton struct {
	sets  []*set
	next  [][]way // of each character
	first []way
	last  []way
	edges int

	kindsOfBytes []byte // see kinds
}

// A way leads to a character. Two ways between the same characters count as many: each is tried by backtracking.
type way struct {
	to   int
	many bool
}

// Bounds of an automaton: patterns beyond them are not looked through.
const (
	placesMax = 4000
	edgesMax  = 200_000
)

// automatonOf returns the automaton of a pattern; nil where it is too large, or holds what is not told.
func automatonOf(root *node) *automaton {
	a := &automaton{}
	f, ok := a.add(root)
	if !ok {
		return nil
	}
	a.first, a.last = f.first, f.last
	return a
}

// A fragment is what a node adds: the characters that it may begin and end with, and in how many ways it may match nothing,
// of which two are as many.
type fragment struct {
	empty       int
	first, last []way
}

func (a *automaton) add(n *node) (f fragment, ok bool) {
	if n.untold || len(a.sets) > placesMax || a.edges > edgesMax {
		return f, false
	}
	switch n.kind {
	case nodeSet:
		here := []way{{to: len(a.sets)}}
		a.sets = append(a.sets, n.set)
		a.next = append(a.next, nil)
		return fragment{0, here, here}, true
	case nodeConcat:
		return a.concat(n.subs)
	case nodeAny:
		for _, sub := range n.subs {
			s, ok := a.add(sub)
			if !ok {
				return f, false
			}
			f = fragment{min(f.empty+s.empty, 2), merge(f.first, s.first, false), merge(f.last, s.last, false)}
		}
		return f, true
	case nodeRepeat:
		return a.repeat(n)
	case nodeAtomic:
		return a.add(n.subs[0])
	case nodeLook: // it reads on from here, and what it reads leads nowhere
		f, ok = a.add(n.subs[0])
		return fragment{empty: 1, first: f.first}, ok
	case nodeVaries, nodeForeign:
		return f, false
	default:
		return fragment{empty: 1}, true
	}
}

func (a *automaton) concat(subs []*node) (f fragment, ok bool) {
	f.empty = 1
	for _, sub := range subs {
		s, ok := a.add(sub)
		if !ok {
			return f, false
		}
		a.link(f.last, s.first)
		if f.empty > 0 {
			f.first = merge(f.first, s.first, f.empty > 1)
		}
		if s.empty > 0 {
			f.last = merge(s.last, f.last, s.empty > 1)
		} else {
			f.last = s.last
		}
		f.empty = min(f.empty*s.empty, 2)
	}
	return f, true
}

// repeat takes any number of turns beyond one for as many as there may be.
func (a *automaton) repeat(n *node) (f fragment, ok bool) {
	if n.max == 0 {
		return fragment{empty: 1}, true
	}
	f, ok = a.add(n.subs[0])
	if !ok {
		return f, false
	}
	if n.max != 1 {
		a.link(f.last, f.first)
	}
	if n.min == 0 {
		f.empty = min(f.empty+1, 2)
	}
	return f, true
}

// link lets each of the first characters follow each of the last ones.
func (a *automaton) link(last, first []way) {
	a.edges += len(last) * len(first)
	if a.edges > edgesMax {
		return
	}
	for _, l := range last {
		a.next[l.to] = merge(a.next[l.to], first, l.many)
	}
}

// merge joins ways; those to the same character become many, and with many all of the second are.
func merge(a, b []way, many bool) []way {
	out := make([]way, len(a), len(a)+len(b))
	copy(out, a)
	at := make(map[int]int, len(a))
	for i, w := range a {
		at[w.to] = i
	}
	for _, w := range b {
		w.many = w.many || many
		if i, ok := at[w.to]; ok {
			out[i].many = true
			continue
		}
		at[w.to] = len(out)
		out = append(out, w)
	}
	return out
}

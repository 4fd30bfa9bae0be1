package pcre

// Lengths of what a piece of a pattern matches, where it has not one and the same.
const (
	lengthVaries  = -1
	lengthUnknown = -2 // not told here
)

const behindMax = 65535

// lookbehind refuses a lookbehind whose alternatives have not each one length. The place reached is behind it. It returns
// the lengths; nil where not all are told.
func (t *translator) lookbehind(offset int) (lengths []int) {
	if t.total < 0 || t.behind != nil {
		return nil
	}
	told := true
	for _, sub := range t.items[len(t.items)-1].subs {
		n := t.length(sub)
		switch {
		case n == lengthVaries:
			t.behind = t.refuse(offset, "lookbehind assertion is not fixed length")
			return nil
		case n > behindMax:
			t.behind = t.refuse(offset, "lookbehind assertion is too long")
			return nil
		}
		told = told && n >= 0
		lengths = append(lengths, n)
	}
	if !told {
		return nil
	}
	return lengths
}

// length is how many characters a node matches.
func (t *translator) length(n *node) int {
	switch n.kind {
	case nodeSet:
		return 1
	case nodeVaries:
		return lengthVaries
	case nodeForeign:
		return lengthUnknown
	case nodeAtomic:
		return t.length(n.subs[0])
	case nodeReference:
		if t.numberless {
			return lengthVaries
		}
		return t.groupLength(n.group)
	case nodeConcat:
		sum := 0
		for _, sub := range n.subs {
			l := t.length(sub)
			if l < 0 {
				return l
			}
			sum = min(sum+l, behindMax+1)
		}
		return sum
	case nodeAny:
		first := t.length(n.subs[0])
		for _, sub := range n.subs[1:] {
			switch l := t.length(sub); {
			case first == lengthVaries || l == lengthVaries:
				return lengthVaries
			case first == lengthUnknown || l == lengthUnknown:
				first = lengthUnknown
			case l != first:
				return lengthVaries
			}
		}
		return first
	case nodeRepeat:
		l := t.length(n.subs[0])
		switch {
		case n.min != n.max:
			return lengthVaries
		case l < 0:
			return l
		}
		return min(l*n.min, behindMax+1)
	default:
		return 0
	}
}

// groupLength is the length of a capture group, wherever it stands. One that refers to itself has none.
func (t *translator) groupLength(group int) int {
	if l, ok := t.lengths[group]; ok {
		return l
	}
	n := t.groupNodes[group]
	if n == nil {
		return lengthUnknown
	}
	t.lengths[group] = lengthVaries
	t.lengths[group] = t.length(n)
	return t.lengths[group]
}

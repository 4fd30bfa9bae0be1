package lang

import (
	"iter"
	"slices"
)

// An Index finds among many expressions those that follow from one (see Expr.Implies), without comparing it with each. It
// is used by one goroutine at a time.
//
// An expression follows from another only if both have something in common: the same condition, a value of a field that is
// compared with it, the beginning of such a value. Each expression is kept under what it has of these, an "and" under that
// of its parts which is the rarest, since all of them have to follow.
type Index struct {
	all   []*Expr
	kept  map[string][]int32 // under what they are found, ascending
	heads map[string][]int   // lengths of beginnings, by field
	tails map[string][]int   // of ends
	texts map[node]string
}

// NewIndex makes an index of expressions; none is nil.
func NewIndex(all []*Expr) *Index {
	x := &Index{all: all, kept: map[string][]int32{}, heads: map[string][]int{}, tails: map[string][]int{}, texts: map[node]string{}}
	often := map[string]int{} // how many expressions could be kept under it
	for _, e := range all {
		x.every(e.root, func(key string) { often[key]++ })
	}
	for i, e := range all {
		for _, key := range x.needs(e.root, often) {
			if list := x.kept[key]; len(list) == 0 || list[len(list)-1] != int32(i) {
				x.kept[key] = append(list, int32(i))
			}
		}
	}
	return x
}

// Implied yields the numbers of the expressions that follow from one, ascending.
func (x *Index) Implied(e *Expr) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range x.candidates(e.root) {
			// Of Implies only the texts of conditions differ, which are made once here.
			how := implication{left: mostSteps, texts: x.texts}
			if how.holds(e.root, x.all[i].root) && !yield(i) {
				return
			}
		}
	}
}

// candidates yields numbers of expressions that may follow from a condition, ascending.
func (x *Index) candidates(n node) iter.Seq[int] {
	keys, all := x.offers(n, nil)
	if all {
		return func(yield func(int) bool) {
			for i := range x.all {
				if !yield(i) {
					return
				}
			}
		}
	}
	slices.Sort(keys)
	var lists [][]int32
	for _, key := range slices.Compact(keys) {
		if list := x.kept[key]; list != nil {
			lists = append(lists, list)
		}
	}
	return func(yield func(int) bool) {
		for {
			next := int32(-1)
			for _, list := range lists {
				if len(list) > 0 && (next < 0 || list[0] < next) {
					next = list[0]
				}
			}
			if next < 0 || !yield(int(next)) {
				return
			}
			for i := range lists {
				if len(lists[i]) > 0 && lists[i][0] == next {
					lists[i] = lists[i][1:]
				}
			}
		}
	}
}

// What expressions have in common is written as text with one of these in front.
const (
	anyKey   = "*" // what follows from everything
	sameKey  = "=" // a condition
	valueKey = "v" // a field and a value of it
	headKey  = "h" // a field and the beginning of a value
	tailKey  = "t" // the end of one
	partKey  = "p" // the first bytes of a part of one
	fieldKey = "f" // a field
)

// partBytes is how many bytes of a part of a value it is found by.
const partBytes = 3

func keyOf(kind, field, value string) string { return kind + field + "\x00" + value }

// every calls add for all that an expression could be kept under.
func (x *Index) every(n node, add func(string)) {
	switch n := n.(type) {
	case *and:
		for _, part := range n.parts {
			x.every(part, add)
		}
	case *or:
		for _, part := range n.parts {
			x.every(part, add)
		}
	default:
		for _, key := range x.own(n) {
			add(key)
		}
	}
}

// needs is what a condition is kept under: whatever it follows from offers one of these.
func (x *Index) needs(n node, often map[string]int) []string {
	switch n := n.(type) {
	case *and:
		var best []string
		least := 0
		for _, part := range n.parts {
			keys := x.needs(part, often)
			sum := 0
			for _, key := range keys {
				sum += often[key]
			}
			if best == nil || sum < least {
				best, least = keys, sum
			}
		}
		return best
	case *or:
		var all []string
		for _, part := range n.parts {
			all = append(all, x.needs(part, often)...)
		}
		return all
	}
	return x.own(n)
}

// own is what a condition that is neither "and" nor "or" is kept under.
func (x *Index) own(n node) []string {
	if c, ok := n.(*constant); ok && c.b {
		return []string{anyKey}
	}
	keys := []string{sameKey + x.text(n)}
	switch n := n.(type) {
	case *in:
		field := x.text(n.left)
		for _, v := range n.texts {
			keys = append(keys, keyOf(valueKey, field, v))
		}
		if n.texts == nil {
			keys = append(keys, keyOf(fieldKey, field, ""))
		}
	case *contains:
		if field := x.text(n.left); len(n.part) >= partBytes {
			keys = append(keys, keyOf(partKey, field, n.part[:partBytes]))
		} else {
			keys = append(keys, keyOf(fieldKey, field, ""))
		}
	case *like:
		keys = append(keys, keyOf(fieldKey, x.text(n.left), ""))
	case *application:
		if len(n.args) != 2 {
			break
		}
		field := x.text(n.args[0])
		with, ok := n.args[1].(*literal)
		switch {
		case !ok:
		case n.name == "starts_with":
			keys = append(keys, keyOf(headKey, field, with.v.s))
			note(x.heads, field, len(with.v.s))
		case n.name == "ends_with":
			keys = append(keys, keyOf(tailKey, field, with.v.s))
			note(x.tails, field, len(with.v.s))
		}
	}
	return keys
}

func note(lengths map[string][]int, field string, n int) {
	if at, ok := slices.BinarySearch(lengths[field], n); !ok {
		lengths[field] = slices.Insert(lengths[field], at, n)
	}
}

// offers adds what may follow from a condition; all says that everything does.
func (x *Index) offers(n node, keys []string) (more []string, all bool) {
	switch n := n.(type) {
	case *constant:
		return append(keys, anyKey), !n.b
	case *and:
		for _, part := range n.parts {
			var of bool
			keys, of = x.offers(part, keys)
			all = all || of
		}
		return append(keys, anyKey), all
	case *or: // it has to follow from all of them: one is enough to find it
		for _, part := range n.parts {
			if own, of := x.offers(part, nil); !of {
				return append(keys, own...), false
			}
		}
		return append(keys, anyKey), true
	case *comparison:
		if n.op == "eq" && n.base == text {
			keys = x.values(x.text(n.left), n.right.s, keys)
		}
	}
	return append(keys, anyKey, sameKey+x.text(n)), false
}

// values adds under what conditions are kept that hold where a field has a value.
func (x *Index) values(field, v string, keys []string) []string {
	keys = append(keys, keyOf(valueKey, field, v), keyOf(fieldKey, field, ""))
	for _, n := range x.heads[field] {
		if n > len(v) {
			break
		}
		keys = append(keys, keyOf(headKey, field, v[:n]))
	}
	for _, n := range x.tails[field] {
		if n > len(v) {
			break
		}
		keys = append(keys, keyOf(tailKey, field, v[len(v)-n:]))
	}
	for i := range len(v) - partBytes + 1 {
		keys = append(keys, keyOf(partKey, field, v[i:i+partBytes]))
	}
	return keys
}

// text is how a node is written.
func (x *Index) text(n node) string {
	s, ok := x.texts[n]
	if !ok {
		s = n.String()
		x.texts[n] = s
	}
	return s
}

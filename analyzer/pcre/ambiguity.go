package pcre

import "slices"

// A pump is text that a loop of a pattern can read in two ways, so that repeated n times it can be read in 2^n: prefix leads
// to the loop, and completion from it to the pattern's end.
type pump struct{ prefix, text, completion string }

// pumpsMax bounds the loops of one pattern that are looked at.
const pumpsMax = 8

// pairsMax bounds the pairs of characters that are followed together.
const pairsMax = 20_000

// pumps finds loops that can read one text in two ways: by two ways between the same two characters, or by two characters at
// once that come together again. Those are all there are (Weber and Seidl, On the degree of ambiguity of finite automata).
func (a *automaton) pumps() []pump {
	var all []pump
	for _, loop := range a.loops() {
		if len(all) >= pumpsMax {
			break
		}
		if path := a.doubled(loop); path != nil {
			all = append(all, a.pump(path))
		}
		if path := a.split(loop); path != nil {
			all = append(all, a.pump(path))
		}
	}
	return all
}

// A pair is two characters that are read at the same place, the smaller first.
type pair struct{ a, b int }

func pairOf(a, b int) pair { return pair{min(a, b), max(a, b)} }

// pump words a path that begins behind a character and comes back to it.
func (a *automaton) pump(path []pair) pump {
	home := path[len(path)-1].a
	var p pump
	text := func(path []pair) string {
		b := make([]byte, 0, len(path))
		for _, at := range path {
			both := *a.sets[at.a]
			for c := range both {
				both[c] = both[c] && a.sets[at.b][c]
			}
			b = append(b, both.example())
		}
		return string(b)
	}
	p.text = text(path)
	p.prefix = text(a.path(a.first, func(to int) bool { return to == home }))
	if !slices.ContainsFunc(a.last, func(w way) bool { return w.to == home }) {
		p.completion = text(a.path(a.next[home], func(to int) bool {
			return slices.ContainsFunc(a.last, func(w way) bool { return w.to == to })
		}))
	}
	return p
}

// path is a shortest one from one of the characters to one that is wanted, with both.
func (a *automaton) path(from []way, wanted func(to int) bool) []pair {
	return walk(pairsOf(from), func(p pair) []pair { return pairsOf(a.next[p.a]) }, func(p pair) bool { return wanted(p.a) })
}

func pairsOf(ways []way) []pair {
	out := make([]pair, len(ways))
	for i, w := range ways {
		out[i] = pair{w.to, w.to}
	}
	return out
}

// walk is a shortest path from one of the pairs to one that is wanted, with both; nil where there is none.
func walk(from []pair, next func(pair) []pair, wanted func(pair) bool) []pair {
	before := map[pair]pair{}
	queue := make([]pair, 0, len(from))
	none := pair{-1, -1}
	for _, p := range from {
		if _, seen := before[p]; !seen {
			before[p] = none
			queue = append(queue, p)
		}
	}
	for i := 0; i < len(queue); i++ {
		p := queue[i]
		if wanted(p) {
			var path []pair
			for ; p != none; p = before[p] {
				path = append(path, p)
			}
			slices.Reverse(path)
			return path
		}
		for _, q := range next(p) {
			if _, seen := before[q]; !seen {
				before[q] = p
				queue = append(queue, q)
			}
		}
	}
	return nil
}

// loops are the sets of characters each of which leads to all of its set, and back to itself.
func (a *automaton) loops() [][]int {
	var loops [][]int
	for _, c := range components(len(a.sets), func(i int) []int {
		next := make([]int, len(a.next[i]))
		for k, w := range a.next[i] {
			next[k] = w.to
		}
		return next
	}) {
		if len(c) > 1 || slices.ContainsFunc(a.next[c[0]], func(w way) bool { return w.to == c[0] }) {
			loops = append(loops, c)
		}
	}
	return loops
}

// doubled looks for two ways between two characters of a loop, and returns the path around by them.
func (a *automaton) doubled(loop []int) []pair {
	in := membersOf(loop)
	for _, p := range loop {
		for _, w := range a.next[p] {
			if !w.many || !in[w.to] {
				continue
			}
			home := pair{w.to, w.to}
			if p == w.to {
				return []pair{home}
			}
			inside := func(at pair) []pair {
				return slices.DeleteFunc(pairsOf(a.next[at.a]), func(q pair) bool { return !in[q.a] })
			}
			around := walk(inside(home), inside, func(q pair) bool { return q.a == p })
			return append(around, home)
		}
	}
	return nil
}

func membersOf(loop []int) map[int]bool {
	in := make(map[int]bool, len(loop))
	for _, i := range loop {
		in[i] = true
	}
	return in
}

// split looks for two different ways around a loop that read the same text, and returns them as one path.
func (a *automaton) split(loop []int) []pair {
	in := membersOf(loop)
	index := map[pair]int{}
	var pairs []pair
	var next [][]int
	number := func(p pair) int {
		i, ok := index[p]
		if !ok {
			i = len(pairs)
			index[p] = i
			pairs = append(pairs, p)
		}
		return i
	}
	for _, p := range loop {
		number(pair{p, p})
	}
	edges := 0
	for len(next) < len(pairs) {
		at := pairs[len(next)]
		var to []int
		for _, x := range a.next[at.a] {
			for _, y := range a.next[at.b] {
				if edges++; edges > 10*edgesMax {
					return nil
				}
				if in[x.to] && in[y.to] && !disjoint(a.sets[x.to], a.sets[y.to]) {
					to = append(to, number(pairOf(x.to, y.to)))
				}
			}
		}
		if next = append(next, to); len(pairs) > pairsMax {
			return nil
		}
	}
	for _, c := range components(len(pairs), func(i int) []int { return next[i] }) {
		home, away := pair{-1, -1}, pair{-1, -1}
		for _, i := range c {
			if p := pairs[i]; p.a == p.b {
				home = p
			} else {
				away = p
			}
		}
		if home.a < 0 || away.a < 0 {
			continue
		}
		on := func(p pair) []pair {
			out := make([]pair, len(next[index[p]]))
			for k, i := range next[index[p]] {
				out[k] = pairs[i]
			}
			return out
		}
		out := walk(on(home), on, func(p pair) bool { return p == away })
		return append(out, walk(on(away), on, func(p pair) bool { return p == home })...)
	}
	return nil
}

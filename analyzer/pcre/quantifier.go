package pcre

import (
	"slices"
	"strconv"
	"strings"
)

// counts reads {n}, {n,} or {n,m} at the place reached, without stepping over it. length is 0 where there is none: then
// the brace stands for itself. to is -1 for {n,}.
func (t *translator) counts() (from, to, length int) {
	s := t.pattern[t.pos:]
	i := 1
	from, i = number(s, i)
	if i == 1 || i >= len(s) {
		return 0, 0, 0
	}
	to = from
	if s[i] == ',' {
		to = -1
		if start := i + 1; start < len(s) && s[start] != '}' {
			if to, i = number(s, start); i == start {
				return 0, 0, 0
			}
		} else {
			i = start
		}
	}
	if i >= len(s) || s[i] != '}' {
		return 0, 0, 0
	}
	return from, to, i + 1
}

// number reads decimal digits; beyond PCRE's bound it stays above the bound.
func number(s string, i int) (n, end int) {
	for ; i < len(s) && '0' <= s[i] && s[i] <= '9'; i++ {
		n = min(n*10+int(s[i]-'0'), repeatMax+1)
	}
	return n, i
}

// quantifier reads what repeats an item, if anything does, and writes it.
func (t *translator) quantifier(a *atom) error {
	t.skipComments()
	from, to, length := t.quantity()
	if length == 0 {
		return nil
	}
	t.pos += length
	last := t.pos - 1
	if err := t.counted(from, to, last); err != nil {
		return err
	}
	if a.fixed {
		return t.refuse(last, "quantifier does not follow a repeatable item")
	}
	t.repeat(a, from, to)
	t.skipComments()
	if from, to, again := t.quantity(); again > 0 {
		if err := t.counted(from, to, t.pos+again-1); err != nil {
			return err
		}
		return t.refuse(t.pos+again-1, "quantifier does not follow a repeatable item")
	}
	return nil
}

// counted refuses the numbers of a quantifier that ends at a place.
func (t *translator) counted(from, to, last int) error {
	switch {
	case from > repeatMax || to > repeatMax:
		return t.refuse(last, "number too big in {} quantifier")
	case to >= 0 && from > to:
		return t.refuse(last, "numbers out of order in {} quantifier")
	}
	return nil
}

// quantity reads a quantifier at the place reached, without stepping over it; length is 0 where there is none, and to is
// -1 where there is no upper bound.
func (t *translator) quantity() (from, to, length int) {
	if !t.more() {
		return 0, 0, 0
	}
	switch t.pattern[t.pos] {
	case '*':
		return 0, -1, 1
	case '+':
		return 1, -1, 1
	case '?':
		return 0, 1, 1
	case '{':
		return t.counts()
	}
	return 0, 0, 0
}

func (t *translator) repeat(a *atom, from, to int) {
	lazy, possessive := t.ungreedy, false
	t.skipComments()
	if t.next("+") {
		lazy, possessive = false, true
	} else if t.next("?") {
		lazy = !lazy
	}
	t.repeated(from, to, lazy)
	mark := ""
	if lazy {
		mark = "?"
	}
	if a.nullable && a.captures && to != 1 {
		t.onlySlow = true // RE2 and PCRE differ in what a group holds after an empty turn
	}
	if a.nullable && a.captures && 1 < to && to <= unrollMax {
		t.unroll(a.slow, from, to, mark)
	} else {
		t.both(quantifier(from, to) + mark)
	}
	if possessive && len(t.items) > 0 {
		t.last(&node{kind: nodeAtomic})
	}
	if possessive {
		t.slow = slices.Insert(t.slow, a.slow, []byte("(?:(?>")...)
		t.only(")" + barrier + ")")
	}
	a.nullable = a.nullable || from == 0
}

// barrier never fails. It stands behind an atomic group, since regexp2 joins such a group with a quantifier around it as if
// it were not atomic.
const barrier = `(?!\A(?<=.))`

// unrollMax bounds the turns that are written out.
const unrollMax = 8

// unroll writes an item that can be empty as often as it may match, as PCRE does: a loop of regexp2 ends at an empty turn,
// a copy does not.
func (t *translator) unroll(start, from, to int, mark string) {
	item := string(t.slow[start:])
	text := ""
	for range to - from {
		text = "(?:" + item + text + ")?" + mark
	}
	t.slow = append(t.slow[:start], strings.Repeat(item, from)+text...)
}

func quantifier(from, to int) string {
	switch {
	case from == 0 && to < 0:
		return "*"
	case from == 1 && to < 0:
		return "+"
	case from == 0 && to == 1:
		return "?"
	case to < 0:
		return "{" + strconv.Itoa(from) + ",}"
	case from == to:
		return "{" + strconv.Itoa(from) + "}"
	}
	return "{" + strconv.Itoa(from) + "," + strconv.Itoa(to) + "}"
}

package pcre

import (
	"slices"
	"strconv"
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

// quantifiers reads what repeats an item, and writes it.
func (t *translator) quantifiers(a *atom) error {
	for {
		t.skipComments()
		if !t.more() {
			return nil
		}
		from, to, length := 0, -1, 1
		switch t.pattern[t.pos] {
		case '*':
		case '+':
			from = 1
		case '?':
			to = 1
		case '{':
			if from, to, length = t.counts(); length == 0 {
				return nil
			}
		default:
			return nil
		}
		t.pos += length
		switch {
		case from > repeatMax || to > repeatMax:
			return t.refuse(t.pos, "number too big in {} quantifier")
		case to >= 0 && from > to:
			return t.refuse(t.pos, "numbers out of order in {} quantifier")
		case !a.ok:
			return t.refuse(t.pos, "quantifier does not follow a repeatable item")
		}
		t.repeat(a, from, to)
	}
}

func (t *translator) repeat(a *atom, from, to int) {
	lazy, possessive := t.ungreedy, false
	if t.next("+") {
		lazy, possessive = false, true
	} else if t.next("?") {
		lazy = !lazy
	}
	if a.nullable && a.captures && to != 1 {
		t.onlySlow = true // RE2 and PCRE differ in what a group holds after an empty turn
	}
	q := quantifier(from, to)
	if lazy {
		q += "?"
	}
	t.both(q)
	open := "(?:"
	if possessive {
		t.onlySlow = true
		open = "(?>"
	}
	// Closed as a group of its own, so that a further quantifier repeats the whole.
	t.fast = slices.Insert(t.fast, a.fast, []byte("(?:")...)
	t.slow = slices.Insert(t.slow, a.slow, []byte(open)...)
	t.both(")")
	a.nullable = a.nullable || from == 0
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

package lang

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"go4.org/netipx"
)

// in is membership of a set that is written out.
type in struct {
	left     node
	texts    []string // sorted
	numbers  [][2]int64
	networks netipx.IPSetBuilder
	set      *netipx.IPSet
	shown    []string
}

func rangeOf(from, to netip.Addr) netipx.IPRange { return netipx.IPRangeFrom(from, to) }

func (n *in) empty() bool { return len(n.texts)+len(n.numbers)+len(n.shown) == 0 }

func (n *in) finish() {
	slices.Sort(n.texts)
	slices.Sort(n.shown)
	slices.SortFunc(n.numbers, func(a, b [2]int64) int { return int(min(max(a[0]-b[0], -1), 1)) })
	n.set, _ = n.networks.IPSet() // the only errors are ranges that end before they begin
}

func (n *in) kind() kind { return kind{base: boolean, each: n.left.kind().each} }

func (n *in) String() string {
	shown := slices.Clone(n.shown)
	for _, s := range n.texts {
		shown = append(shown, quote(s))
	}
	for _, r := range n.numbers {
		text := strconv.FormatInt(r[0], 10)
		if r[1] != r[0] {
			text += ".." + strconv.FormatInt(r[1], 10)
		}
		shown = append(shown, text)
	}
	return n.left.String() + " in {" + strings.Join(shown, " ") + "}"
}

func (n *in) eval(s *Scope) value {
	v := n.left.eval(s)
	if v.gone() {
		return v
	}
	switch {
	case n.texts != nil:
		_, found := slices.BinarySearch(n.texts, v.s)
		return yes(found)
	case n.numbers != nil:
		for _, r := range n.numbers {
			if r[0] <= v.n && v.n <= r[1] {
				return yes(true)
			}
		}
		return yes(false)
	}
	return yes(n.set.Contains(v.ip))
}

// inList is membership of a named list; list is nil where it was not given.
type inList struct {
	left node
	name string
	list *List
	why  string
}

func (n *inList) kind() kind     { return kind{base: boolean, each: n.left.kind().each} }
func (n *inList) String() string { return n.left.String() + " in " + n.name }

func (n *inList) eval(s *Scope) value {
	v := n.left.eval(s)
	switch {
	case v.gone():
		return v
	case n.list == nil:
		return s.dark(n.why)
	}
	return yes(n.list.has(v))
}

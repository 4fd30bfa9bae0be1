package simulate

import (
	"cmp"
	"encoding/binary"
	"net/netip"
	"slices"
	"sort"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
)

// ordinary is the addresses that a configuration treats as it treats any visitor: those that no geo, map, allow, deny or
// set_real_ip_from of it names. What names everybody, such as 0.0.0.0/0 or a regex that takes each address apart, names
// nobody. nil leaves out none.
type ordinary struct {
	named  []interval // numbers of addressOf that are left out, in order, none touching the next
	before []int      // by interval, how many numbers are left out before it
}

// An interval is the numbers from one up to another, which is not of it.
type interval struct{ from, to int }

// A pool is a network that clients are taken from, and the numbers of addressOf that lie in it.
type pool struct {
	network netip.Prefix
	first   uint32 // the last four bytes of the address of the first number
	numbers interval
}

// numberless is beyond every number of a client's address.
const numberless = 1 << 31

var pools = [...]pool{
	{netip.MustParsePrefix("203.0.113.0/24"), 0xcb007101, interval{0, 254}},
	{netip.MustParsePrefix("198.51.100.0/24"), 0xc6336401, interval{254, 508}},
	{netip.MustParsePrefix("192.0.2.0/24"), 0xc0000201, interval{508, 762}},
	{netip.MustParsePrefix("198.18.0.0/15"), 0xc6120000, interval{762, 762 + 1<<17}},
	{netip.MustParsePrefix("2001:db8::/96"), 1 << 17, interval{762 + 1<<17, numberless}},
}

// maxAsked bounds the regexes of maps that are asked about addresses; further ones are taken to name none of them.
const maxAsked = 200

// ordinaryOf finds the addresses that a configuration names.
func ordinaryOf(tree *config.Tree) *ordinary {
	if tree.HTTP == nil {
		return nil
	}
	var found []interval
	name := func(text string) { found = append(found, numbersOf(text)...) }
	asked := 0
	for i := range tree.HTTP.Blocks {
		b := &tree.HTTP.Blocks[i]
		kind := b.Item.Name().Value
		for _, e := range b.Entries {
			switch key := e.Name().Value; {
			case kind == "split_clients":
			case kind == "geo" && key == "delete":
			case kind == "geo" && key == "proxy" && e.NumArgs() > 0:
				name(e.Arg(0))
			case kind == "map" && strings.HasPrefix(key, "~"):
				if asked < maxAsked && strings.Contains(b.Arg(0), "remote_addr") && !strings.Contains(b.Arg(0), "binary") {
					asked++
					found = append(found, matchedBy(tree.HTTP.Variables, key[1:])...)
				}
			default:
				name(key)
			}
		}
	}
	eachLevel(tree.HTTP, func(l *config.Level) {
		for i := range l.Items {
			switch l.Items[i].Name().Value {
			case "allow", "deny", "set_real_ip_from":
				name(l.Items[i].Arg(0))
			}
		}
	})
	return newOrdinary(found)
}

func eachLevel(h *config.HTTP, do func(*config.Level)) {
	do(&h.Level)
	for _, s := range h.Servers {
		do(&s.Level)
		for l := range s.AllLocations {
			do(&l.Level)
			for _, branch := range l.Ifs {
				do(branch)
			}
			if l.Except != nil {
				do(l.Except)
			}
		}
	}
}

func newOrdinary(found []interval) *ordinary {
	if len(found) == 0 {
		return nil
	}
	slices.SortFunc(found, func(a, b interval) int { return cmp.Compare(a.from, b.from) })
	o := &ordinary{}
	out := 0
	for _, v := range found {
		if last := len(o.named) - 1; last >= 0 && v.from <= o.named[last].to {
			out += max(v.to-o.named[last].to, 0)
			o.named[last].to = max(o.named[last].to, v.to)
			continue
		}
		o.named, o.before = append(o.named, v), append(o.before, out)
		out += v.to - v.from
	}
	return o
}

// number returns the number for addressOf of the client's address number n. It is not ok where the configuration names so
// many that none is left; then it is n, as if none were named.
func (o *ordinary) number(n int) (number int, ok bool) {
	if o == nil {
		return n, true
	}
	// An interval is passed where as many numbers are free before it.
	i := sort.Search(len(o.named), func(i int) bool { return o.named[i].from-o.before[i] > n })
	if number = n; i > 0 {
		number += o.before[i-1] + o.named[i-1].to - o.named[i-1].from
	}
	if number >= numberless {
		return n, false
	}
	return number, true
}

// address is the client's address number n.
func (o *ordinary) address(n int32) netip.Addr {
	number, _ := o.number(int(n))
	return addressOf(number)
}

// assumption says where clients' addresses are others than they would be, n being how many there are; "" where they are
// not.
func (o *ordinary) assumption(n int) string {
	number, ok := o.number(n - 1)
	switch {
	case !ok:
		return "the configuration names so many networks that no others are left to take clients' addresses from: clients may be ones that it exempts"
	case number != n-1:
		return "clients are ordinary visitors: none has an address that geo, map, allow, deny or set_real_ip_from names"
	}
	return ""
}

// numbersOf returns the numbers of the addresses that a network, an address or a range of geo holds.
func numbersOf(text string) []interval {
	if from, to, ok := strings.Cut(text, "-"); ok {
		a, okA := request.ParseAddr(from)
		b, okB := request.ParseAddr(to)
		if !okA || !okB || !a.Is4() || !b.Is4() {
			return nil
		}
		return numbersIn4(low(a), low(b))
	}
	network, _, ok := request.ParseNetwork(text)
	switch {
	case !ok || network.Bits() == 0:
		return nil
	case network.Addr().Is4():
		from := low(network.Masked().Addr())
		return numbersIn4(from, from|uint32(1<<(32-network.Bits())-1))
	case !network.Overlaps(pools[len(pools)-1].network):
		return nil
	}
	if network.Bits() <= 96 {
		return []interval{pools[len(pools)-1].numbers}
	}
	from := low(network.Masked().Addr())
	return appendNumbers(nil, &pools[len(pools)-1], from, from|uint32(1<<(128-network.Bits())-1))
}

func numbersIn4(from, to uint32) (all []interval) {
	if from == 0 && to == 1<<32-1 {
		return nil
	}
	for i := range pools[:len(pools)-1] {
		all = appendNumbers(all, &pools[i], from, to)
	}
	return all
}

// appendNumbers appends the numbers of a pool's addresses between two, the last one included.
func appendNumbers(all []interval, p *pool, from, to uint32) []interval {
	v := interval{
		max(p.numbers.from, p.numbers.from+int(from)-int(p.first)),
		min(p.numbers.to, p.numbers.from+int(to)-int(p.first)+1),
	}
	if v.from < v.to {
		all = append(all, v)
	}
	return all
}

func low(a netip.Addr) uint32 {
	b := a.As16()
	return binary.BigEndian.Uint32(b[12:])
}

// matchedBy returns the numbers whose addresses a map's regex matches: those of small pools one by one, else those of whole
// networks of 256. One that matches in every pool of a family is written for everybody.
func matchedBy(defs *value.Definitions, pattern string) []interval {
	text, caseless := strings.CutPrefix(pattern, "*")
	re := defs.Regex(text, caseless)
	matches := func(n int) bool {
		groups, err := re.Find(request.AddrText(addressOf(n)))
		return err == nil && groups != nil
	}
	everybody := true
	var all []interval
	for i := range pools[:len(pools)-1] {
		p := &pools[i]
		step := 1
		if p.numbers.to-p.numbers.from > 256 {
			step = 256
		}
		one := false
		for n := p.numbers.from; n < p.numbers.to; n += step {
			if matches(n) {
				one = true
				all = append(all, interval{n, n + step})
			}
		}
		everybody = everybody && one
	}
	if everybody {
		all = nil
	}
	return all
}

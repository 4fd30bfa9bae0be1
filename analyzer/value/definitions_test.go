package value

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"testing"

	"pgregory.net/rapid"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
)

// TestRefusals: nginx's words against each kind of fault in a block.
func TestRefusals(t *testing.T) {
	type entries = [][]string
	for _, c := range []struct {
		kind    string
		args    []string
		entries entries
		want    string // "entry: text", with "warn " before it for a warning
	}{
		{"map", []string{"$a"}, nil, `-1: invalid number of arguments in "map" directive`},
		{"map", []string{"$a", "b"}, nil, `-1: invalid variable name "b"`},
		{"map", []string{"$a", "$"}, nil, `-1: invalid variable name "$"`},
		{"map", []string{"$a", "$host"}, nil, `-1: the duplicate "host" variable`},
		{"map", []string{"${a", "$b"}, nil, `-1: the closing bracket in "a" variable is missing`},
		{"map", []string{"$a", "$b"}, entries{{"x"}}, "0: invalid number of the map parameters"},
		{"map", []string{"$a", "$b"}, entries{{"x", "1", "2"}}, "0: invalid number of the map parameters"},
		{"map", []string{"$a", "$b"}, entries{{"x", "1"}, {"X", "2"}}, `1: conflicting parameter "x"`},
		{"map", []string{"$a", "$b"}, entries{{"default", "1"}, {"default", "1"}}, "1: duplicate default map parameter"},
		{"map", []string{"$a", "$b"}, entries{{"hostnames"}, {"*a", "1"}}, `1: invalid hostname or wildcard "*a"`},
		{"map", []string{"$a", "$b"}, entries{{"~(", "1"}}, `0: pcre2_compile() failed: missing closing parenthesis in "("`},
		{"map", []string{"$a", "$b"}, entries{{"~(?<host>a)", "1"}}, `0: the duplicate "host" variable`},
		{"geo", []string{"a"}, nil, `-1: invalid variable name "a"`},
		{"geo", []string{"a", "$b"}, nil, `-1: invalid variable name "a"`},
		{"geo", []string{"$b"}, entries{{"10.0.0.0/8"}}, "0: invalid number of the geo parameters"},
		{"geo", []string{"$b"}, entries{{"10.0.0/8", "1"}}, `0: invalid network "10.0.0/8"`},
		{"geo", []string{"$b"}, entries{{"10.1.0.0/8", "1"}}, "0: warn low address bits of 10.1.0.0/8 are meaningless"},
		{"geo", []string{"$b"}, entries{{"10.0.0.0/8", "1"}, {"10.0.0.0/8", "2"}}, `1: warn duplicate network "10.0.0.0/8", value: "2", old value: "1"`},
		{"geo", []string{"$b"}, entries{{"delete", "10.0.0.0/8"}}, `0: warn no network "10.0.0.0/8" to delete`},
		{"geo", []string{"$b"}, entries{{"proxy", "x"}}, `0: invalid network "x"`},
		{"geo", []string{"$b"}, entries{{"default", "1"}, {"ranges"}}, `1: the "ranges" directive must be the first directive inside "geo" block`},
		{"geo", []string{"$b"}, entries{{"ranges"}, {"10.0.0.1", "1"}}, `1: invalid range "10.0.0.1"`},
		{"geo", []string{"$b"}, entries{{"ranges"}, {"10.0.0.2-10.0.0.1", "1"}}, `1: invalid range "10.0.0.2-10.0.0.1"`},
		{"geo", []string{"$b"}, entries{{"ranges"}, {"10.0.0.1-10.0.0.4", "1"}, {"10.0.0.3-10.0.0.5", "2"}}, `2: range "10.0.0.3-10.0.0.5" overlaps "10.0.0.1-10.0.0.4"`},
		{"geo", []string{"$b"}, entries{{"ranges"}, {"10.0.0.1-10.0.0.4", "1"}, {"10.0.0.1-10.0.0.4", "2"}}, `2: warn duplicate range "10.0.0.1-10.0.0.4", value: "2", old value: "1"`},
		{"geo", []string{"$b"}, entries{{"ranges"}, {"default", "1"}, {"default", "2"}}, `2: warn duplicate default geo range value: "2", old value: "1"`},
		{"geo", []string{"$b"}, entries{{"ranges"}, {"delete", "10.0.0.1-10.0.0.4"}}, `1: warn no address range "10.0.0.1-10.0.0.4" to delete`},
		{"split", []string{"$a", "$b"}, entries{{"10", "x"}}, `0: invalid percent value "10"`},
		{"split", []string{"$a", "$b"}, entries{{"0%", "x"}}, `0: invalid percent value "0%"`},
		{"split", []string{"$a", "$b"}, entries{{"1.234%", "x"}}, `0: invalid percent value "1.234%"`},
		{"split", []string{"$a", "$b"}, entries{{"60%", "x"}, {"41%", "y"}}, "-1: percent total is greater than 100%"},
		{"split", []string{"$a", "$b"}, entries{{"*", "x"}, {"1%", "y"}}, "-1: percent total is greater than 100%"},
	} {
		d := &Definitions{}
		build := map[string]func([]string, [][]string) []Problem{"map": d.Map, "geo": d.Geo, "split": d.SplitClients}[c.kind]
		problems := build(c.args, c.entries)
		if len(problems) != 1 {
			t.Errorf("%s %q %q: %v, want %q", c.kind, c.args, c.entries, problems, c.want)
			continue
		}
		p := problems[0]
		if p.Warning {
			p.Text = "warn " + p.Text
		}
		if got := fmt.Sprintf("%d: %s", p.Entry, p.Text); got != c.want {
			t.Errorf("%s %q %q: %q, want %q", c.kind, c.args, c.entries, got, c.want)
		}
	}
}

// TestUnknownSources: what a definition leads to is known without its source only where every value of it leads there.
func TestUnknownSources(t *testing.T) {
	d := &Definitions{}
	for _, p := range [][]Problem{
		d.Map([]string{"$request_id", "$differs"}, [][]string{{"a", "1"}, {"default", "2"}}),
		d.Map([]string{"$request_id", "$same"}, [][]string{{"a", "1"}, {"default", "1"}}),
		d.Map([]string{"$request_id", "$partly"}, [][]string{{"a", "1"}}),
		d.Geo([]string{"$request_id", "$everywhere"}, [][]string{{"default", "1"}}),
		d.Geo([]string{"$request_id", "$somewhere"}, [][]string{{"10.0.0.0/8", "1"}}),
		d.SplitClients([]string{"$request_id", "$all"}, [][]string{{"*", "1"}}),
		d.SplitClients([]string{"$request_id", "$half"}, [][]string{{"50%", "1"}}),
	} {
		if len(p) > 0 {
			t.Fatal(p)
		}
	}
	r := requestFor("/")
	r.Definitions = d
	const unknown = "?$request_id is known only in a running nginx"
	for name, want := range map[string]string{"differs": unknown, "same": "1", "partly": unknown, "everywhere": "1", "somewhere": unknown, "all": "1", "half": unknown} {
		if got := eval(t, r, "$"+name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if got := d.Sources("half"); len(got) != 1 || got[0] != "request_id" {
		t.Errorf("sources of half: %q", got)
	}
}

// TestCycle: variables that are made from each other end at nginx's bound.
func TestCycle(t *testing.T) {
	d := &Definitions{}
	d.Map([]string{"$b", "$a"}, [][]string{{"default", "${b}x"}})
	d.Map([]string{"$a", "$b"}, [][]string{{"default", "$a"}})
	r := requestFor("/")
	r.Definitions = d
	eval(t, r, "$a")
}

func TestUndecidedRegex(t *testing.T) {
	d := &Definitions{}
	if p := d.Map([]string{"$arg_k", "$m"}, [][]string{{"~(?R)?a", "1"}, {"x", "2"}}); len(p) > 0 {
		t.Fatal(p)
	}
	r := requestFor("/?k=a")
	r.Definitions = d
	if got, want := eval(t, r, "$m"), `?regex "(?R)?a": the pattern cannot be run here: it calls a group as a subroutine`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	r = requestFor("/?k=x")
	r.Definitions = d
	if got := eval(t, r, "$m"); got != "2" {
		t.Errorf("%q", got)
	}
}

// murmurs are hashes of MurmurHash2 with seed 0, as its author's code gives them.
func TestMurmur(t *testing.T) {
	for s, want := range map[string]uint32{"": 0, "a": 0x92685f5e, "abcd": 0x26873021, "abcde": 0x5f09a8de} {
		if got := murmur2(s); got != want {
			t.Errorf("%q: %#x, want %#x", s, got, want)
		}
	}
}

// TestGeoNetworks compares with the obvious reading: of all networks that hold the address the longest, the last entry
// of a network counting.
func TestGeoNetworks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.Custom(func(t *rapid.T) uint32 {
			return rapid.SampledFrom([]uint32{0, 1, 0x0a000000, 0x0a010000, 0x0a0100ff, 0x80000000, 0xfffffffe}).Draw(t, "base") ^ rapid.Uint32Range(0, 3).Draw(t, "low")
		})
		type entry struct {
			network netip.Prefix
			value   string
		}
		var list []entry
		var words [][]string
		for i := range rapid.IntRange(0, 12).Draw(t, "entries") {
			n := netip.PrefixFrom(address4(word.Draw(t, "addr")), rapid.IntRange(0, 32).Draw(t, "bits")).Masked()
			if n.Addr() == nowhere {
				continue
			}
			v := fmt.Sprint(i)
			list = append(list, entry{n, v})
			words = append(words, []string{n.String(), v})
		}
		d := &Definitions{}
		d.Geo([]string{"$g"}, words)
		r := requestFor("/")
		r.Definitions = d
		for range 20 {
			a := address4(word.Draw(t, "client"))
			want, bits := "", -1
			for _, e := range list {
				if e.network.Contains(a) && e.network.Bits() >= bits {
					want, bits = e.value, e.network.Bits()
				}
			}
			r.Client = netip.AddrPortFrom(a, 1)
			if got, _ := d.vars["g"].value(r).Known(); got != want {
				t.Fatalf("%v of %q: %q, want %q", a, words, got, want)
			}
		}
	})
}

func address4(bits uint32) netip.Addr {
	var b [4]byte
	binary.BigEndian.PutUint32(b[:], bits)
	return netip.AddrFrom4(b)
}

// TestGeoRanges compares with the obvious reading: the last range that was taken and holds the address.
func TestGeoRanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		edge := rapid.Custom(func(t *rapid.T) uint32 {
			return rapid.SampledFrom([]uint32{0x0a00fffe, 0x0a010000, 0x0a01fffd, 0x0a020000}).Draw(t, "base") + rapid.Uint32Range(0, 4).Draw(t, "low")
		})
		words := [][]string{{"ranges"}, {"default", "d"}}
		for i := range rapid.IntRange(0, 8).Draw(t, "entries") {
			from, to := edge.Draw(t, "from"), edge.Draw(t, "to")
			if from > to {
				from, to = to, from
			}
			words = append(words, []string{address4(from).String() + "-" + address4(to).String(), fmt.Sprint(i)})
		}
		d := &Definitions{}
		refused := map[int]bool{}
		for _, p := range d.Geo([]string{"$g"}, words) {
			refused[p.Entry] = refused[p.Entry] || !p.Warning
		}
		if len(refused) > 0 && anyTrue(refused) {
			return // a range that is refused half way is of no use to anybody
		}
		r := requestFor("/")
		r.Definitions = d
		for range 20 {
			a := edge.Draw(t, "client")
			want := "d"
			for _, w := range words[2:] {
				from, to, _ := parseRange(w[0])
				if from <= a && a <= to {
					want = w[1]
				}
			}
			r.Client = netip.AddrPortFrom(address4(a), 1)
			if got, _ := d.vars["g"].value(r).Known(); got != want {
				t.Fatalf("%v of %q: %q, want %q", address4(a), words, got, want)
			}
		}
	})
}

func anyTrue(m map[int]bool) bool {
	for _, v := range m {
		if v {
			return true
		}
	}
	return false
}

// FuzzDefinitions feeds entries and an argument to all three kinds of block; nothing may panic.
func FuzzDefinitions(f *testing.F) {
	f.Add("hostnames", "*.a", "~(a)", "$1", "a.b")
	f.Add("ranges", "10.0.0.0-10.0.0.9", "delete", "10.0.0.0-10.0.0.9", "10.0.0.3")
	f.Add("proxy", "::/0", "default", "x", "::1")
	f.Add("10%", "a", "*", "b", "k")
	f.Fuzz(func(t *testing.T, a, b, c, e, argument string) {
		entries := [][]string{{a}, {a, b}, {c, e}, {b, a}}
		d := &Definitions{}
		d.Map([]string{"$arg_k", "$m"}, entries)
		d.Geo([]string{"$arg_k", "$g"}, entries)
		d.Geo([]string{"$ranged"}, append([][]string{{"ranges"}}, entries...))
		d.SplitClients([]string{"$arg_k", "$s"}, entries)
		r := &Request{HTTP: &request.Request{Target: "/"}, Definitions: d, URI: "/", Args: "k=" + argument, Client: netip.MustParseAddrPort("10.0.0.1:1")}
		for _, name := range []string{"m", "g", "ranged", "s"} {
			if v, again := r.Variable(name), r.Variable(name); v != again {
				t.Errorf("$%s is %v and then %v", name, v, again)
			}
		}
	})
}

package pcre

import (
	"math"
	"slices"
	"strings"
)

// A Catastrophe is a short subject on which PCRE gives a match up, for a pattern whose steps double with each further piece
// of a text: a repeat whose turns can read the same text in more than one way.
type Catastrophe struct {
	Subject string // on which a match takes more than StepsMax steps
	Pump    string // the text in it that is repeated
	Turns   int    // how often
}

// subjectMax bounds the subjects that are tried, in bytes: well below what nginx takes for a URI or a header.
const subjectMax = 1024

// Catastrophe looks for such a subject. It is found by the pattern's structure and proven by counting the steps of matches;
// nil where none was found. A pattern that is not run here is not looked at. left is how many steps may be counted, of this
// pattern and of others; it is taken off.
func (re *Regex) Catastrophe(left *int) *Catastrophe {
	if !re.MayBeCatastrophic() {
		return nil
	}
	a := automatonOf(re.program.root)
	if a == nil {
		return nil
	}
	x := search{a: a, s: re.program.steps, limit: StepsMax, most: min(workMax, *left)}
	defer func() { *left -= x.work }()
	for _, p := range a.pumps() {
		if c := x.explode(p); c != nil {
			return c
		}
	}
	return nil
}

// MayBeCatastrophic says whether the pattern has a repeat within a repeat, which costs less to find out than Catastrophe.
func (re *Regex) MayBeCatastrophic() bool {
	re.compile()
	return re.err == nil && re.program.steps != nil && re.program.steps.nested
}

// Bounds of the search.
const (
	turnsMax   = 40      // of a pump
	stepsShown = 1 << 16 // steps that show how they grow
	workMax    = 1 << 22 // steps of all subjects that are tried for a pattern
)

// A search looks for a catastrophe.
type search struct {
	a     *automaton
	s     *stepper
	limit int // of steps, which is to be exceeded
	work  int // steps so far
	most  int // of them
}

// explode tries a pump with each way to let the match fail behind it. The steps are counted as far as they show by how much
// each turn multiplies them; that leads to the number of turns at which PCRE gives up.
func (x *search) explode(p pump) *Catastrophe {
	for _, tail := range x.a.tails(p) {
		subject := func(turns int) string { return p.prefix + strings.Repeat(p.text, turns) + tail }
		var steps [turnsMax + 1]int
		turns := 0
		for turns < turnsMax && steps[turns] < stepsShown && len(subject(turns)) < subjectMax {
			if x.work > x.most {
				return nil
			}
			turns++
			c := x.s.count(subject(turns), 4*stepsShown)
			steps[turns] = c.most
			x.work += c.all
		}
		if steps[turns] < stepsShown {
			continue
		}
		more, ok := left(steps[:turns+1], x.limit)
		if text := subject(turns + more); ok && len(text) <= subjectMax {
			return &Catastrophe{text, p.text, turns + more}
		}
	}
	return nil
}

// left is how many turns more lead to a limit, by the steps that the turns so far took. It is false where the steps grow no
// faster than a power of the length: then those of the last third of the turns multiply by less than those of the third
// before, by (3/2)^n to 2^n; where each turn multiplies the thirds are alike.
func left(steps []int, limit int) (turns int, ok bool) {
	last := len(steps) - 1
	third := max(last/3, 1)
	if last < 2*third {
		return 0, false
	}
	grown := func(from, to int) float64 {
		return math.Log(float64(max(steps[to], 1))/float64(max(steps[from], 1))) / float64(to-from)
	}
	before, now := grown(last-2*third, last-third), grown(last-third, last)
	if now < growthMin || now < 0.8*before {
		return 0, false
	}
	missing := math.Log(float64(limit) / float64(steps[last]))
	return 2 + int(1.3*missing/now), true
}

// growthMin is the least growth of the steps with a turn that counts, as a logarithm.
const growthMin = 0.25

// tails are what may stand behind a pump to let a match fail: bytes that the pattern does not go on with, alone, behind what
// would complete the match, and before it, since PCRE looks for a certain byte first.
func (a *automaton) tails(p pump) []string {
	wrong := append(a.deadEnds(p.prefix+p.text+p.text), "!", "\n\n", "")
	var list []string
	for _, w := range wrong {
		for _, tail := range []string{w, p.completion + w, w + p.completion} {
			if tail += a.missing(p.text + tail); !slices.Contains(list, tail) {
				list = append(list, tail)
			}
		}
	}
	return list
}

// missing are the characters that the pattern names and a text has not: PCRE may look for one of them before it begins.
func (a *automaton) missing(text string) string {
	var more []byte
	for _, s := range a.sets {
		if c := s.example(); s.single() && strings.IndexByte(text, c) < 0 && !slices.Contains(more, c) && len(more) < missingMax {
			more = append(more, c)
		}
	}
	return string(more)
}

const missingMax = 30

// deadEndsMax bounds the texts that are tried to leave a pattern nothing to go on with.
const deadEndsMax = 500

// deadEnds are the shortest texts of a few bytes that leave the pattern nothing to go on with behind a text that it reads.
func (a *automaton) deadEnds(text string) []string {
	type state struct {
		at    []int
		after string
	}
	start := state{at: a.read(nil, text)}
	var ends []string
	for queue := []state{start}; len(queue) > 0 && len(ends) < 3; queue = queue[1:] {
		s := queue[0]
		for _, c := range a.kinds() {
			to := state{a.read(s.at, string([]byte{c})), s.after + string([]byte{c})}
			if len(to.at) == 0 {
				ends = append(ends, to.after)
			} else if len(to.after) < 3 && len(queue) < deadEndsMax {
				queue = append(queue, to)
			}
			if len(ends) == 3 {
				break
			}
		}
	}
	return ends
}

// read follows a text from characters that were read last, from the beginning where there are none, and returns those that
// may have been read by then.
func (a *automaton) read(at []int, text string) []int {
	for i := range len(text) {
		seen := make([]bool, len(a.sets))
		var now []int
		step := func(ways []way) {
			for _, w := range ways {
				if !seen[w.to] && a.sets[w.to][text[i]] {
					seen[w.to] = true
					now = append(now, w.to)
				}
			}
		}
		if i == 0 && at == nil {
			step(a.first)
		}
		for _, from := range at {
			step(a.next[from])
		}
		if at = now; len(at) == 0 {
			return nil
		}
	}
	return at
}

// kinds are bytes of which the pattern treats each in its own way, or some of them where there are many.
func (a *automaton) kinds() []byte {
	if a.kindsOfBytes != nil {
		return a.kindsOfBytes
	}
	const most = 12
	alike := map[string]bool{}
	for _, c := range append([]byte(readable), "\x01\n\x80"...) {
		signature := make([]byte, 0, len(a.sets))
		for _, s := range a.sets {
			in := byte('0')
			if s[c] {
				in = '1'
			}
			signature = append(signature, in)
		}
		if !alike[string(signature)] && len(a.kindsOfBytes) < most {
			alike[string(signature)] = true
			a.kindsOfBytes = append(a.kindsOfBytes, c)
		}
	}
	return a.kindsOfBytes
}

// readable are bytes that people can read, the plainest first.
const readable = "abcdefghijklmnopqrstuvwxyz0123456789/-_.ABCDEFGHIJKLMNOPQRSTUVWXYZ~!*=,:;@+() "

// example is a byte of the set, one that people can read where it has such.
func (s *set) example() byte {
	for _, c := range []byte(readable) {
		if s[c] {
			return c
		}
	}
	for i, in := range s {
		if in {
			return byte(i)
		}
	}
	return 0
}

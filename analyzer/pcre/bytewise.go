package pcre

import (
	"math"
	"regexp/syntax"
	"strings"
)

// A bytewise runs a pattern of RE2 on a subject that is plain by trying its ways one after the other, each byte a look
// into a table. Go's own regexp decodes characters, folds case at each of them and marks every state that it has been in;
// that is what a pattern needs whose ways multiply, and costs the usual one ten times as much. So the steps are bounded, and
// where they do not suffice regexp is asked. A state that is come to twice leads nowhere the second time either, so that
// both answer the same.
type bytewise struct {
	steps    []byteStep
	start    uint32
	anchored bool   // it matches at the beginning only
	prefix   string // that every match begins with
}

// A byteStep is one instruction.
type byteStep struct {
	op   syntax.InstOp
	out  uint32
	arg  uint32
	set  [2]uint64      // InstRune: the bytes that it takes
	cond syntax.EmptyOp // InstEmptyWidth
}

// newBytewise returns the program of a pattern; nil where there is none.
func newBytewise(pattern string) *bytewise {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil
	}
	prog, err := syntax.Compile(re.Simplify())
	if err != nil {
		return nil
	}
	b := &bytewise{start: uint32(prog.Start), anchored: prog.StartCond()&syntax.EmptyBeginText != 0}
	b.prefix, _ = prog.Prefix()
	if !ascii(b.prefix) {
		return nil
	}
	b.steps = make([]byteStep, len(prog.Inst))
	for i := range prog.Inst {
		in := &prog.Inst[i]
		step := byteStep{op: in.Op, out: in.Out, arg: in.Arg}
		switch in.Op {
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			step.op = syntax.InstRune
			for c := range rune(0x80) {
				if matchesRune(in, c) {
					step.set[c>>6] |= 1 << (c & 63)
				}
			}
		case syntax.InstEmptyWidth:
			step.cond = syntax.EmptyOp(in.Arg)
		case syntax.InstAltMatch:
			return nil
		case syntax.InstAlt, syntax.InstCapture, syntax.InstMatch, syntax.InstFail, syntax.InstNop:
		}
		b.steps[i] = step
	}
	return b
}

func matchesRune(in *syntax.Inst, c rune) bool {
	if in.Op == syntax.InstRuneAny || in.Op == syntax.InstRuneAnyNotNL {
		return in.Op == syntax.InstRuneAny || c != '\n'
	}
	return in.MatchRune(c)
}

// A turn is what to go back to: another way, or the offset that a capture had.
type turn struct {
	step    uint32
	capture int32 // -1 for a way
	at      int32
}

// groupsMax is how many groups a pattern may have to be run so.
const groupsMax = 5

// Steps that a match may take: enough for patterns that go back once or twice over the subject.
const (
	stepsLeast   = 500
	stepsPerByte = 50
)

// A byteRun is one match under way.
type byteRun struct {
	*bytewise
	subject  string
	captures [2 + 2*groupsMax]int32
	turns    int // that there are to go back to
	room     [40]turn
	more     []turn // those beyond the room
	left     int    // steps
}

// find matches a plain subject, as Regex.Find does. told is false where the steps do not suffice.
func (b *bytewise) find(s string, groups int) (m []int, told bool) {
	if groups > groupsMax || len(s) > math.MaxInt32 {
		return nil, false
	}
	r := byteRun{bytewise: b, subject: s, left: stepsLeast + stepsPerByte*len(s)}
	for i := range r.captures {
		r.captures[i] = -1
	}
	for at := 0; at <= len(s) && (at == 0 || !b.anchored); at++ {
		if b.prefix != "" {
			i := strings.Index(s[at:], b.prefix)
			if i < 0 {
				break
			}
			at += i
		}
		switch matched := r.from(at); {
		case matched && groups == 0:
			return noGroups, true
		case matched:
			m = make([]int, 2*groups+2)
			for i := range m {
				m[i] = int(r.captures[i])
			}
			return m, true
		case r.left < 0:
			return nil, false
		}
	}
	return nil, true
}

// from tries to match from a place on. Where it fails with steps left, the captures are as they were.
func (r *byteRun) from(at int) bool {
	s, steps, pos, step := r.subject, r.steps, at, r.start
	for r.left--; r.left >= 0; r.left-- {
		in := &steps[step]
		holds := true
		switch in.op {
		case syntax.InstRune:
			if holds = pos < len(s) && in.set[s[pos]>>6&1]>>(s[pos]&63)&1 != 0; holds {
				pos++
			}
		case syntax.InstAlt:
			r.push(turn{in.arg, -1, int32(pos)})
		case syntax.InstCapture:
			if int(in.arg) < len(r.captures) {
				r.push(turn{0, int32(in.arg), r.captures[in.arg]})
				r.captures[in.arg] = int32(pos)
			}
		case syntax.InstEmptyWidth:
			holds = in.cond&^around(s, pos) == 0
		case syntax.InstMatch:
			r.captures[0], r.captures[1] = int32(at), int32(pos)
			return true
		case syntax.InstNop:
		default:
			holds = false
		}
		if holds {
			step = in.out
		} else if step, pos = r.back(); pos < 0 {
			return false
		}
	}
	return false
}

func (r *byteRun) push(t turn) {
	if r.turns < len(r.room) {
		r.room[r.turns] = t
	} else {
		r.more = append(r.more[:r.turns-len(r.room)], t)
	}
	r.turns++
}

// back returns to the latest other way, with the captures as they were there; at is -1 where there is none.
func (r *byteRun) back() (step uint32, at int) {
	for r.turns > 0 {
		r.turns--
		var last turn
		if r.turns < len(r.room) {
			last = r.room[r.turns]
		} else {
			last = r.more[r.turns-len(r.room)]
		}
		if last.capture < 0 {
			return last.step, int(last.at)
		}
		r.captures[last.capture] = last.at
	}
	return 0, -1
}

// around says what holds between two bytes of a subject.
func around(s string, pos int) syntax.EmptyOp {
	before, behind := rune(-1), rune(-1)
	if pos > 0 {
		before = rune(s[pos-1])
	}
	if pos < len(s) {
		behind = rune(s[pos])
	}
	return syntax.EmptyOpContext(before, behind)
}

package run

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// What is let go of while a rule runs is what would not have been kept in the end, in whichever order it finds: the same
// findings are kept, as many are counted, and what is gone is a cause as before.
func TestSieve(t *testing.T) {
	const n = 8 * maxFindings
	file := &source.File{Path: "a.conf", Text: string(make([]byte, n))}
	cause := &rule.Rule{Name: "cause", Severity: rule.Warning, Confidence: rule.High}
	effect := &rule.Rule{Name: "effect", Causes: []string{cause.Name}}
	all := make([]rule.Finding, n)
	for i := range all {
		at := uint32(i - i%4) // four stand at each place, of which two are the same
		all[i] = rule.Finding{
			Rule: cause, Severity: rule.Warning, Confidence: rule.High, Message: strconv.Itoa(i % 4 / 2), Places: 1,
			Primary: source.Span{File: file, Start: at, End: at + 1}, Subject: &syntax.Directive{End: at},
		}
		if i%12 >= 8 {
			all[i].Severity = rule.Note
		}
	}
	through := func(early bool, order []int) *sieve {
		s := &sifter{options: &Options{}, order: func(*source.File) int { return 0 }}
		v := s.newSieve([]*rule.Rule{cause, effect}, cause)
		v.early = v.early && early
		for piece := range slices.Chunk(order, 500) {
			found := make([]rule.Finding, 0, len(piece))
			for _, i := range piece {
				found = append(found, all[i])
			}
			v.take(found)
			if early && len(v.found) > 2*maxFindings+slack+500 {
				t.Fatalf("%d findings are held", len(v.found))
			}
		}
		v.settle()
		return v
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	shuffled := slices.Clone(order)
	rand.New(rand.NewPCG(1, 2)).Shuffle(n, func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	backward := slices.Clone(order)
	slices.Reverse(backward)
	for name, order := range map[string][]int{"in order": order, "shuffled": shuffled, "backward": backward} {
		got, want := through(true, order), through(false, order)
		if want.left == 0 || got.left != want.left || len(got.found) != len(want.found) {
			t.Fatalf("%s: %d kept and %d left, want %d and %d", name, len(got.found), got.left, len(want.found), want.left)
		}
		for i, f := range got.found {
			if w := want.found[i]; !same(f, w) || f.Places != w.Places {
				t.Fatalf("%s: finding %d at %d with %d places, want %d with %d", name, i, f.Primary.Start, f.Places, w.Primary.Start, w.Places)
			}
		}
		if !slices.Equal(causes(got), causes(want)) {
			t.Errorf("%s: other causes", name)
		}
	}
}

func causes(v *sieve) (at []uint32) {
	for _, d := range v.causes {
		at = append(at, d.End)
	}
	slices.Sort(at)
	return at
}

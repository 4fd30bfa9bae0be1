package run

import (
	"hash/maphash"
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// maxFindings bounds what is kept of one rule at one severity: nobody reads on, and each takes memory in every form in
// which it is reported.
const maxFindings = 10_000

// keepSome keeps the first findings of every rule and severity. The others are beyond.
func keepSome(found []*rule.Finding) (kept, beyond []*rule.Finding) {
	if len(found) <= maxFindings {
		return found, nil
	}
	type kind struct {
		rule     *rule.Rule
		severity rule.Severity
	}
	of := map[kind]int{}
	kept = found[:0]
	for _, f := range found {
		k := kind{f.Rule, f.Severity}
		if of[k]++; of[k] <= maxFindings {
			kept = append(kept, f)
		} else {
			beyond = append(beyond, f)
		}
	}
	return kept, beyond
}

// A sieve takes the findings of one rule. Those that come too late to be kept are counted and forgotten while it still runs,
// where nothing else asks for them.
type sieve struct {
	*sifter
	bounded bool // nothing else asks for them
	early   bool // and what is kept can be told before all are there
	tells   bool // findings of other rules tell effects of what this one warns of

	found  []*rule.Finding
	next   int // of how many some are let go
	left   int
	gone   map[uint64]struct{} // what was counted: hashes, of which two are not the same by chance
	seed   maphash.Seed
	causes []*syntax.Directive // what is gone warns of these
}

// slack is how many findings are taken before it is looked which of them can be let go.
const slack = maxFindings / 4

func (s *sifter) newSieve(rules []*rule.Rule, r *rule.Rule) *sieve {
	bounded := !s.wantsAll(r)
	return &sieve{
		sifter: s, bounded: bounded, next: maxFindings + slack,
		early: bounded && rule.Low.AtLeast(s.options.MinConfidence), // else the less sure one of two that are the same may come first
		tells: slices.ContainsFunc(rules, func(other *rule.Rule) bool { return slices.Contains(other.Causes, r.Name) }),
	}
}

func (v *sieve) take(piece []rule.Finding) {
	for i := range piece {
		v.found = append(v.found, &piece[i])
	}
	if v.early && len(v.found) >= v.next {
		v.settle()
		v.next = len(v.found) + slack
	}
}

// settle puts what was found so far in order and together.
func (v *sieve) settle() {
	v.grade(v.found)
	v.sort(v.found)
	v.found = mergeSame(v.found)
	if !v.bounded {
		return
	}
	kept, beyond := keepSome(dropUnsure(dropOff(v.found), v.options.MinConfidence))
	clear(v.found[len(kept):])
	v.found = kept
	for _, f := range beyond {
		v.count(f)
	}
}

// count counts a finding beyond those that are kept, once for each text.
func (v *sieve) count(f *rule.Finding) {
	if v.gone == nil {
		v.gone, v.seed = make(map[uint64]struct{}), maphash.MakeSeed()
	}
	id := maphash.Comparable(v.seed, struct {
		at       source.Span
		message  string
		severity rule.Severity
	}{f.Primary, f.Message, f.Severity})
	if _, ok := v.gone[id]; ok {
		return
	}
	v.gone[id] = struct{}{}
	v.left++
	if v.tells && f.Subject != nil && f.Severity.AtLeast(rule.Warning) {
		v.causes = append(v.causes, f.Subject)
	}
}

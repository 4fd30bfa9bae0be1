package rules

import (
	"slices"

	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// maxCovering bounds the regexes of a map with which each later one is compared.
const maxCovering = 200

// coveredBy returns an earlier regex that surely takes all that an entry could, and leads to something else; nil where none does.
func coveredBy(earlier []*rule.Entry, e *rule.Entry) *rule.Entry {
	i := slices.IndexFunc(earlier, func(b *rule.Entry) bool { return b.Value.Text != e.Value.Text && rule.Covers(b.Key, e.Key) })
	if i < 0 {
		return nil
	}
	return earlier[i]
}

// finiteReach returns the entries that a map takes for the values that its source can have; nil where that may be any.
func finiteReach(p *rule.Pass, b *rule.Block) map[int]bool {
	if !b.IsMap() {
		return nil
	}
	if _, constant := b.Source.Constant(); constant {
		return nil // a trick to write a constant
	}
	values, finite := p.Possible(b.Source)
	if !finite {
		return nil
	}
	reached := make(map[int]bool)
	for _, v := range values {
		index, known := p.EntryFor(b, v)
		if !known {
			return nil
		}
		reached[index] = true
	}
	return reached
}

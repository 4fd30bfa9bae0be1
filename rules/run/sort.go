package run

import (
	"cmp"
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// sort orders by file as nginx opens them, then by place, rule, message and severity: a total order, so that
// output is the same whatever ran first.
func (s *sifter) sort(found []*rule.Finding) {
	compare := func(a, b *rule.Finding) int {
		if a.Primary.File != b.Primary.File {
			return cmp.Or(
				cmp.Compare(s.order(a.Primary.File), s.order(b.Primary.File)),
				cmp.Compare(a.Primary.File.Path, b.Primary.File.Path),
			)
		}
		return cmp.Or(
			cmp.Compare(a.Primary.Start, b.Primary.Start),
			cmp.Compare(a.Primary.End, b.Primary.End),
			cmp.Compare(a.Rule.Name, b.Rule.Name),
			cmp.Compare(a.Message, b.Message),
			cmp.Compare(a.Severity, b.Severity),
		)
	}
	if !slices.IsSortedFunc(found, compare) {
		slices.SortStableFunc(found, compare)
	}
}

// fileOrder returns the place of a file in the order in which nginx opens them; files that are not part of the
// configuration come last.
func fileOrder(tree *config.Tree) func(*source.File) int {
	index := make(map[*source.File]int)
	if tree != nil && tree.Input != nil {
		for i, d := range tree.Input.Documents {
			index[d.File] = i
		}
	}
	return func(f *source.File) int {
		if i, ok := index[f]; ok {
			return i
		}
		return len(index)
	}
}

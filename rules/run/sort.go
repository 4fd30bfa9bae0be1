package run

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// sort orders by file as nginx opens them, then by place, rule, message and severity: a total order, so that
// output is the same whatever ran first.
func (s *sifter) sort(found []*rule.Finding) {
	all := make([]placed, len(found))
	for i, f := range found {
		all[i] = placed{s.order(f.Primary.File), f}
	}
	if slices.IsSortedFunc(all, compare) {
		return
	}
	slices.SortStableFunc(all, compare)
	for i := range all {
		found[i] = all[i].Finding
	}
}

// placed is a finding with the place of its file in the order of all.
type placed struct {
	file int
	*rule.Finding
}

func compare(a, b placed) int {
	if a.Primary.File != b.Primary.File {
		return cmp.Or(cmp.Compare(a.file, b.file), strings.Compare(a.Primary.File.Path, b.Primary.File.Path))
	}
	if by := cmp.Or(cmp.Compare(a.Primary.Start, b.Primary.Start), cmp.Compare(a.Primary.End, b.Primary.End)); by != 0 {
		return by
	}
	return cmp.Or(
		strings.Compare(a.Rule.Name, b.Rule.Name),
		strings.Compare(a.Message, b.Message),
		strings.Compare(string(a.Severity), string(b.Severity)),
	)
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

package main

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/load"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
	"github.com/ngxlimit/ngxlimit/cmd/internal/report"
	"github.com/ngxlimit/ngxlimit/rules/effect"
	"github.com/ngxlimit/ngxlimit/rules/rule"
	"github.com/ngxlimit/ngxlimit/rules/run"
)

// A fleet is the dumps of several machines: many have the same configuration, which need be judged once only.
type fleet struct {
	all    []*load.Input
	groups [][]int // indexes of all: machines with the very same files; in the order of their first one
}

// fleetOf returns the fleet that inputs are; nil where they are not several dumps and nothing else.
func fleetOf(inputs []*load.Input) *fleet {
	if len(inputs) < 2 || slices.ContainsFunc(inputs, func(in *load.Input) bool { return in.Kind != load.Dump }) {
		return nil
	}
	f := &fleet{all: inputs}
	group := map[[sha256.Size]byte]int{}
	for i, in := range inputs {
		key := contentOf(in)
		n, known := group[key]
		if !known {
			n = len(f.groups)
			group[key] = n
			f.groups = append(f.groups, nil)
		}
		f.groups[n] = append(f.groups[n], i)
	}
	return f
}

// contentOf is a digest of what was read: the names and texts of the files.
func contentOf(in *load.Input) (sum [sha256.Size]byte) {
	docs := slices.SortedFunc(slices.Values(in.Documents[1:]), func(a, b *syntax.Document) int { return cmp.Compare(a.File.Path, b.File.Path) })
	h := sha256.New()
	for _, d := range append([]*syntax.Document{in.Main}, docs...) {
		fmt.Fprintf(h, "%q %d\n", d.File.Path, len(d.File.Text))
		h.Write([]byte(d.File.Text))
	}
	h.Sum(sum[:0])
	return sum
}

// distinct are the first inputs of the groups.
func (f *fleet) distinct() []*load.Input {
	list := make([]*load.Input, len(f.groups))
	for i, g := range f.groups {
		list[i] = f.all[g[0]]
	}
	return list
}

// alone makes each input a group of its own: where it counts how often a finding is there, none may be left out.
func (f *fleet) alone() {
	f.groups = nil
	for i := range f.all {
		f.groups = append(f.groups, []int{i})
	}
}

// hosts are the paths of a group's inputs.
func (f *fleet) hosts(group int) []string {
	list := make([]string, len(f.groups[group]))
	for i, n := range f.groups[group] {
		list[i] = f.all[n].Path
	}
	return list
}

// report puts together what is the same on several machines, and says which of them differ. Results are those of the
// groups.
func (f *fleet) report(rep *report.Report, results []run.Result, facts []*rule.Facts) {
	rep.Inputs = rep.Inputs[:0]
	for _, in := range f.all {
		rep.Inputs = append(rep.Inputs, describe(in))
	}
	rep.Findings = f.together(results)
	rep.Fleet = f.compared(facts)
}

// mark says of which machines pages are.
func (f *fleet) mark(pages []report.Page) {
	group := map[string]int{} // by the input that was judged
	for n := range f.groups {
		group[f.all[f.groups[n][0]].Path] = n
	}
	for i := range pages {
		pages[i].Hosts = f.hosts(group[pages[i].Input])
	}
}

// together is the findings of all groups, each once, with the machines that have it.
func (f *fleet) together(results []run.Result) []rule.Finding {
	type same struct {
		identity               run.Identity
		severity               rule.Severity
		file, message, subject string
		nth                    int // of those that one machine has
	}
	at := map[same]int{}
	var all []rule.Finding
	for n := range results {
		seen := map[same]int{}
		for _, finding := range results[n].Findings {
			key := same{
				identity: run.Identify(&finding), severity: finding.Severity, file: finding.Primary.File.Path, message: finding.Message,
				subject: finding.Primary.Text(),
			}
			seen[key]++
			key.nth = seen[key]
			i, known := at[key]
			if !known {
				i = len(all)
				at[key] = i
				all = append(all, finding)
			}
			all[i].Hosts = append(all[i].Hosts, f.hosts(n)...)
		}
	}
	for i := range all {
		slices.Sort(all[i].Hosts)
	}
	return all
}

// maxCompared is how many configurations are compared with the one that most machines have.
const maxCompared = 20

// compared puts the largest group first, and says in what the others differ from it in effect.
func (f *fleet) compared(facts []*rule.Facts) *report.Fleet {
	order := make([]int, 0, len(f.groups))
	groups, first := f.rejoined()
	for n := range groups {
		order = append(order, n)
	}
	slices.SortStableFunc(order, func(a, b int) int { return len(groups[b]) - len(groups[a]) })
	out := &report.Fleet{Hosts: len(f.all)}
	base := facts[first[order[0]]]
	for i, n := range order {
		g := report.HostGroup{Hosts: groups[n]}
		if i > 0 && i <= maxCompared && base.Tree.HTTP != nil {
			g.Effect = effect.Between(base, facts[first[n]])
		}
		out.Groups = append(out.Groups, g)
	}
	return out
}

// rejoined are the groups by what was read, be they judged together or not, and the index of the facts of each.
func (f *fleet) rejoined() (groups [][]string, first []int) {
	at := map[[sha256.Size]byte]int{}
	for n := range f.groups {
		key := contentOf(f.all[f.groups[n][0]])
		i, known := at[key]
		if !known {
			i = len(groups)
			at[key] = i
			groups, first = append(groups, nil), append(first, n)
		}
		groups[i] = append(groups[i], f.hosts(n)...)
	}
	return groups, first
}

// resolveAll resolves inputs, several at a time.
func (f *inputFlags) resolveAll(inputs []*load.Input) []*config.Tree {
	trees := make([]*config.Tree, len(inputs))
	inParallel(len(inputs), func(i int) { trees[i] = f.resolve(inputs[i]) })
	return trees
}

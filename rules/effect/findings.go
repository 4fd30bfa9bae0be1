package effect

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/compare"
	"github.com/ngxlimit/ngxlimit/rules/rule"
	"github.com/ngxlimit/ngxlimit/rules/run"
)

// findings returns those of one side only: by their identities, then by what the directive says where it is only written in
// another way, and last by the fault, which a directive keeps whose numbers are others.
func findings(old, renewed []rule.Finding) (come, gone []rule.Finding) {
	was, is := run.Tally{}, run.Tally{}
	was.Add(old)
	is.Add(renewed)
	come, gone = beyond(renewed, was), beyond(old, is)
	for _, same := range []func(*rule.Finding) string{meaning, moved, fault} {
		come, gone = cancel(come, gone, same)
	}
	return come, gone
}

// beyond are the findings that a tally does not hold.
func beyond(found []rule.Finding, known run.Tally) (out []rule.Finding) {
	for i := range found {
		id := run.Identify(&found[i])
		if known[id] > 0 {
			known[id]--
			continue
		}
		out = append(out, found[i])
	}
	return out
}

// cancel takes off what is the same on both sides.
func cancel(come, gone []rule.Finding, same func(*rule.Finding) string) (left, mended []rule.Finding) {
	there, cancelled := map[string]int{}, map[string]int{}
	for i := range gone {
		there[same(&gone[i])]++
	}
	come = slices.DeleteFunc(come, func(f rule.Finding) bool {
		key := same(&f)
		if there[key] == 0 {
			return false
		}
		there[key]--
		cancelled[key]++
		return true
	})
	gone = slices.DeleteFunc(gone, func(f rule.Finding) bool {
		key := same(&f)
		if cancelled[key] == 0 {
			return false
		}
		cancelled[key]--
		return true
	})
	return come, gone
}

// meaning is a finding without names of zones and without the ways in which its directive can be written.
func meaning(f *rule.Finding) string { return within(f, f.Within()) }

// moved is the same wherever in a server the directive stands.
func moved(f *rule.Finding) string {
	blocks := f.Within()
	return within(f, blocks[:min(len(blocks), 2)])
}

func within(f *rule.Finding, context []string) string {
	words := strings.Fields(run.NormalForm(f))
	for i, w := range words {
		if name, size, ok := strings.Cut(strings.TrimSuffix(w, ";"), ":"); strings.HasPrefix(w, "zone=") {
			words[i] = "zone="
			if ok && name != "" {
				words[i] += size
			}
		}
	}
	if len(words) > 1 && (words[0] == "limit_conn" || words[0] == "limit_req" || strings.HasSuffix(words[0], "_zone")) {
		if words[0] == "limit_conn" {
			words[1] = ""
		}
		slices.Sort(words[1:])
	}
	return strings.Join(slices.Concat([]string{f.Rule.Name, string(f.Severity)}, context, words), "\x00")
}

// fault is what a finding says of which directive, whatever that one's words are.
func fault(f *rule.Finding) string {
	name := ""
	if f.Subject != nil {
		name = f.Subject.Name().Value
	}
	return strings.Join(slices.Concat([]string{f.Rule.Name, string(f.Severity), name}, f.Within()), "\x00")
}

// sort puts the gravest first and leaves the order of the configuration within.
func (e *Effect) sort() {
	order := map[compare.Direction]int{
		compare.Lost: 0, compare.Loosened: 1, compare.Changed: 2, compare.Tightened: 3, compare.Gained: 4, compare.Other: 5,
	}
	slices.SortStableFunc(e.Limits, func(a, b Limits) int { return cmp.Compare(order[a.Direction], order[b.Direction]) })
	slices.SortStableFunc(e.Pages, func(a, b Page) int {
		switch {
		case a.Stands == b.Stands:
			return 0
		case a.Stands:
			return -1
		}
		return 1
	})
}

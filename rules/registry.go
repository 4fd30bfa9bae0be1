// Package rules is the catalogue: one file a rule. A rule is a value with all words about it and a pure function of a
// resolved configuration; it knows neither the other rules nor how its findings are shown. What several rules need to
// know stands in rules/rule.
package rules

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// registry is filled while the package's variables are initialised, and never again.
var registry struct {
	byName map[string]*rule.Rule
	sorted func() []*rule.Rule
}

// register adds a rule to the catalogue. A second rule of a name is a fault of the program.
func register(r rule.Rule) *rule.Rule {
	if registry.byName == nil {
		registry.byName = make(map[string]*rule.Rule)
		registry.sorted = sync.OnceValue(sortRegistry)
	}
	if registry.byName[r.Name] != nil {
		panic(fmt.Sprintf("two rules of the name %q", r.Name))
	}
	registry.byName[r.Name] = &r
	return &r
}

func sortRegistry() []*rule.Rule {
	all := make([]*rule.Rule, 0, len(registry.byName))
	for _, r := range registry.byName {
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b *rule.Rule) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// All returns every rule, sorted by name.
func All() []*rule.Rule { return slices.Clone(registry.sorted()) }

// Find returns the rule of that name; nil where there is none.
func Find(name string) *rule.Rule { return registry.byName[name] }

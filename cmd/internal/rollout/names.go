package rollout

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// zoneNames are the names of zones that are taken, and the keys of those that become free.
type zoneNames struct {
	taken map[string]bool
	freed map[string]string // key by name
}

// namesOf finds which names are taken when some limits are gone.
func namesOf(facts *rule.Facts, gone map[*syntax.Directive]bool) zoneNames {
	n := zoneNames{taken: make(map[string]bool), freed: make(map[string]string)}
	for _, z := range facts.Zones() {
		n.taken[z.Name] = true
	}
	for _, z := range idle(facts, gone) {
		n.freed[z.Name] = z.KeySpan.Text()
	}
	return n
}

// free makes a name one of its own. The name of a zone that goes away is taken again for the same key, so that a dry run that is
// tuned again keeps its names; with another key nginx would not reload ("previously it used the ... key").
func (n zoneNames) free(name, key string) string {
	unique := name
	for i := 2; n.taken[unique]; i++ {
		if was, ok := n.freed[unique]; ok && was == key {
			delete(n.freed, unique)
			return unique
		}
		unique = fmt.Sprintf("%s_%d", name, i)
	}
	n.taken[unique] = true
	return unique
}

// idle are the zones that only limits count in which are gone.
func idle(facts *rule.Facts, gone map[*syntax.Directive]bool) []*rule.Zone {
	used := make(map[string]bool)
	for list := range facts.Lists() {
		for i := range list.Lines {
			if d := list.Lines[i].Directive; !gone[d] {
				used[list.Lines[i].Zone] = true
			}
		}
	}
	var zones []*rule.Zone
	for _, z := range facts.Zones() {
		if z.Req != nil && !used[z.Name] && len(z.Uses) > 0 {
			zones = append(zones, z)
		}
	}
	return zones
}

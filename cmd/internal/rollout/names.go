package rollout

import (
	"cmp"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
	"github.com/ngxlimit/ngxlimit/model/tune"
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

// own is the name of the zone that a group was given before, by a proposal that is in force now, such as a dry run; "" for none.
func (n zoneNames) own(g *tune.Group) string {
	pattern := regexp.MustCompile("^" + regexp.QuoteMeta(zoneName(g)) + `(_\d+)?$`)
	for l := range limitsOf(g) {
		if was, ok := n.freed[l.ZoneName]; ok && was == g.Key && pattern.MatchString(l.ZoneName) {
			delete(n.freed, l.ZoneName)
			return l.ZoneName
		}
	}
	return ""
}

// limitsOf are the limits in effect where the requests of a group come to: of a total everywhere in its server.
func limitsOf(g *tune.Group) iter.Seq[*config.LimitReq] {
	return func(yield func(*config.LimitReq) bool) {
		if g.Kind != tune.Total {
			if ownPlace(g) {
				slices.Values(levelOf(g).Settings.LimitReqs.Value)(yield)
			}
			return
		}
		for place := range g.Server.AllLocations {
			for _, l := range place.Settings.LimitReqs.Value {
				if !yield(l) {
					return
				}
			}
		}
	}
}

// free makes a name one of its own. The name of a zone that goes away is taken again for the same key; with another key nginx
// would not reload ("previously it used the ... key").
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
	used, left := make(map[string]bool), make(map[string]bool)
	for list := range facts.Lists() {
		for i := range list.Lines {
			if line := &list.Lines[i]; gone[line.Directive] {
				left[line.Zone] = true
			} else {
				used[line.Zone] = true
			}
		}
	}
	var zones []*rule.Zone
	for _, z := range facts.Zones() {
		if z.Req != nil && !used[z.Name] && left[z.Name] {
			zones = append(zones, z)
		}
	}
	return zones
}

// inOrder are the limits in an order that the traffic does not change: logins, then by name, then totals.
func (p *Proposal) inOrder() []Limit {
	class := func(l *Limit) int {
		switch l.Group.Kind {
		case tune.Login:
			return 0
		case tune.Total:
			return 2
		default:
			return 1
		}
	}
	return slices.SortedStableFunc(slices.Values(p.Limits), func(a, b Limit) int {
		return cmp.Or(cmp.Compare(class(&a), class(&b)), strings.Compare(a.Zone, b.Zone))
	})
}

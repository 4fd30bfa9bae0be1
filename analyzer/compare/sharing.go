package compare

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
)

// uses remembers which zone became which, over all places at which a limit lets as much through as before: a zone is one
// count, wherever it is named.
type uses struct {
	became, was map[string]map[string]bool // by kind of limit and zone
	at          map[string]source.Span
}

func newUses() uses {
	return uses{became: map[string]map[string]bool{}, was: map[string]map[string]bool{}, at: map[string]source.Span{}}
}

func (u *uses) note(conn bool, o, n *limit) {
	kind := "limit_req "
	if conn {
		kind = "limit_conn "
	}
	add(u.became, kind+o.zone, n.zone)
	add(u.was, kind+n.zone, o.zone)
	u.at["old "+kind+o.zone], u.at["new "+kind+n.zone] = o.within, n.within
}

func add(to map[string]map[string]bool, key, name string) {
	if to[key] == nil {
		to[key] = map[string]bool{}
	}
	to[key][name] = true
}

// Sharing returns where places that were compared so far had one count together and have several, or the other way round.
func (c *Comparer) Sharing() []Difference {
	var list []Difference
	for _, key := range slices.Sorted(maps.Keys(c.uses.became)) {
		if now := slices.Sorted(maps.Keys(c.uses.became[key])); len(now) > 1 {
			kind, zone, _ := strings.Cut(key, " ")
			list = append(list, Difference{
				Subject: kind + "_zone", Direction: Loosened, Old: c.uses.at["old "+key], New: c.uses.at["new "+kind+" "+now[0]],
				Text: fmt.Sprintf("what zone %s counted together is counted apart by %s: each has the whole of it", zone, some(now)),
			})
		}
	}
	for _, key := range slices.Sorted(maps.Keys(c.uses.was)) {
		if before := slices.Sorted(maps.Keys(c.uses.was[key])); len(before) > 1 {
			kind, zone, _ := strings.Cut(key, " ")
			list = append(list, Difference{
				Subject: kind + "_zone", Direction: Tightened, Old: c.uses.at["old "+kind+" "+before[0]], New: c.uses.at["new "+key],
				Text: fmt.Sprintf("what %s counted apart is counted together by zone %s", some(before), zone),
			})
		}
	}
	return list
}

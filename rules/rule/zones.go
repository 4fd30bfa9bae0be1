package rule

import (
	"cmp"
	"slices"
	"sync"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
)

// A Zone is a zone of either limiter, with the lists in which a limit names it.
type Zone struct {
	Name    string
	Req     *config.Zone     // nil for a zone of limit_conn
	Conn    *config.ConnZone // nil for a zone of limit_req
	Key     value.Template
	KeySpan source.Span
	Size    int64
	Item    config.Item // the zone's directive
	Uses    []ZoneUse   // in effect where a request can be judged, in the order of the configuration
}

// A ZoneUse is a limit on a zone, as one written list has it.
type ZoneUse struct {
	Item   config.Item // the limit's directive
	At     *config.Level
	Levels int              // how many levels the list is written at
	Places []Place          // where the list is in effect; in some of them no request is judged
	Req    *config.LimitReq // nil for limit_conn
	Conn   *config.LimitConn
	list   *company
	index  int // which limit of the list it is
}

// A company is the zones of one list's limits. What is asked of a limit's neighbours is asked of each zone once, not once for each
// of its neighbours.
type company struct {
	zones []*Zone // by limit; nil where the zone is not known
	once  sync.Once
	meets []bool // which zones have a key that meets the condition, once it was asked
	count int    // how many do
}

// others says whether a limit other than the given one has a key that meets a condition, the same whenever it is asked.
func (c *company) others(index int, by func(value.Template) bool) bool {
	c.once.Do(func() {
		c.meets = make([]bool, len(c.zones))
		for i, z := range c.zones {
			if z != nil && by(z.Key) {
				c.meets[i] = true
				c.count++
			}
		}
	})
	if c.meets[index] {
		return c.count > 1
	}
	return c.count > 0
}

// Zones returns all zones that are defined, sorted by name.
func (f *Facts) Zones() []*Zone { return f.zones() }

func (f *Facts) findZones() []*Zone {
	if f.Tree == nil || f.Tree.HTTP == nil {
		return nil
	}
	var all []*Zone
	reqs, conns := make(map[*config.Zone]*Zone), make(map[*config.ConnZone]*Zone)
	for _, z := range f.Tree.HTTP.Zones {
		reqs[z] = &Zone{Name: z.Name, Req: z, Key: z.Key, KeySpan: z.KeySpan, Size: z.Size, Item: config.Item{Directive: z.Directive, Via: z.Via}}
		all = append(all, reqs[z])
	}
	for _, z := range f.Tree.HTTP.ConnZones {
		conns[z] = &Zone{Name: z.Name, Conn: z, Key: z.Key, KeySpan: z.KeySpan, Size: z.Size, Item: config.Item{Directive: z.Directive, Via: z.Via}}
		all = append(all, conns[z])
	}
	slices.SortFunc(all, func(a, b *Zone) int { return cmp.Compare(a.Name, b.Name) })
	addUses(f.LimitReqs(), func(l *config.LimitReq) *Zone { return reqs[l.Zone] }, func(l *config.LimitReq) ZoneUse {
		return ZoneUse{Item: config.Item{Directive: l.Directive, Via: l.Via}, Req: l}
	})
	addUses(f.LimitConns(), func(l *config.LimitConn) *Zone { return conns[l.Zone] }, func(l *config.LimitConn) ZoneUse {
		return ZoneUse{Item: config.Item{Directive: l.Directive, Via: l.Via}, Conn: l}
	})
	return all
}

// addUses gives each zone the lists of one limiter that name it.
func addUses[L any](lists []List[L], of func(L) *Zone, use func(L) ZoneUse) {
	count := make(map[*Zone]int)
	for _, list := range lists {
		if !slices.ContainsFunc(list.Places, Place.Judges) {
			continue
		}
		for _, limit := range list.Limits {
			count[of(limit)]++
		}
	}
	for _, list := range lists {
		if !slices.ContainsFunc(list.Places, Place.Judges) {
			continue
		}
		together := &company{zones: make([]*Zone, len(list.Limits))}
		for i, limit := range list.Limits {
			zone := of(limit)
			together.zones[i] = zone
			if zone == nil {
				continue
			}
			if zone.Uses == nil {
				zone.Uses = make([]ZoneUse, 0, count[zone])
			}
			u := use(limit)
			u.At, u.Levels, u.Places = list.At, list.Levels, list.Places
			u.list, u.index = together, i
			zone.Uses = append(zone.Uses, u)
		}
	}
}

// Of starts a finding about the zone's key.
func (z *Zone) Of(f *Facts) Finding {
	found := Of(z.Item, &f.Tree.HTTP.Level)
	found.Primary = z.KeySpan
	found.Evidence = map[string]any{"zone": z.Name, "key": z.Key.Text}
	return found
}

// held says whether each list that names the zone has another limit, whose key meets a condition.
func (z *Zone) held(by func(value.Template) bool) bool {
	for i := range z.Uses {
		if u := &z.Uses[i]; !u.list.others(u.index, by) {
			return false
		}
	}
	return len(z.Uses) > 0
}

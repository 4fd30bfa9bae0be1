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
	*Standing                  // of the list; in some of its places no request is judged
	Req       *config.LimitReq // nil for limit_conn
	Conn      *config.LimitConn
	company   *company // nil where the list has no other limit
	index     int      // which limit of the list it is
}

// Item is the limit's directive.
func (u *ZoneUse) Item() config.Item {
	if u.Req != nil {
		return config.Item{Directive: u.Req.Directive, Via: u.Req.Via}
	}
	return config.Item{Directive: u.Conn.Directive, Via: u.Conn.Via}
}

// A company is the zones of one list's limits. What is asked of a limit's neighbours is asked of each zone once, not once for each
// of its neighbours.
type company struct {
	zones []*Zone // by limit; nil where the zone is not known
	once  sync.Once
	count int // how many zones have a key that meets the condition, once it was asked
	one   int // which does, where it is one
}

// others says whether a limit other than the given one has a key that meets a condition, the same whenever it is asked.
func (c *company) others(index int, by func(value.Template) bool) bool {
	if c == nil {
		return false
	}
	c.once.Do(func() {
		for i, z := range c.zones {
			if z != nil && by(z.Key) {
				c.one = i
				c.count++
			}
		}
	})
	return c.count > 1 || c.count == 1 && c.one != index
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
		return ZoneUse{Req: l}
	})
	addUses(f.LimitConns(), func(l *config.LimitConn) *Zone { return conns[l.Zone] }, func(l *config.LimitConn) ZoneUse {
		return ZoneUse{Conn: l}
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
	for n := range lists {
		list := &lists[n]
		if !slices.ContainsFunc(list.Places, Place.Judges) {
			continue
		}
		var together *company
		if len(list.Limits) > 1 {
			together = &company{zones: make([]*Zone, len(list.Limits))}
		}
		for i, limit := range list.Limits {
			zone := of(limit)
			if together != nil {
				together.zones[i] = zone
			}
			if zone == nil {
				continue
			}
			if zone.Uses == nil {
				zone.Uses = make([]ZoneUse, 0, count[zone])
			}
			u := use(limit)
			u.Standing, u.company, u.index = &list.Standing, together, i
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
		if u := &z.Uses[i]; !u.company.others(u.index, by) {
			return false
		}
	}
	return len(z.Uses) > 0
}

package pipeline

import (
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/model/limitconn"
	"github.com/ngxlimit/ngxlimit/model/limitreq"
)

// A ZoneUse is what has happened in one zone of limit_req_zone.
type ZoneUse struct {
	Zone    *config.Zone
	Peak    int64  // the largest excess that a key was charged with, in thousandths of a request
	PeakKey string // the key, readable
	Keys    int    // how many keys the zone holds
}

// peak is the fullest bucket of a zone so far.
type peak struct {
	excess int64
	key    string
}

// note looks at what the limits have found. A request that was rejected has charged nobody.
func (p *Pipeline) note(n *node, ask []limitreq.Limit, verdict limitreq.Verdict) {
	if verdict == limitreq.Rejected || verdict == limitreq.RejectedDryRun {
		return
	}
	for _, l := range p.log {
		at := &p.peaks[n.asked[l.Limit].zone]
		if l.Excess > at.excess || at.key == "" {
			at.excess, at.key = l.Excess, ask[l.Limit].Key
		}
	}
}

// Zones returns what has happened in the zones that requests have come to, in the order of their names.
func (p *Pipeline) Zones() []ZoneUse {
	var list []ZoneUse
	for id, z := range p.zones {
		if z == nil {
			continue
		}
		list = append(list, ZoneUse{Zone: p.g.zoneAt(id), Peak: p.peaks[id].excess, PeakKey: readable(p.peaks[id].key), Keys: z.Len()})
	}
	slices.SortFunc(list, func(a, b ZoneUse) int { return strings.Compare(a.Zone.Name, b.Zone.Name) })
	return list
}

// Reset empties all zones. Plans stay good; no Flight may be under way.
func (p *Pipeline) Reset() {
	p.needs = nil
	for id, z := range p.zones {
		if z == nil || z.Len() == 0 {
			continue
		}
		p.peaks[id] = peak{}
		z.Reset()
	}
	for id, z := range p.conns {
		if z == nil || z.Len() == 0 {
			continue
		}
		if empty, err := limitconn.NewZone(z.Name(), p.g.connAt(id).Size); err == nil {
			*z = *empty
		}
	}
}

// Assumptions lists what was taken for things that cannot be known, over all requests so far, in the order met.
func (p *Pipeline) Assumptions() []string { return p.assumed }

// maxAssumptions bounds the list; a configuration that needs more is not understood at all.
const maxAssumptions = 200

func (p *Pipeline) remember(assumptions []string) {
	if len(p.assumed) >= maxAssumptions {
		return
	}
	if p.hasAssumed == nil && len(assumptions) > 0 {
		p.hasAssumed = map[string]bool{}
	}
	for _, a := range assumptions {
		if len(p.assumed) < maxAssumptions && !p.hasAssumed[a] {
			p.assumed = append(p.assumed, a)
			p.hasAssumed[a] = true
		}
	}
}

// zone returns the state of a zone by its number, and makes it when it is first asked for; nil for a zone that nginx
// would refuse.
func (p *Pipeline) zone(id int) *limitreq.Zone {
	if id < 0 {
		return nil
	}
	for len(p.zones) <= id {
		p.zones = append(p.zones, nil)
		p.peaks = append(p.peaks, peak{})
	}
	if p.zones[id] == nil {
		z := p.g.zoneAt(id)
		p.zones[id], _ = limitreq.NewZone(z.Name, z.Rate, z.Size)
	}
	return p.zones[id]
}

func (p *Pipeline) connZone(id int) *limitconn.Zone {
	if id < 0 {
		return nil
	}
	for len(p.conns) <= id {
		p.conns = append(p.conns, nil)
	}
	if p.conns[id] == nil {
		z := p.g.connAt(id)
		p.conns[id], _ = limitconn.NewZone(z.Name, z.Size)
	}
	return p.conns[id]
}

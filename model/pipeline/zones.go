package pipeline

import (
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/limitconn"
	"github.com/ngxlimit/ngxlimit/model/limitreq"
)

// A ZoneUse is what has happened in one zone of limit_req_zone.
type ZoneUse struct {
	Zone              *config.Zone
	Asked             int64      // requests with a key that counts
	Delayed, Rejected int64      // of these by this zone, dry runs left aside
	Peak              int64      // the largest excess that a key was charged with, in thousandths of a request
	PeakAt            clock.Msec // when it was charged
	EmptyAt           clock.Msec // when the key's excess was 0 again: the first time after PeakAt
	Key               string     // which key that was, as bytes
	PeakKey           string     // likewise, readable
	Keys              int        // how many keys the zone holds
}

// A usage is what has happened in a zone so far.
type usage struct {
	asked, delayed, rejected int64

	excess  int64 // of the fullest bucket
	key     string
	at      clock.Msec
	emptied bool
	empty   clock.Msec // when it was, where emptied
	last    clock.Msec // when the key was last charged
	lastly  int64      // its excess then
}

// note looks at what the limits have found. A request that was rejected has charged nobody.
func (p *Pipeline) note(now clock.Msec, n *node, ask []limitreq.Limit, d *limitreq.Decision) {
	charged := d.Verdict != limitreq.Rejected && d.Verdict != limitreq.RejectedDryRun
	for _, l := range p.log {
		u := &p.uses[n.asked[l.Limit].id]
		u.asked++
		if l.Limit == d.Zone {
			switch d.Verdict {
			case limitreq.Delayed:
				u.delayed++
			case limitreq.Rejected:
				u.rejected++
			case limitreq.None, limitreq.Passed, limitreq.DelayedDryRun, limitreq.RejectedDryRun:
			}
		}
		if charged {
			u.charge(now, ask[l.Limit].Key, l.Excess, ask[l.Limit].Zone.Rate())
		}
		if p.Watch != nil && (charged || l.Limit == d.Zone) {
			p.Watch(n.asked[l.Limit].zone, ask[l.Limit].Key, now, l.Excess, charged)
		}
	}
}

// noteCharge is note for one limit that has charged a key and let the request pass at once.
func (p *Pipeline) noteCharge(now clock.Msec, l *limit, z *limitreq.Zone, key string, excess int64) {
	u := &p.uses[l.id]
	u.asked++
	u.charge(now, key, excess, z.Rate())
	if p.Watch != nil {
		p.Watch(l.zone, key, now, excess, true)
	}
}

// charge takes note of a key's new excess.
func (u *usage) charge(now clock.Msec, key string, excess, rate int64) {
	switch {
	case excess > u.excess || u.key == "":
		u.excess, u.key, u.at, u.emptied = excess, key, now, false
	case key != u.key:
		return
	case !u.emptied && excess <= 1000:
		// What was there has gone, or the zone has dropped the key.
		u.emptied, u.empty = true, min(now, u.drained(rate))
	}
	u.last, u.lastly = now, excess
}

// drained is when the fullest bucket is empty if nothing more comes.
func (u *usage) drained(rate int64) clock.Msec {
	return u.last + clock.Msec((u.lastly*1000+rate-1)/rate)
}

// Zones returns what has happened in the zones that requests have come to, in the order of their names.
func (p *Pipeline) Zones() []ZoneUse {
	var list []ZoneUse
	for id, z := range p.zones {
		if z == nil {
			continue
		}
		u := &p.uses[id]
		use := ZoneUse{
			Zone: p.g.zoneAt(id), Asked: u.asked, Delayed: u.delayed, Rejected: u.rejected,
			Peak: u.excess, PeakAt: u.at, EmptyAt: u.empty, Key: u.key, PeakKey: readable(u.key), Keys: z.Len(),
		}
		if !u.emptied {
			use.EmptyAt = u.drained(z.Rate())
		}
		list = append(list, use)
	}
	slices.SortFunc(list, func(a, b ZoneUse) int { return strings.Compare(a.Zone.Name, b.Zone.Name) })
	return list
}

// A ConnUse is what has happened in one zone of limit_conn_zone.
type ConnUse struct {
	Zone            *config.ConnZone
	Asked, Rejected int64
	Peak            int64 // the most requests of one key at once
	PeakKey         string
}

// A connUsage is what has happened in a zone so far.
type connUsage struct {
	asked, rejected, most int64
	key                   string
}

// noteConns looks at what limit_conn has counted.
func (p *Pipeline) noteConns(n *node, ask []limitconn.Limit, d *limitconn.Decision) {
	counts := d.Counts
	for i := range ask {
		if ask[i].Key == "" || len(ask[i].Key) > limitconn.MaxKey {
			continue
		}
		u := &p.connUses[n.askedConns[i].zone]
		u.asked++
		if i == d.Zone {
			if d.Verdict == limitconn.Rejected {
				u.rejected++
			}
			return // nobody behind it was asked
		}
		if len(counts) == 0 {
			return
		}
		if counts[0] > u.most {
			u.most, u.key = counts[0], ask[i].Key
		}
		counts = counts[1:]
	}
}

// ConnZones returns what has happened in the zones of limit_conn that requests have come to.
func (p *Pipeline) ConnZones() []ConnUse {
	var list []ConnUse
	for id, z := range p.conns {
		if z != nil {
			u := &p.connUses[id]
			list = append(list, ConnUse{p.g.connAt(id), u.asked, u.rejected, u.most, readable(u.key)})
		}
	}
	return list
}

// Empty lets the zones of limit_req forget their keys, as if nginx had been started anew; what they did so far is still
// told. Plans stay good, and so do Flights under way.
func (p *Pipeline) Empty() {
	for _, z := range p.zones {
		if z != nil {
			z.Reset()
		}
	}
}

// Reset empties all zones. Plans stay good; no Flight may be under way.
func (p *Pipeline) Reset() {
	p.needs = nil
	for id, z := range p.zones {
		if z == nil {
			continue
		}
		p.uses[id] = usage{}
		z.Reset()
	}
	for id, z := range p.conns {
		if z == nil {
			continue
		}
		p.connUses[id] = connUsage{}
		if z.Len() == 0 {
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
	for _, a := range assumptions {
		if len(p.assumed) >= maxAssumptions || p.assumes(a) {
			continue
		}
		p.assumed = append(p.assumed, a)
		if p.hasAssumed == nil {
			p.hasAssumed = map[string]bool{}
		}
		p.hasAssumed[a] = true
	}
}

// fewAssumptions are compared one by one: mostly they are the same few texts in the same memory.
const fewAssumptions = 8

// assumes says whether an assumption is in the list.
func (p *Pipeline) assumes(a string) bool {
	if len(p.assumed) <= fewAssumptions {
		return slices.Contains(p.assumed, a)
	}
	return p.hasAssumed[a]
}

// zone returns the state of a zone by its number, and makes it when it is first asked for; nil for a zone that nginx
// would refuse.
func (p *Pipeline) zone(id int) *limitreq.Zone {
	if id < 0 {
		return nil
	}
	for len(p.zones) <= id {
		p.zones = append(p.zones, nil)
		p.uses = append(p.uses, usage{})
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
		p.connUses = append(p.connUses, connUsage{})
	}
	if p.conns[id] == nil {
		z := p.g.connAt(id)
		p.conns[id], _ = limitconn.NewZone(z.Name, z.Size)
	}
	return p.conns[id]
}

package tune

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
)

// Plan judges what was collected.
func (c *Collector) Plan() (*Plan, error) {
	if c.plan.Visits == 0 {
		return nil, fmt.Errorf("there are no requests to tune for")
	}
	p := &c.plan
	p.Span = time.Duration(c.last-c.first) * time.Millisecond
	c.judgeClients()
	kept := make(map[*config.Server]reserve)
	add := func(g *collected) {
		p.Groups = append(p.Groups, &g.Group)
		if choice := &g.Frontier[g.Chosen]; g.Kind != Login && choice.Rate > kept[g.Server].rate {
			kept[g.Server] = reserve{choice.Rate, choice.Burst * full}
		}
	}
	var totals, unknown []*collected
	for _, g := range c.kept() {
		if g.Kind == Total {
			totals = append(totals, g)
		} else if c.finish(g, reserve{}); g.People > 0 {
			add(g)
		} else {
			unknown = append(unknown, g)
		}
	}
	measured := slices.Clone(p.Groups)
	for _, g := range unknown {
		if c.borrow(g, measured) {
			add(g)
		} else {
			p.Notes = append(p.Notes, fmt.Sprintf("%s: %s, as everywhere, so that nothing is known of what people need: it stays without a limit", g.Label(), g.unmeasured()))
		}
	}
	for _, g := range totals {
		if kept[g.Server].rate == 0 {
			continue // nothing of it has a limit
		}
		if c.finish(g, kept[g.Server]); len(g.Frontier) == 0 {
			p.Notes = append(p.Notes, fmt.Sprintf("%s: no rate that is tried leaves room for one client at its own limit", g.Label()))
			continue
		}
		if g.People == 0 {
			g.Basis = "only attackers come to this server: there is room for one client at its own limit"
		}
		add(g)
	}
	slices.SortStableFunc(p.Groups, func(a, b *Group) int { return cmp.Compare(a.rank(), b.rank()) })
	p.Notes = append(p.Notes, c.pipe.Assumptions()...)
	return p, nil
}

// Label names what a group counts, without its server: "/api/", "= /login", a location's label, or "all of these".
func (g *Group) Label() string {
	switch {
	case g.Kind == Login:
		return "= " + g.Path
	case g.Kind == Part:
		return g.Path
	case g.Kind == Total:
		return "all together"
	case g.Location == nil:
		return "the server itself"
	}
	return g.Location.Label()
}

// rank orders groups for people: logins, then what people wait for, then totals.
func (g *Group) rank() int { return slices.Index([]Kind{Login, Part, Place, Total}, g.Kind) }

// A part of what a location takes is worth a limit of its own where it has at least this share of the server's requests that
// are no static files.
const worthwhile = 0.1

// kept are the groups that are worth a limit, and the totals of their servers.
func (c *Collector) kept() []*collected {
	divided := make(map[groupKey]bool) // places of which some part has a limit of its own
	var kept []*collected
	for _, g := range c.order {
		if g.Kind == Place {
			continue
		}
		if c.o.Redact != nil && holdsAddress(g.Path) {
			c.plan.Other += g.Requests
			c.note("a path that holds an address is not shown, and gets no limit of its own")
			continue
		}
		if g.Kind == Part {
			if float64(g.Requests) < worthwhile*float64(c.dynamic[g.Server]) {
				continue
			}
			divided[groupKey{g.Server, g.Location, Place, ""}] = true
		}
		kept = append(kept, g)
	}
	for _, g := range c.order {
		if g.Kind != Place {
			continue
		}
		if divided[groupKey{g.Server, g.Location, Place, ""}] {
			c.plan.Other += g.Requests - c.inParts(g, kept)
			continue
		}
		kept = append(kept, g)
	}
	return append(kept, c.totals(kept)...)
}

func (c *Collector) note(text string) {
	if !slices.Contains(c.plan.Notes, text) {
		c.plan.Notes = append(c.plan.Notes, text)
	}
}

// holdsAddress says whether a part of a path is an address, with or without a port.
func holdsAddress(path string) bool {
	for part := range strings.SplitSeq(path, "/") {
		if _, ok := request.ParseAddr(part); ok {
			return true
		}
		if _, err := netip.ParseAddrPort(part); err == nil {
			return true
		}
	}
	return false
}

func (c *Collector) inParts(place *collected, kept []*collected) int {
	n := 0
	for _, g := range kept {
		if g.Kind == Part && g.Server == place.Server && g.Location == place.Location {
			n += g.Requests
		}
	}
	return n
}

// totals puts the parts and places of each server in one bucket, without the attackers.
func (c *Collector) totals(groups []*collected) []*collected {
	var out []*collected
	byServer := make(map[*config.Server]*collected)
	for _, g := range groups {
		if g.Kind == Login {
			continue
		}
		t := byServer[g.Server]
		if t == nil {
			t = &collected{Group: Group{Kind: Total, Server: g.Server, Key: "$server_name"}, keys: make(map[string]*keyed)}
			byServer[g.Server] = t
			out = append(out, t)
		}
		t.Requests += g.Requests
		for _, e := range g.keys {
			if c.Attacks(e.client) {
				continue
			}
			all := t.keys[e.nginx]
			if all == nil {
				all = &keyed{nginx: e.nginx}
				t.keys[e.nginx] = all
			}
			all.at = append(all.at, e.at...)
		}
	}
	return out
}

// finish counts a group's clients and chooses its limit. What is kept counts for a total.
func (c *Collector) finish(g *collected, kept reserve) {
	var people, attackers []series
	var minutes []int
	for _, key := range sortedKeys(g.keys) {
		e := g.keys[key]
		e.at.order()
		g.Clients++
		if g.Kind != Total && c.Attacks(e.client) {
			attackers = append(attackers, e.at)
			g.Attack += len(e.at)
			continue
		}
		people = append(people, e.at)
		if n := e.at.busiest(tenSeconds); n > g.Busiest {
			g.Busiest, g.BusiestKey = n, c.shown(e.client)
		}
		if g.Kind == Login {
			minutes = append(minutes, e.at.busiest(minute))
		}
	}
	g.Minute = spreadOf(minutes)
	g.People = len(people)
	g.judge(people, attackers, c.o.Share, kept)
}

// Attacks says whether a client is taken for an attacker, once there is a plan.
func (c *Collector) Attacks(name string) bool {
	who := c.clients[name]
	return who != nil && who.attacks
}

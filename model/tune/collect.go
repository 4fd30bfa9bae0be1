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
	"github.com/ngxlimit/ngxlimit/analyzer/route"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
)

// A Collector takes traffic, one visit after the other in any order, and keeps of each counted request its time alone.
type Collector struct {
	o      Options
	pipe   *pipeline.Pipeline
	finder *pipeline.Pipeline // of locations
	trace  pipeline.Trace

	base, first, last int64 // of visits' times
	began             bool
	groups            map[groupKey]*collected
	order             []*collected
	clients           map[string]*client
	dynamic           map[*config.Server]int // requests that are no static files
	anyLimit          bool                   // some place is limited: then only such places, and logins, are tuned
	plan              Plan
}

type groupKey struct {
	server   *config.Server
	location *config.Location
	kind     Kind
	path     string
}

type collected struct {
	Group
	keys map[string]*keyed
}

// A keyed is what one key of a group did, and who it was.
type keyed struct {
	at            series
	client, nginx string
}

// NewCollector returns a collector for a configuration.
func NewCollector(tree *config.Tree, router *route.Router, o Options) *Collector {
	c := &Collector{
		o: o, pipe: pipeline.New(tree, router), groups: make(map[groupKey]*collected), clients: make(map[string]*client),
		dynamic: make(map[*config.Server]int),
	}
	c.pipe.Open, c.pipe.Authorized = true, true
	c.finder = c.pipe.Fresh()
	c.anyLimit = tree.HTTP != nil && len(tree.HTTP.Zones) > 0 && slices.ContainsFunc(tree.HTTP.Servers, limitsRequests)
	return c
}

const post = "POST" // net/http is not for this package

// Add takes a visit.
func (c *Collector) Add(v *Visit) error {
	at, err := c.since(v.At)
	if err != nil {
		return err
	}
	c.plan.Visits++
	c.pipe.DoInto(&c.trace, clock.Up+clock.Msec(at), v.Request)
	t := &c.trace
	server, location := placeOf(t)
	if server == nil {
		c.plan.Lost++
		return nil
	}
	uri, _, bad := request.Normalize(v.Request.Target, server.MergeSlashes)
	if bad != nil {
		c.plan.Lost++
		return nil //nolint:nilerr // nginx answers 400 before any limit
	}
	name := request.AddrText(t.Client.Addr)
	who := c.clientOf(name)
	who.saw(v, at)
	login := c.o.Login(uri) && (v.Request.Method == post || v.Request.Method == "")
	// Before any limit is judged, as a redirect to https is.
	answered := t.EndsIn == pipeline.EndReturn || t.EndsIn == pipeline.EndRewrite || t.EndsIn == pipeline.EndRequest && !t.LimiterRan
	switch {
	case login && !answered:
		who.login(v, at)
		c.count(groupKey{server, location, Login, uri}, at, name, v)
		return nil
	case c.o.Static(uri):
		c.plan.Static++
		if len(t.Limits) == 0 && (c.anyLimit || !takesAll(location)) {
			return nil
		}
	case c.anyLimit && len(t.Limits) == 0, answered:
		c.plan.Other++
		return nil
	default:
		c.dynamic[server]++
		if first := firstPart(uri); first != "" && takesAll(location) {
			c.count(groupKey{server, location, Part, first}, at, name, v)
		}
	}
	c.count(groupKey{server, location, Place, ""}, at, name, v)
	return nil
}

// limitsRequests says whether some limit_req is in effect at a server or at a location of it.
func limitsRequests(s *config.Server) bool {
	found := len(s.Settings.LimitReqs.Value) > 0
	for l := range s.AllLocations {
		found = found || len(l.Settings.LimitReqs.Value) > 0
	}
	return found
}

// since turns a time into milliseconds since somewhat before the first visit: a log's lines are in the order of their ends.
func (c *Collector) since(at int64) (uint32, error) {
	const before = int64(24 * time.Hour / time.Millisecond)
	if !c.began {
		c.began, c.base, c.first, c.last = true, at-before, at, at
	}
	c.first, c.last = min(c.first, at), max(c.last, at)
	if at < c.base || time.Duration(c.last-c.base)*time.Millisecond > longest {
		return 0, errLong
	}
	return uint32(at - c.base), nil
}

// maxParts bounds the groups of one kind that clients may make by their paths.
const maxParts = 1000

// count adds a request to a group, under the key that the group's limit has today, or the client's address.
func (c *Collector) count(k groupKey, at uint32, name string, v *Visit) {
	g := c.groups[k]
	if g == nil {
		if len(c.order) >= maxParts && k.kind != Place {
			return
		}
		g = &collected{Group: Group{Kind: k.kind, Server: k.server, Location: k.location, Path: k.path, Key: "$binary_remote_addr"}, keys: make(map[string]*keyed)}
		if k.kind != Place {
			first, known := c.finder.TakenBy(v.Request, k.server)
			g.HandedOn = !known || first != k.location
		}
		c.groups[k] = g
		c.order = append(c.order, g)
	}
	g.Requests++
	key, known := c.keyOf(g, name)
	if !known {
		g.Uncounted++
		return
	}
	if v.Nginx != "" {
		key = v.Nginx + "\x00" + key
	}
	e := g.keys[key]
	if e == nil {
		e = &keyed{client: name, nginx: v.Nginx}
		g.keys[key] = e
	}
	e.at = append(e.at, at)
}

// keyOf is the key under which the request at hand counts in a group: a location's own limit may have another than the
// address. An empty one exempts.
func (c *Collector) keyOf(g *collected, name string) (key string, known bool) {
	if g.Kind != Place {
		return name, true
	}
	for i := range c.trace.Limits {
		l := &c.trace.Limits[i]
		if l.Zone == nil || !varies(l.Zone) {
			continue
		}
		g.Key, g.Declared = l.Zone.KeySpan.Text(), l.Zone
		text, ok := l.Key.Known()
		return text, ok && text != ""
	}
	return name, true
}

// varies says whether a zone's key depends on more than the server: a total has a bucket of its own.
func varies(z *config.Zone) bool {
	text := z.KeySpan.Text()
	return strings.Contains(text, "$") && text != "$server_name" && text != "$host"
}

// firstPart is the first part of a path with more than one: "/api/" of "/api/orders".
func firstPart(uri string) string {
	if i := strings.IndexByte(strings.TrimPrefix(uri, "/"), '/'); i > 0 {
		return uri[:i+2]
	}
	return ""
}

// takesAll says whether a location takes all that no other one does.
func takesAll(l *config.Location) bool {
	return l == nil || l.Pattern == "/" && (l.Modifier == "" || l.Modifier == "^~")
}

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

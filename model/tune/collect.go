package tune

import (
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

package cloudflare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/edge"
	"github.com/ngxlimit/ngxlimit/model/edge/lang"
)

// Options say how rules are run.
type Options struct {
	Window  Window            // "" is Buckets
	Domains map[string]string // of zones, by what Ruleset.Zone says; beside those that the rulesets know
}

// A Layer runs rulesets. It is an edge.Layer.
type Layer struct {
	window  Window
	zones   []*zone
	keysets map[string]*keyset
	request uint64        // how often it was asked so far
	last    *edge.Request // that the last question was about
	got     edge.Decision // of the rule that was asked last
}

// zone is the rules of one domain, in the order in which they run.
type zone struct {
	domain string // "": all hosts
	rules  []*running
	after  []*running // of rules, those that answers matter to, and those that skip others
}

// running is a rule at work.
type running struct {
	*Rule
	guards []*Condition // of the rules that deploy its ruleset
	// What the rule's numbers come to.
	period  clock.Msec
	limit   int64
	timeout clock.Msec
	begins  bool // the first of another phase than the rule before
	counts  bool // it has a limit, of which all is known
	after   bool // counts when the answer is there
	// A rule that looks at answers needs them from the origin: what the cache has goes there all the same.
	pastCache   bool
	readsAnswer bool
	keys        *keyset
	counters    []*counter // by the numbers of the combinations
	stat        edge.RuleStat
	scope       lang.Scope
}

// New makes a layer of rulesets. It fails where there are several zones and nothing says which host is in which.
func New(all []*Ruleset, o Options) (*Layer, error) {
	l := &Layer{window: o.Window, keysets: map[string]*keyset{}}
	if l.window == "" {
		l.window = Buckets
	}
	var names []string
	domains := map[string]string{}
	for _, s := range all {
		if s.Kind == "root" || s.Kind == "custom" || s.NotModeled != "" {
			continue
		}
		if _, ok := domains[s.Zone]; !ok {
			names = append(names, s.Zone)
		}
		domain := s.Domain
		if d, ok := o.Domains[s.Zone]; ok {
			domain = d
		}
		if domains[s.Zone] == "" {
			domains[s.Zone] = edge.Lower(strings.TrimSuffix(domain, "."))
		}
	}
	if len(names) == 0 {
		names = []string{""} // an account's rules alone
	}
	for _, name := range names {
		if domains[name] == "" && len(names) > 1 {
			return nil, fmt.Errorf("the rules are of %d zones, and which hosts zone %q has is not known: say it with --edge-zone %s=DOMAIN", len(names), name, shellWord(name))
		}
		z := &zone{domain: domains[name]}
		for _, phase := range []string{Custom, RateLimit} {
			for _, s := range all {
				if s.Phase == phase && s.Kind == "root" {
					l.add(z, all, s, nil, 0)
				}
			}
			for _, s := range all {
				if s.Phase == phase && s.Zone == name && s.Kind != "root" && s.Kind != "custom" {
					l.add(z, all, s, nil, 0)
				}
			}
		}
		for i, r := range z.rules {
			r.begins = i > 0 && z.rules[i-1].Ruleset.Phase != r.Ruleset.Phase
			r.counts = r.Limit != nil && r.Unknown == ""
			if r.Unknown == "" && (r.Skip != nil || r.Limit != nil && r.after) {
				z.after = append(z.after, r)
			}
		}
		l.zones = append(l.zones, z)
	}
	return l, nil
}

func shellWord(s string) string {
	if s == "" || strings.ContainsAny(s, " ;&|<>()$`\"'*") {
		return "ZONE"
	}
	return s
}

// add puts the rules of a ruleset behind the others; those that deploy another ruleset bring its rules along.
func (l *Layer) add(z *zone, all []*Ruleset, s *Ruleset, guards []*Condition, depth int) {
	for _, u := range s.Rules {
		if !u.Enabled {
			continue
		}
		if u.Action == "execute" {
			l.deploy(z, all, u, guards, depth)
			continue
		}
		r := &running{Rule: u, guards: guards, stat: edge.RuleStat{Rule: u.Name}}
		if u.Description != u.Name {
			r.stat.Says = u.Description
		}
		if u.Limit != nil && u.Unknown == "" {
			t := u.Limit
			r.period, r.timeout, r.limit, r.after = clock.Msec(t.PeriodS*1000), clock.Msec(t.TimeoutS*1000), t.Most(), t.AfterAnswer()
			r.pastCache, r.readsAnswer = t.ReadsAnswer() || t.Score > 0, t.ReadsAnswer()
			r.keys = l.keysetOf(t.Keys)
			r.keys.rules = append(r.keys.rules, r)
			r.stat.Score, r.stat.Limit, r.stat.PeriodS, r.stat.TimeoutS = t.Score > 0, r.limit, t.PeriodS, t.TimeoutS
		}
		z.rules = append(z.rules, r)
	}
}

func (l *Layer) deploy(z *zone, all []*Ruleset, u *Rule, guards []*Condition, depth int) {
	if u.Unknown == "" && depth < 4 {
		for _, s := range all {
			if s.Kind == "custom" && u.Deploys != "" && (s.ID == u.Deploys || s.Reference == u.Deploys) {
				l.add(z, all, s, append(slices.Clip(guards), u.Expression), depth+1)
				return
			}
		}
	}
	why := u.Unknown
	if why == "" {
		why = "the ruleset that it deploys was not given: " + orNone(u.Deploys)
	}
	lost := *u
	lost.Unknown = why
	z.rules = append(z.rules, &running{Rule: &lost, stat: edge.RuleStat{Rule: u.Name}})
}

// zoneOf finds the zone of a host: the longest domain that it lies in.
func (l *Layer) zoneOf(req *edge.Request) *zone {
	if len(l.zones) == 1 && l.zones[0].domain == "" {
		return l.zones[0]
	}
	var best *zone
	host := req.HostName()
	for _, z := range l.zones {
		in := host == z.domain || len(host) > len(z.domain) && strings.HasSuffix(host, z.domain) && host[len(host)-len(z.domain)-1] == '.'
		if in && (best == nil || len(z.domain) > len(best.domain)) {
			best = z
		}
	}
	return best
}

// Decide judges a request: custom rules first, then those that count, each kind in its order.
func (l *Layer) Decide(now clock.Msec, req *edge.Request) (d edge.Decision) {
	l.request, l.last = l.request+1, req
	z := l.zoneOf(req)
	if z == nil {
		return d
	}
	var rest, limits bool // what a skip passes over
	past := false
	for _, r := range z.rules {
		if r.begins {
			rest = false
		}
		if rest || limits && r.Ruleset.Phase == RateLimit {
			continue
		}
		match := r.match(req, nil)
		past = past || match == lang.True && r.pastCache
		if r.counts {
			if l.limit(r, now, req, match, &l.got) && (d.Rule == "" || l.got.Action.Stops() || d.Action == edge.Allow && l.got.Action == edge.Log) {
				d = l.got
			}
		} else if match == lang.True {
			r.stat.Matched++
			if r.Skip != nil {
				rest, limits = r.Skip.Rest, limits || r.Skip.RateLimit
				continue
			}
			if got := r.act(0); got.Action.Stops() || d.Rule == "" {
				d = got
			}
		}
		if d.Action.Stops() {
			break
		}
	}
	d.PastCache = past
	return d
}

// match asks a rule's expression, and those of the rules that deploy it.
func (r *running) match(req *edge.Request, resp *edge.Response) lang.Truth {
	r.scope.Request, r.scope.Response = req, resp
	if r.Unknown != "" {
		if r.Expression != nil && r.Expression.Match(&r.scope) == lang.False {
			return lang.False // whatever else is unknown about it
		}
		if resp == nil {
			r.dark(r.Unknown)
		}
		return lang.Unknown
	}
	got := r.Expression.Match(&r.scope)
	for _, g := range r.guards {
		if got == lang.False {
			return got
		}
		if t := g.Match(&r.scope); t != lang.True {
			got = t
		}
	}
	if got == lang.Unknown && resp == nil {
		r.dark(r.scope.Why())
	}
	return got
}

func (r *running) dark(why string) {
	r.stat.Unknown++
	if r.stat.Why == "" {
		r.stat.Why = why
	}
}

// limit lets a rule that counts judge a request, and says what it decides; false where it has nothing to do with it.
func (l *Layer) limit(r *running, now clock.Msec, req *edge.Request, match lang.Truth, d *edge.Decision) bool {
	counts := lang.False
	if !r.after {
		if counts = match; r.Limit.Counting != nil {
			counts = r.counting(req, nil)
		}
	}
	if match == lang.True {
		r.stat.Matched++
	}
	if match != lang.True && counts != lang.True {
		return false
	}
	*d = edge.Decision{Rule: r.Name, Action: edge.Allow}
	c := l.find(r, now, req, counts == lang.True)
	if c == nil {
		return match == lang.True
	}
	if match == lang.True && c.until > now {
		*d = l.stop(r, c, now, req)
		return true
	}
	if counts == lang.True {
		c.add(l.window, now, r.period, 1)
		r.stat.Counted++
	}
	value := c.value(l.window, now, r.period)
	r.stat.Peak = max(r.stat.Peak, value)
	if value > r.limit {
		if c.until <= now {
			c.until = now + r.timeout
		}
		if match == lang.True {
			*d = l.stop(r, c, now, req)
			return true
		}
	}
	d.Counter = value
	return true
}

// counting asks a rule's own counting expression.
func (r *running) counting(req *edge.Request, resp *edge.Response) lang.Truth {
	r.scope.Request, r.scope.Response = req, resp
	got := r.Limit.Counting.Match(&r.scope)
	if got == lang.Unknown {
		r.dark(r.scope.Why())
	}
	return got
}

// stop acts on a request. A visitor who passes a challenge begins anew.
func (l *Layer) stop(r *running, c *counter, now clock.Msec, req *edge.Request) edge.Decision {
	d := r.act(c.value(l.window, now, r.period))
	if d.Action == edge.Challenge && req.ChallengePassed {
		c.reset()
		d.Counter = 0
	}
	return d
}

// act is what a rule's action comes to.
func (r *running) act(counter int64) edge.Decision {
	d := edge.Decision{Rule: r.Name, Kind: r.Action, Counter: counter, RetryAfterMs: -1}
	switch r.Action {
	case "block":
		d.Action, d.Kind, d.Status = edge.Block, "", r.Status
		r.stat.Blocked++
	case "log":
		d.Action, d.Kind = edge.Log, ""
		r.stat.Logged++
	default:
		d.Action, d.Status = edge.Challenge, 403
		r.stat.Challenged++
	}
	return d
}

// find returns the counter of a request's combination; nil where it has none yet and none is made, and where some
// characteristic cannot be known.
func (l *Layer) find(r *running, now clock.Msec, req *edge.Request, make bool) *counter {
	id := r.keys.find(l, now, req, make)
	switch {
	case r.keys.why != "":
		r.dark(r.keys.why)
		return nil
	case id < 0:
		return nil
	}
	for int(id) >= len(r.counters) {
		if !make {
			return nil
		}
		r.counters = append(r.counters, nil)
	}
	c := r.counters[id]
	if c == nil && make {
		c = &counter{}
		r.counters[id] = c
		r.stat.Keys++
	}
	return c
}

package simulate

import (
	"fmt"
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/route"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
	"github.com/ngxlimit/ngxlimit/model/traffic"
)

// Run lets crowds load their fans, and counts what the limits do to them. The first request of the first client reaches
// nginx at time 0, with empty zones. It fails for options out of bounds and for a configuration without servers.
func Run(tree *config.Tree, router *route.Router, options Options) (*Result, error) {
	o, err := options.normal()
	if err != nil {
		return nil, fmt.Errorf("simulate: %w", err)
	}
	t, said, err := newTarget(tree, router, &o)
	if err != nil {
		return nil, fmt.Errorf("simulate: %w", err)
	}
	if o.offered = HTTP1; OffersHTTP2(t.server) || o.Edge != nil {
		o.offered = HTTP2
	}
	t.clients = ordinaryOf(tree)
	p := pipeline.New(tree, router)
	p.Authorized, p.NoLimits, p.Open = true, o.NoLimits, o.Open
	s := newSimulation(p, t, &o)
	if o.Detail {
		s.watch = newWatch()
	}
	s.run()
	r := s.result()
	r.Assumptions = slices.Concat(said, assumptionsOf(s), p.Assumptions())
	s.compare(r)
	s.front.report(r)
	if err := withoutEdge(tree, router, o, r); err != nil {
		return nil, err
	}
	if o.Detail {
		detail(s, r, func() *simulation {
			again := o
			again.KeepRequests = false
			return newSimulation(p.Fresh(), t, &again)
		})
	}
	r.Feeling, r.Tree = feeling(r), tree
	switch said := s.stats.nothingServed(r); {
	case said == "":
	case r.OnlyAttacks():
		r.Assumptions = append(r.Assumptions, said)
	default:
		r.Feeling = "Nobody gets anything: " + said + "."
	}
	return r, nil
}

func newSimulation(p *pipeline.Pipeline, t target, o *Options) *simulation {
	s := &simulation{
		pipe: p, target: t, opts: o, crowds: newCrowds(o), rows: []Row{},
		plans: map[planKey]*pipeline.Plan{}, callers: map[int32]*pipeline.Caller{}, stats: newStats(),
		meter: newMeter(o), sightings: newSightings(o),
	}
	if o.Edge != nil && p != nil {
		s.front = newFront(o.Edge(), &s.rows)
	}
	for _, c := range s.crowds {
		c.stats = s.stats
		if len(s.crowds) > 1 {
			c.stats = newStats()
		}
		for t := range c.page.requests {
			q := &c.page.requests[t]
			c.bound[t] = q.byClient || q.byNumber || len(o.Via) > 0
		}
	}
	return s
}

// compare adds the page times without limits.
func (s *simulation) compare(r *Result) {
	if s.opts.NoLimits {
		r.Page.UnlimitedMs = r.Page.LimitedMs
		for i := range r.Crowds {
			r.Crowds[i].Page.UnlimitedMs = r.Crowds[i].Page.LimitedMs
		}
		return
	}
	var all sample
	for i, c := range s.crowds {
		times := unlimited(*s.opts, c.Crowd)
		r.Crowds[i].Page.UnlimitedMs = times.quantiles()
		if c.people {
			all.merge(times)
		}
	}
	r.Page.UnlimitedMs = all.quantiles()
}

// unlimited are the times of a crowd's pages without limits. Then clients do not touch each other, and where a request is
// routed to does not matter; where nothing is random, one load stands for all.
func unlimited(o Options, c *Crowd) *sample {
	alone := *c
	o.Crowds, o.KeepRequests, o.Progress = []Crowd{alone}, false, nil
	if !random(c.Fan, &o) {
		alone.Clients, alone.Repeat, alone.Arrival = 1, 1, Arrival{}
		o.Crowds[0] = alone
	}
	s := newSimulation(nil, target{}, &o)
	s.run()
	return &s.stats.times
}

// random says whether some time of a fan's pages differs from load to load.
func random(fan *traffic.Fan, o *Options) bool {
	if rtt := o.rttOf(fan); rtt.dist != nil {
		return true
	}
	return slices.ContainsFunc(fan.Requests, func(r traffic.FanRequest) bool {
		service := o.serviceOf(&r)
		return service.dist != nil || r.ThinkMs != nil && r.ThinkMs.Random()
	})
}

func (s *simulation) result() *Result {
	r := &Result{
		Locations: s.stats.locations(), Zones: zones(s.pipe, s.stats), ConnZones: connZones(s.pipe), Page: new(s.stats.pageStat()),
		Waterfalls: []Waterfall{}, Tests: []Test{}, Requests: s.rows,
	}
	for _, c := range s.crowds {
		r.Crowds = append(r.Crowds, c.result())
	}
	r.Seen = s.seen()
	r.Harms, r.ConnHarms = s.harms(), s.connHarms()
	return r
}

func (c *crowd) result() CrowdStat {
	n := CrowdStat{
		Fan: c.Fan.Name, Role: roleOf(c.Fan), Clients: c.Clients, Addresses: int(c.countAddresses()),
		Retries: c.stats.retries, Blocked: c.stats.blocked, AddedMs: c.stats.added.quantiles(), Added: c.stats.added.buckets(),
		Page: c.stats.pageStat(), Locations: c.stats.locations(),
	}
	for i := range n.Locations {
		l := &n.Locations[i]
		n.Requests += l.Requests
		n.Passed += l.Passed
		n.Delayed += l.Delayed
		n.Rejected += l.Rejected
		n.NotIssued += l.NotIssued
	}
	return n
}

func roleOf(fan *traffic.Fan) string {
	if fan.Role == traffic.People {
		return "people"
	}
	return string(fan.Role)
}

func (s *stats) pageStat() PageStat {
	return PageStat{Pages: s.pages, LimitedMs: s.times.quantiles(), BrokenPages: s.broken}
}

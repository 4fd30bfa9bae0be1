package simulate

import (
	"fmt"
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/route"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
)

// Run lets clients load a page, and counts what the limits do to them. The first request of the first client reaches
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
	p := pipeline.New(tree, router)
	p.Authorized, p.NoLimits = true, o.NoLimits
	s := newSimulation(p, t, &o)
	s.run()
	r := s.result()
	r.Assumptions = slices.Concat(said, assumptionsOf(&o), p.Assumptions())
	if !o.NoLimits {
		r.Page.UnlimitedMs = unlimited(o)
	} else {
		r.Page.UnlimitedMs = r.Page.LimitedMs
	}
	return r, nil
}

func newSimulation(p *pipeline.Pipeline, t target, o *Options) *simulation {
	s := &simulation{
		pipe: p, page: newPage(o.Fan, o), fan: o.Fan, target: t, opts: o,
		rows: []Row{}, shared: make([]*pipeline.Plan, len(o.Fan.Requests)), bound: make([]bool, len(o.Fan.Requests)),
		plans: map[planKey]*pipeline.Plan{}, callers: map[int32]*pipeline.Caller{}, stats: newStats(),
	}
	s.arrive = newArrivals(o, -s.page.rtt/2)
	return s
}

// unlimited is the page's time without limits. Then clients do not touch each other, every time is fixed, and where a
// request is routed to does not matter, so one load stands for all.
func unlimited(o Options) Quantiles {
	o.Clients, o.Repeat, o.KeepRequests, o.Arrival = 1, 1, false, Arrival{}
	s := newSimulation(nil, target{}, &o)
	s.run()
	return s.stats.times.quantiles()
}

func (s *simulation) result() *Result {
	return &Result{
		Locations: s.stats.locations(),
		Zones:     zones(s.pipe),
		Page:      new(s.pageStat()),
		Requests:  s.rows,
	}
}

func (s *simulation) pageStat() PageStat {
	return PageStat{Pages: s.stats.pages, LimitedMs: s.stats.times.quantiles(), BrokenPages: s.stats.broken}
}

func zones(p *pipeline.Pipeline) []ZoneStat {
	used := p.Zones()
	list := make([]ZoneStat, 0, len(used))
	for _, z := range used {
		list = append(list, ZoneStat{Zone: z.Zone.Name, PeakExcessMilli: z.Peak, PeakKey: z.PeakKey, Keys: z.Keys})
	}
	return list
}

// assumptionsOf says what the simulation itself takes for granted.
func assumptionsOf(o *Options) []string {
	list := []string{"clients connect to nginx themselves, " + shared(o.ClientsPerAddress) + ", from ranges that are kept for documentation"}
	if o.UpstreamMs < 0 {
		list = append(list, "the server takes as long as is usual for the kind of each request: html 100 ms, static files 5 ms, api 50 ms")
	}
	list = append(list, "a request that hangs on a refused one is not sent; nothing is sent a second time")
	return list
}

func shared(n int) string {
	if n == 1 {
		return "each from an address of its own"
	}
	return fmt.Sprintf("%d from one address", n)
}

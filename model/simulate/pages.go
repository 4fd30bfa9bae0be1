package simulate

import (
	"slices"
	"sync"
	"time"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/route"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
	"github.com/ngxlimit/ngxlimit/model/traffic"
)

// OfficeSpan is the time within which an office opens the page, evenly spread: the first minutes of a morning, not the
// worst instant. Run with Together shows that.
const OfficeSpan = time.Minute

// A Page is what one page load of a fan suffers at one server: once by a single client, and once by an office of
// clients behind one address, who open it evenly spread over OfficeSpan.
type Page struct {
	Fan       string
	Clients   int // of Office
	One       PageRun
	Office    PageRun
	Locations []PageLocation // in which a limit is in effect or which a request reached, in the order of the configuration
}

// A PageRun is a page's own time, and how many loads broke because a request was refused.
type PageRun struct {
	Stat       PageStat
	Requests   int
	Delayed    int
	Rejected   int
	MaxAddedMs int64
}

// A PageLocation is what the fan's requests suffered at one location.
type PageLocation struct {
	Location *config.Location // nil: the server itself
	One      LocationStat
	Office   LocationStat
	Limits   []PageLimit // in the order of the location's list of limit_req
	Conns    []PageConn  // likewise of limit_conn
}

// Pages computes what pages suffer at the servers of one configuration, each on first use and once for all servers that
// treat the page alike. It may be used by several goroutines.
type Pages struct {
	tree   *config.Tree
	router *route.Router

	clients func() *ordinary

	mu    sync.Mutex
	pipe  *pipeline.Pipeline
	known map[pageKey]*ran
	free  map[*traffic.Fan]Quantiles // page times without limits
	of    map[serverKey]*Page
}

type pageKey struct {
	fan                 *traffic.Fan
	clients, perAddress int
	protocol            Protocol // over which limit_conn is judged; "" where none is in effect
	shape               string
}

type serverKey struct {
	server              *config.Server
	fan                 *traffic.Fan
	clients, perAddress int
}

// ran is what came of the runs, by the numbers of a Shape's places.
type ran struct {
	one, office     PageRun
	ones, offices   counted
	conns           counted // of one client, over the protocol for limit_conn
	open, openConns []peaks
}

// counted is what one run counted at each place.
type counted struct {
	stats  []LocationStat
	limits []limitStats
}

// NewPages prepares the pages of a configuration; it computes none yet.
func NewPages(tree *config.Tree, router *route.Router) *Pages {
	p := pipeline.New(tree, router)
	p.Authorized = true
	return &Pages{tree: tree, router: router, pipe: p, clients: sync.OnceValue(func() *ordinary { return ordinaryOf(tree) }), known: map[pageKey]*ran{}, free: map[*traffic.Fan]Quantiles{}, of: map[serverKey]*Page{}}
}

// Of returns what a fan suffers at a server; nil where no limit is in effect anywhere in it, and for
// a fan that cannot be run.
func (p *Pages) Of(server *config.Server, fan *traffic.Fan, clients, perAddress int) *Page {
	if server == nil || fan == nil || len(fan.Requests)+len(fan.Streams) == 0 {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	// Each place of a server asks for its page, and there may be a hundred thousand: nothing is looked at twice.
	key := serverKey{server, fan, clients, perAddress}
	page, ok := p.of[key]
	if !ok {
		if runnable(fan) == nil && Limited(server) {
			page = p.compute(server, fan, clients, perAddress)
		}
		p.of[key] = page
	}
	return page
}

func (p *Pages) compute(server *config.Server, fan *traffic.Fan, clients, perAddress int) *Page {
	o := Options{Crowds: []Crowd{{Fan: fan, Clients: 1, PerAddress: []int{1}, Repeat: 1}}, Server: server, Protocol: HTTP2}
	t, _, err := newTarget(p.tree, p.router, &o)
	if err != nil {
		return nil // there is a server, so that nothing else can be wrong
	}
	t.clients = p.clients()
	first := newSimulation(p.pipe, t, &o)
	shape := pipeline.NewShape()
	for _, plan := range first.eachPlan() {
		shape.Add(plan)
	}
	key := pageKey{fan, clients, perAddress, "", shape.String()}
	if countsConnections(server) {
		key.protocol = HTTP1
		if OffersHTTP2(server) {
			key.protocol = HTTP2
		}
	}
	r := p.known[key]
	if r == nil {
		load := func(o Options) (PageRun, counted) {
			p.pipe.Reset()
			s := newSimulation(p.pipe, t, &o)
			s.crowds[0].shared, s.crowds[0].bound, s.plans = first.crowds[0].shared, first.crowds[0].bound, first.plans
			s.run()
			return s.sorted(shape, p.unlimited(o))
		}
		r = p.runs(o, &key, shape, load)
		p.known[key] = r
	}
	page := &Page{Fan: fan.Name, Clients: max(clients, 1), One: r.one, Office: r.office}
	page.Locations = locationsOf(server, shape, r)
	return page
}

// runs loads the page in all the ways that are asked about. Options are those of one client.
func (p *Pages) runs(o Options, key *pageKey, shape *pipeline.Shape, load func(Options) (PageRun, counted)) *ran {
	open := func(o Options) []peaks {
		p.pipe.Open = true
		load(o)
		p.pipe.Open = false
		return peaksOf(p.pipe, shape.Places)
	}
	r := &ran{}
	r.one, r.ones = load(o)
	r.open = open(o)
	r.conns, r.openConns = r.ones, r.open
	if key.protocol == HTTP1 {
		o := o
		o.Protocol = HTTP1
		_, r.conns = load(o)
		r.openConns = open(o)
	}
	office := o.Crowds[0]
	office.Clients, office.PerAddress = max(key.clients, 1), []int{max(key.perAddress, 1)}
	office.Arrival = Arrival{Kind: Every, Span: OfficeSpan / time.Duration(office.Clients)}
	o.Crowds = []Crowd{office}
	r.office, r.offices = load(o)
	return r
}

// unlimited is a fan's time without limits, computed once.
func (p *Pages) unlimited(o Options) Quantiles {
	c := &o.Crowds[0]
	q, ok := p.free[c.Fan]
	if !ok {
		q = unlimited(o, c).quantiles()
		p.free[c.Fan] = q
	}
	return q
}

// sorted arranges what was counted by the places of the shape.
func (s *simulation) sorted(shape *pipeline.Shape, unlimited Quantiles) (PageRun, counted) {
	run := PageRun{Stat: s.stats.pageStat()}
	run.Stat.UnlimitedMs = unlimited
	c := counted{make([]LocationStat, len(shape.Places)), make([]limitStats, len(shape.Places))}
	for at := range s.stats.places.All() {
		n := shape.Place(at.place)
		if n < 0 {
			continue
		}
		stat := at.result()
		c.stats[n], c.limits[n] = stat, at.limits
		run.Requests += stat.Requests
		run.Delayed += stat.Delayed
		run.Rejected += stat.Rejected
		run.MaxAddedMs = max(run.MaxAddedMs, stat.AddedMs.Max)
	}
	return run, c
}

// locationsOf gives a server's own names to what was counted, and adds the limited locations that no request reached.
func locationsOf(server *config.Server, shape *pipeline.Shape, r *ran) []PageLocation {
	places := slices.Clone(shape.Places)
	for l := range server.AllLocations {
		if place := pipeline.PlaceOf(l); place.Limited() && shape.Place(place) < 0 {
			places = append(places, place)
		}
	}
	slices.SortFunc(places, pipeline.Place.Compare)
	list := make([]PageLocation, 0, len(places))
	for _, place := range places {
		at := PageLocation{Location: place.Location}
		n := shape.Place(place)
		if at.Limits, at.Conns = r.limitsOf(place, n); n >= 0 {
			at.One, at.Office = r.ones.stats[n], r.offices.stats[n]
		}
		at.One.at(place)
		at.Office.at(place)
		list = append(list, at)
	}
	return list
}

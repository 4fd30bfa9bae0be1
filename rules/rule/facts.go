package rule

import (
	"slices"
	"strings"
	"sync"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/route"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
)

// Facts are a configuration and what several rules want to know about it. Each fact is computed on first use, once.
// Facts may be used by several goroutines at the same time.
type Facts struct {
	Tree     *config.Tree
	Settings Settings

	places     func() []Place
	limitReqs  func() []List[*config.LimitReq]
	limitConns func() []List[*config.LimitConn]
	trusts     func() []*Trust
	proxied    func() map[string][]socket // that take the PROXY protocol, by their addresses
	encrypted  func() map[string][]socket
	formats    sync.Map // of log formats: the names of their variables
	pages      func() pages
	forwarding func() bool
	defaults   func() map[door]*config.Server
	whole      sync.Map // of servers: whether nothing is missing in them
	zones      func() []*Zone
	allMatched func() bool
	signs      sync.Map // of levels: *FrontSign, nil for none
	locations  sync.Map // of pages: what they suffer at each location
	router     func() *route.Router
	pipe       func() *pipeline.Pipeline // from which each Probe has its own
	handovers  func() []Handover
	assigns    func() map[string][]Assignment
	keys       struct {
		sync.Mutex
		byText map[string]Key
		flows  map[string]*Flow
		blocks map[string]*Block // by the variable that they define

		written map[string]*config.VariableBlock // by the variable, with its "$"
	}
}

// NewFacts prepares the facts of one configuration; it computes none yet.
func NewFacts(tree *config.Tree, settings Settings) *Facts {
	f := &Facts{Tree: tree, Settings: settings}
	f.proxied = sync.OnceValue(func() map[string][]socket {
		return f.socketsThat(func(l *config.Listen) bool { return l.ProxyProtocol })
	})
	f.encrypted = sync.OnceValue(func() map[string][]socket { return f.socketsThat(func(l *config.Listen) bool { return l.SSL }) })
	f.pages = sync.OnceValue(f.newPages)
	f.defaults = sync.OnceValue(f.findDefaults)
	f.forwarding = sync.OnceValue(f.findForwarding)
	f.allMatched = sync.OnceValue(f.findAllMatched)
	f.router = sync.OnceValue(f.newRouter)
	f.keys.byText = make(map[string]Key)
	f.keys.flows = make(map[string]*Flow)
	f.assigns = sync.OnceValue(f.findAssignments)
	f.places = sync.OnceValue(f.findPlaces)
	f.Forget()
	return f
}

// Forget lets go of what is large and asked for by rules alone; asked for again, it is computed again. No rule may be running.
func (f *Facts) Forget() {
	f.pipe = sync.OnceValue(f.newPipe)
	f.trusts = sync.OnceValue(f.findTrusts)
	f.zones = sync.OnceValue(f.findZones)
	f.handovers = sync.OnceValue(f.findHandovers)
	f.limitReqs = sync.OnceValue(func() []List[*config.LimitReq] {
		return findLists(f.Places(), func(s *config.Settings) *config.Setting[[]*config.LimitReq] { return s.LimitReqs },
			func(l *config.LimitReq) *syntax.Directive { return l.Directive })
	})
	f.limitConns = sync.OnceValue(func() []List[*config.LimitConn] {
		return findLists(f.Places(), func(s *config.Settings) *config.Setting[[]*config.LimitConn] { return s.LimitConns },
			func(l *config.LimitConn) *syntax.Directive { return l.Directive })
	})
}

// completeIn asks the tree once for each server.
func (f *Facts) completeIn(s *config.Server) bool {
	if f.Tree.Complete() {
		return true
	}
	if known, ok := f.whole.Load(s); ok {
		return known.(bool) //nolint:errcheck // nothing else is stored
	}
	is := f.Tree.CompleteIn(s)
	f.whole.Store(s, is)
	return is
}

// AnyUnderscores says whether some server may take headers with an underscore in their names, which nginx drops by
// default.
func (f *Facts) AnyUnderscores() bool {
	takes := func(l *config.Level) bool {
		underscores, _ := l.Find("underscores_in_headers")
		invalid, _ := l.Find("ignore_invalid_headers")
		return underscores.Directive != nil && strings.EqualFold(underscores.Arg(0), "on") ||
			invalid.Directive != nil && strings.EqualFold(invalid.Arg(0), "off")
	}
	return takes(&f.Tree.HTTP.Level) || slices.ContainsFunc(f.Tree.HTTP.Servers, func(s *config.Server) bool { return takes(&s.Level) })
}

// Places returns every level at which a request can end up: each server (where no location takes the request), each
// location and each if block of a location, in the order of the configuration.
func (f *Facts) Places() []Place { return f.places() }

// A Place is a level at which a request can end up, and so one where limits apply.
type Place struct {
	*config.Level
	Server   *config.Server
	Location *config.Location // nil at a server

	// What many rules ask of each of a hundred thousand places is kept here.
	known, judges, catchesAll, passes bool
	use                               Use
}

// countPlaces says how many places there are.
func countPlaces(tree *config.Tree) int {
	n := len(tree.HTTP.Servers)
	for _, s := range tree.HTTP.Servers {
		for l := range s.AllLocations {
			n += 1 + len(l.Ifs)
		}
	}
	return n
}

// findPlaces walks without recursion, because nesting is in the hands of whoever wrote the input.
func (f *Facts) findPlaces() []Place {
	if f.Tree == nil || f.Tree.HTTP == nil {
		return nil
	}
	places := make([]Place, 0, countPlaces(f.Tree))
	uses := make(map[string]Use)
	add := func(p Place) {
		p.judges, p.catchesAll, p.use = p.Judges(), p.CatchesAll(), f.useAmong(uses, p)
		_, p.passes = p.Upstream()
		p.known = true
		places = append(places, p)
	}
	var stack []*config.Location
	push := func(ls []*config.Location) {
		for i := len(ls) - 1; i >= 0; i-- {
			stack = append(stack, ls[i])
		}
	}
	for _, s := range f.Tree.HTTP.Servers {
		add(Place{Level: &s.Level, Server: s})
		push(s.Locations)
		for len(stack) > 0 {
			l := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			add(Place{Level: &l.Level, Server: s, Location: l})
			for _, branch := range l.Ifs {
				add(Place{Level: branch, Server: s, Location: l})
			}
			push(l.Locations)
		}
	}
	return places
}

package rule

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/analyzer/route"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
	"github.com/ngxlimit/ngxlimit/model/simulate"
)

// MaxAsked bounds the requests that one Probe follows where nothing else is said. Who asks beyond it gets no answer, and says nothing then: a
// configuration of a hundred thousand locations would otherwise take minutes.
const MaxAsked = 20_000

// A Probe tells what becomes of made-up requests of an ordinary visitor, by the same phases as every other command. Nobody
// waits and nothing is refused: each request comes long after the one before. It is for one goroutine.
type Probe struct {
	pipe   *pipeline.Pipeline
	router *route.Router
	vars   value.Request
	now    clock.Msec
	asked  int
	most   int            // requests that are followed
	last   *config.Server // whose way in is known
	way    request.Request
	first  request.Request // that First asks with
}

// between is the time between two requests of a probe: at the slowest rate there is, 1r/m, a bucket is empty by then.
const between = 600_000

// Probe returns a probe of the configuration, whose files are not looked up: see Absent.
func (f *Facts) Probe() *Probe {
	return &Probe{pipe: f.pipe().Fresh(), router: f.router(), most: MaxAsked}
}

// Absent makes the probe take every file to be missing, so that fallbacks are followed.
func (b *Probe) Absent() *Probe {
	b.pipe.Files = func(string) pipeline.FileKind { return pipeline.FileAbsent }
	return b
}

// through makes the probe use what a pipeline has compiled.
func (b *Probe) through(p *pipeline.Pipeline) {
	files := b.pipe.Files
	b.pipe = p.Fresh()
	b.pipe.Files = files
}

// AtMost makes the probe follow another number of requests than MaxAsked.
func (b *Probe) AtMost(n int) *Probe {
	b.most = n
	return b
}

// Exhausted says that the probe was asked for more than it follows.
func (b *Probe) Exhausted() bool { return b.asked > b.most }

func (f *Facts) newPipe() *pipeline.Pipeline {
	p := pipeline.New(f.Tree, f.router())
	p.Authorized = true
	return p
}

func (f *Facts) newRouter() *route.Router { return route.New(f.Tree) }

// Get is Ask for a GET without anything of its own.
func (b *Probe) Get(s *config.Server, target string) (pipeline.Trace, bool) {
	return b.Ask(s, "GET", target)
}

// Ask follows a request to a server. It is not ok where another server would take it, where
// its way cannot be told, and beyond MaxAsked.
func (b *Probe) Ask(s *config.Server, method, target string, headers ...request.Header) (t pipeline.Trace, ok bool) {
	if b.asked++; b.asked > b.most || !strings.HasPrefix(target, "/") {
		return pipeline.Trace{}, false
	}
	b.now += between
	req := b.Request(s, target)
	req.Method = method
	if len(headers) > 0 {
		req.Headers = append(slices.Clip(headers), req.Headers...)
	}
	if !req.Server.IsValid() { // a unix socket, at which only what connects to it knows the name
		flight := b.pipe.Plan(&req, s).Start(b.now)
		for !flight.Done() {
			flight.Resume(b.now)
		}
		flight.Finish()
		t = flight.Trace()
		return t, t.EndsIn != pipeline.EndUnknown
	}
	t = b.pipe.Do(b.now, &req)
	return t, t.Server == s && t.EndsIn != pipeline.EndUnknown
}

// Request is what an ordinary visitor sends to a server for a target.
func (b *Probe) Request(s *config.Server, target string) request.Request {
	b.to(s)
	req := b.way
	req.Method, req.Target = "GET", target
	req.Headers = plainHeaders
	return req
}

// plainHeaders are what a visitor sends with every request. They are shared: appending to them copies them.
var plainHeaders = slices.Clip([]request.Header{{Name: "User-Agent", Value: browser}})

// Send follows a request as it is, to whichever server takes it.
func (b *Probe) Send(req *request.Request) (t pipeline.Trace, ok bool) {
	if b.asked++; b.asked > b.most {
		return pipeline.Trace{}, false
	}
	b.now += between
	t = b.pipe.Do(b.now, req)
	return t, t.Server != nil && t.EndsIn != pipeline.EndUnknown
}

// Visitor is the address of the visitor that a probe stands for.
func (b *Probe) Visitor() netip.AddrPort { return visitors[0] }

// First returns the location that takes a target first, before anything is rewritten; nil for the server itself. It is not ok
// where that cannot be told.
func (b *Probe) First(s *config.Server, target string) (l *config.Location, ok bool) {
	b.to(s)
	b.first = b.way
	b.first.Target = target
	b.router.Begin(&b.vars, &b.first)
	site := b.router.Site(s)
	if site == nil {
		return nil, false
	}
	m := site.Location(&b.vars, false)
	return b.router.Numbered(m.Number), m.Undecided == nil
}

// to makes the server at hand the one that is asked.
func (b *Probe) to(s *config.Server) {
	if b.last == s {
		return
	}
	b.last = s
	b.way = request.Request{Peer: visitors[0].Addr(), PeerPort: visitors[0].Port()}
	b.way.Scheme, b.way.Host, b.way.Server = simulate.Reach(s)
}

// URL is the address that leads to a target at a server.
func (b *Probe) URL(s *config.Server, target string) string {
	scheme, host, at := simulate.Reach(s)
	return scheme + "://" + host + portOf(scheme, at) + target
}

// portOf is the port as a URL shows it; "" for the usual one, and where there is none.
func portOf(scheme string, at netip.AddrPort) string {
	switch port := at.Port(); {
	case port == 0, scheme == "http" && port == 80, scheme == "https" && port == 443:
		return ""
	default:
		return ":" + strconv.Itoa(int(port))
	}
}

// Answers says whether an upstream or a file answered a request that no limit_req has judged.
func Answers(t *pipeline.Trace) bool {
	return !t.LimiterRan && t.EndsIn == pipeline.EndContent && t.If == nil
}

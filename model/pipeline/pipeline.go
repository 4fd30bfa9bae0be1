package pipeline

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
	"github.com/ngxlimit/ngxlimit/model/limitconn"
	"github.com/ngxlimit/ngxlimit/model/limitreq"
)

// A Pipeline is one running nginx: a configuration, and the states of its zones. Time comes with each request. It is for
// one goroutine; Fresh gives another one of the same configuration. The exported fields are set before the first request.
type Pipeline struct {
	Explain    bool  // record Trace.Path
	NoLimits   bool  // as if limit_req and limit_conn were not there
	Authorized bool  // clients send what auth_basic asks for, whatever their headers
	Open       bool  // limits count, but neither hold back nor refuse; see Need
	Files      Files // the server's disk; nil where it cannot be looked at
	Resolved   bool  // requests come from the address that realip would leave them: it is not asked
	Hint       *Hint // of the request that is sent next; nil where nothing is known of any

	// Watch is told of each request that limit_req charges a key for, with the new excess in thousandths of a request, and
	// of each that a zone refuses, with charged false. nil: nobody wants to know.
	Watch func(z *config.Zone, key string, now clock.Msec, excess int64, charged bool)

	g     *program
	zones []*limitreq.Zone
	conns []*limitconn.Zone
	vars  value.Request // of the request at hand; one at a time is followed

	under run            // the request that is followed
	live  bool           // Do follows it: limiters are asked as it comes to them. What follows is of Do alone, to be used again
	once  Plan           // made for one use
	going Flight         // of it
	asked [finished]node // at most one of each kind
	hold  limitconn.Hold
	end   ending
	keys  []value.Value

	log         []limitreq.Lookup // of the last question
	scratch     []limitreq.Limit
	connScratch []limitconn.Limit
	uses        []usage
	connUses    []connUsage
	needs       needs // with Open
	assumed     []string
	hasAssumed  map[string]bool
	settled     map[Way]bool // see WayOf
}

// New returns a pipeline with empty zones.
func New(tree *config.Tree, router *route.Router) *Pipeline {
	return &Pipeline{g: newProgram(tree, router)}
}

// Fresh returns a pipeline of the same configuration and options with empty zones. It shares what was compiled, and may
// run in another goroutine.
func (p *Pipeline) Fresh() *Pipeline {
	return &Pipeline{Explain: p.Explain, NoLimits: p.NoLimits, Authorized: p.Authorized, Open: p.Open, Files: p.Files, g: p.g}
}

// Anew is Fresh, but what was compiled is compiled again: whoever goes through all of a large configuration lets go of what
// lies behind by it.
func (p *Pipeline) Anew() *Pipeline {
	n := p.Fresh()
	n.g = p.g.again()
	return n
}

// Do takes one request through the phases at time now, to its end: a delay by limit_req is waited for, and what it held
// in limit_conn is given back at once. Requests that overlap are for Plan and Flight.
func (p *Pipeline) Do(now clock.Msec, req *request.Request) Trace {
	var t Trace
	p.DoInto(&t, now, req)
	return t
}

// DoInto is Do into a Trace that may have been used before: its lists' memory is used again.
func (p *Pipeline) DoInto(t *Trace, now clock.Msec, req *request.Request) {
	p.live, p.keys = true, p.keys[:0]
	p.once = Plan{p: p}
	p.once.req, _ = p.g.received(req)
	p.end.turns, p.end.assumptions = t.turns, t.Assumptions
	p.going = newFlight(&p.once, nil)
	p.going.now = now
	_, end := p.run(&p.once, nil)
	p.going.Finish()
	p.going.tell(t, end)
	p.live, p.end.turns, p.end.assumptions = false, nil, nil // they are the Trace's
}

// node returns a new node, or in Do, which keeps none, one that was used before.
func (p *Pipeline) node(kind nodeKind, c *conf) *node {
	if !p.live {
		return &node{kind: kind, conf: c}
	}
	n := &p.asked[kind]
	n.kind, n.conf = kind, c
	n.ask, n.asked, n.askConns, n.askedConns = n.ask[:0], n.asked[:0], n.askConns[:0], n.askedConns[:0]
	return n
}

// values returns room for keys, in Do such that was used before.
func (p *Pipeline) values(n int) []value.Value {
	if !p.live {
		return make([]value.Value, n)
	}
	from := len(p.keys)
	p.keys = slices.Grow(p.keys, n)[:from+n]
	return slices.Clip(p.keys[from:])
}

// Plan prepares a request that may be sent any number of times. With a server it goes to that one; with nil the server
// is chosen by the address that was connected to and the host.
func (p *Pipeline) Plan(req *request.Request, server *config.Server) *Plan {
	return p.PlanAnswered(req, server, 0)
}

// PlanAnswered is Plan where the status that upstreams will answer is known.
func (p *Pipeline) PlanAnswered(req *request.Request, server *config.Server, status int) *Plan {
	pl := &Plan{p: p, server: server, upstream: status}
	pl.req, _ = p.g.received(req)
	pl.root = pl.follow(nil)
	return pl
}

// Zone returns the state of a zone of limit_req_zone; nil where no request has come to it.
func (p *Pipeline) Zone(z *config.Zone) *limitreq.Zone {
	if id := p.g.zoneIndex(z); id >= 0 && id < len(p.zones) {
		return p.zones[id]
	}
	return nil
}

// run follows a request with the given verdicts to its end, and returns the limiters that it met.
func (p *Pipeline) run(pl *Plan, given []limitreq.Verdict) ([]*node, *ending) {
	c := course{p: p, g: p.g, req: pl.req, given: given, upstream: pl.upstream, track: pl.track}
	if p.live { // the lists of the Trace that is filled in
		c.turns, c.assumptions = p.end.turns[:0], p.end.assumptions[:0]
	}
	r := p.newRun(c)
	a := r.begin(pl.server)
	r.sendMirrored()
	if a.conf != nil && !a.conf.is(noEnd) {
		r.assumeWithin(a)
		if to := a.conf.postAction; to != "" {
			r.assume("post_action " + to + " in " + a.conf.name() + ": the request that it makes afterwards is not followed; limits in effect there may count it")
		}
	}
	retryAfter := r.retryAfter(a)
	end := &p.end
	if !p.live {
		end = new(ending)
	}
	*end = ending{
		answer: a, redirect: r.redirect, uri: r.vars.URI, client: r.client, turns: r.turns, assumptions: r.assumptions,
		reached: r.reached, retryAfter: retryAfter,
	}
	if r.site != nil {
		end.server = r.site.Server
	}
	pl.bound = pl.bound || r.bound
	p.remember(r.assumptions)
	if 300 > a.status || a.status >= 400 {
		end.redirect = ""
	}
	end.redirect = r.completed(end.redirect, a.conf)
	return r.nodes, end
}

// newRun makes a request ready for the phases. Its memory is that of the one before.
func (p *Pipeline) newRun(c course) *run {
	r := &p.under
	if r.course == nil {
		r.course = &course{}
	}
	c.vars, c.nodes = &p.vars, r.nodes[:0]
	*r.course = c
	*r = run{course: r.course, cycles: maxCycles + 1, method: c.req.Method}
	if r.method == "" {
		r.method = "GET"
	}
	return r
}

// begin is what comes before the phases: the request's variables, its server, and whether nginx takes it at all.
func (r *run) begin(server *config.Server) answer {
	req := r.req
	r.client = client{peer: netip.AddrPortFrom(req.Peer, req.PeerPort), unix: !req.Peer.IsValid()}
	r.client.addr = r.client.peer
	path, _, _ := strings.Cut(req.Target, "?")
	r.escaped = strings.IndexByte(path, '%') >= 0 || strings.IndexByte(path, '+') >= 0
	status := r.arrive(server)
	switch {
	case r.lost:
		return answer{ends: EndUnknown}
	case r.home == nil:
		return answer{ends: EndRequest, status: status}
	}
	r.conf = r.home
	if status != 0 {
		return r.finalize(status, EndRequest)
	}
	r.postRead()
	return r.serve(serverRewrite)
}

// Readable shows a key for people: an address as text, other bytes that nobody can read as \xNN.
func Readable(key string) string { return readable(key) }

// readable shows a key for people: the bytes of an address as its text, any other bytes that nobody can read as \xNN.
func readable(key string) string {
	if printable(key) {
		return key
	}
	if a, ok := netip.AddrFromSlice([]byte(key)); ok {
		return request.AddrText(a)
	}
	q := strconv.Quote(key)
	return q[1 : len(q)-1]
}

func printable(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

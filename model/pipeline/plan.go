package pipeline

import (
	"net/netip"
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/limitconn"
	"github.com/ngxlimit/ngxlimit/model/limitreq"
)

// A Plan is everything that request and configuration decide about one request. What is left open is what the limiters
// say, so a Plan is a tree that branches where a limiter is asked. Branches are followed when they are first needed,
// and then kept: the same request sent a thousand times is routed once. It is for one goroutine.
type Plan struct {
	p        *Pipeline
	req      *request.Request
	server   *config.Server // nil: by the request's address and host
	upstream int
	track    bool // find out whether it holds for other clients
	bound    bool // it does not
	root     *node
}

type nodeKind uint8

const (
	askRequests nodeKind = iota
	askConnections
	finished
)

// A node is a place where a limiter is asked, or the end.
type node struct {
	kind       nodeKind
	conf       *conf
	background bool
	ask        []limitreq.Limit
	asked      []*limit // of which each entry of ask is
	slots      [][]slot // the keys, taken apart for other clients
	askConns   []limitconn.Limit
	askedConns []*connLimit

	stand stand

	given  []limitreq.Verdict // the verdicts that lead here
	passed *node              // what follows Passed
	others map[limitreq.Verdict]*node
	end    *ending
}

// An ending is what is known when a request is done.
type ending struct {
	answer
	server      *config.Server
	redirect    string
	uri         string
	client      client
	turns       []turn
	assumptions []string
	retryAfter  int64 // see Flight.RetryAfter
	placed      *Place
	reached
}

// follow runs the request with the given verdicts, and links what lies behind them.
func (pl *Plan) follow(given []limitreq.Verdict) *node {
	nodes, end := pl.p.run(pl, given)
	next := &node{kind: finished, end: end}
	for i := len(nodes) - 1; i >= len(given); i-- {
		nodes[i].passed = next
		next = nodes[i]
	}
	verdicts := given
	for n := next; n.kind != finished; n = n.passed {
		n.given = verdicts
		if n.passed.kind != finished {
			verdicts = append(slices.Clip(verdicts), limitreq.Passed)
		}
	}
	return next
}

// Limits says whether any limiter is asked about the request.
func (pl *Plan) Limits() bool { return pl.root.kind != finished }

// after returns what follows a limiter's verdict.
func (pl *Plan) after(n *node, verdict limitreq.Verdict) *node {
	if verdict == limitreq.Passed {
		return n.passed
	}
	if next := n.others[verdict]; next != nil {
		return next
	}
	next := pl.same(n, verdict)
	if next == nil {
		next = pl.follow(append(slices.Clip(n.given), verdict))
	}
	if n.others == nil {
		n.others = map[limitreq.Verdict]*node{}
	}
	n.others[verdict] = next
	return next
}

// A Flight is one request under way: it may wait for a limiter, and it may hold places in limit_conn's zones until
// Finish.
type Flight struct {
	plan    *Plan
	at      *node
	now     clock.Msec // when it is asked about
	refused bool
	caller  *Caller // nil for the client that the plan was made for
	hold    *limitconn.Hold

	Decision limitreq.Decision // of limit_req; its Verdict is None where no limit counted the request
	Zone     *config.Zone      // that decided; nil for none
	Conn     limitconn.Decision
	ConnZone *config.ConnZone // that refused; nil for none
	Wait     clock.Msec       // how long the request waits now, before Resume; 0 where it is done
}

// Start sends a request on its way. Where its Wait is over zero, a limiter holds it: Resume it that much later.
func (pl *Plan) Start(now clock.Msec) Flight { return pl.StartFor(now, nil) }

// StartFor is Start for another client than the one that the plan was made for; see PlanShared. Such a Flight's Trace
// shows the other client. A nil caller is the plan's own client.
func (pl *Plan) StartFor(now clock.Msec, caller *Caller) Flight {
	f := newFlight(pl, caller)
	f.advance(now)
	return f
}

// StartInto is StartFor into a Flight that may have been used before.
func (pl *Plan) StartInto(f *Flight, now clock.Msec, caller *Caller) {
	f.begin(pl, caller)
	f.advance(now)
}

func newFlight(pl *Plan, caller *Caller) Flight {
	var f Flight
	f.begin(pl, caller)
	return f
}

// begin makes a Flight as new, field by field: it is done for each request, and a Flight is large.
func (f *Flight) begin(pl *Plan, caller *Caller) {
	f.plan, f.at, f.caller, f.hold, f.Zone, f.ConnZone = pl, pl.root, caller, nil, nil, nil
	f.now, f.Wait, f.refused = 0, 0, false
	f.Decision = limitreq.Decision{Verdict: limitreq.None, Zone: -1}
	f.Conn = limitconn.Decision{Verdict: limitconn.None, Zone: -1}
}

// Resume lets a request go on that has waited.
func (f *Flight) Resume(now clock.Msec) { f.advance(now) }

// Counts says whether the request holds a place in a zone of limit_conn, so that Finish matters.
func (f *Flight) Counts() bool { return f.hold != nil }

// Hold is what the request holds in zones of limit_conn; nil for nothing. Whoever keeps only that may let go of the Flight,
// and of the Plan with it, and finish the Hold by itself.
func (f *Flight) Hold() *limitconn.Hold { return f.hold }

// Finish gives back what the request holds. A second call does nothing.
func (f *Flight) Finish() {
	if f.hold != nil {
		f.hold.Finish()
		f.hold = nil
	}
}

// advance goes on to the next wait, or to the end.
func (f *Flight) advance(now clock.Msec) {
	f.Wait, f.now = 0, now
	for f.Wait == 0 && f.at.kind != finished {
		verdict := f.ask(f.at)
		if f.plan.p.undone() {
			return
		}
		f.at = f.plan.after(f.at, verdict)
	}
}

// ask asks the limiter at a node, and notes what it says. A request that it holds has a Wait.
func (f *Flight) ask(n *node) limitreq.Verdict {
	if n.kind == askConnections {
		return limitreq.Verdict(f.askConnections(n))
	}
	p := f.plan.p
	if f.passes(n) {
		return limitreq.Passed
	}
	ask := n.ask
	if f.caller != nil {
		ask = f.keysFor(n)
	}
	if p.Open {
		ask = p.open(ask)
	}
	if p.Hint != nil && p.Hint.Verdict != "" {
		f.Decision, p.log = decideNear(f.now, ask, n.conf.is(limitDry), p.Hint, p.log[:0])
	} else {
		f.Decision, p.log = limitreq.DecideLogged(f.now, ask, n.conf.is(limitDry), p.log[:0])
	}
	if p.undone() {
		return f.Decision.Verdict
	}
	p.note(f.now, n, ask, &f.Decision)
	if p.Open {
		p.need(n)
	}
	if f.Decision.Zone >= 0 {
		f.Zone = n.asked[f.Decision.Zone].zone
	}
	if !n.background {
		f.refused = f.refused || f.Decision.Verdict == limitreq.Rejected
		f.Wait = f.Decision.Wait
	}
	return f.Decision.Verdict
}

// passes settles the usual case in few steps: one limit whose key is the address of a caller that was there before, and that
// lets the request pass at once.
func (f *Flight) passes(n *node) bool {
	p := f.plan.p
	if f.caller == nil || len(n.ask) != 1 || p.Open || p.Hint != nil && p.Hint.Verdict != "" && p.Hint.Verdict != limitreq.Passed {
		return false
	}
	key := n.slots[0]
	if key == nil {
		return false
	}
	at := f.caller.place(n.asked[0].id, key)
	if at == nil {
		return false
	}
	excess, passed := n.ask[0].PassAt(*at, f.now)
	if !passed {
		return false
	}
	f.Decision = limitreq.Decision{Verdict: limitreq.Passed, Zone: -1}
	if h := p.Hint; h != nil {
		h.Shift, h.Near, h.Undone = 0, 0, false
	}
	p.noteCharge(f.now, n.asked[0], n.ask[0].Zone, f.caller.piece(key[0]), excess)
	return true
}

func (f *Flight) askConnections(n *node) limitconn.Verdict {
	p := f.plan.p
	conns := n.askConns
	if f.caller != nil {
		conns = f.connKeysFor(n)
	}
	if p.Open {
		conns = p.openConns(conns)
	}
	hold := &p.hold
	if !p.live {
		hold = &limitconn.Hold{}
	}
	f.Conn = hold.Start(conns, n.conf.is(connDry))
	p.noteConns(n, conns, &f.Conn)
	if p.Open {
		p.needConns(n, conns, f.Conn.Counts)
	}
	if f.Conn.Zone >= 0 {
		f.ConnZone = n.askedConns[f.Conn.Zone].Zone
	}
	if f.Conn.Verdict == limitconn.Passed {
		f.hold = hold
	}
	f.refused = f.refused || f.Conn.Verdict == limitconn.Rejected && !n.background
	return f.Conn.Verdict
}

// Refused says whether a limiter refused the request, whatever was answered in the end. That of a mirrored copy refuses
// nothing.
func (f *Flight) Refused() bool { return f.refused }

// Done says whether the request has been answered or handed on.
func (f *Flight) Done() bool { return f.at.kind == finished }

// Lost says that the request could not be followed to its end, and that limits may have judged it which it was not seen to
// come to; see Trace.Assumptions for why.
func (f *Flight) Lost() bool { return f.at.end.ends == EndUnknown }

// Trace tells the whole story of a request that is done.
func (f *Flight) Trace() Trace {
	var t Trace
	f.tell(&t, f.at.end)
	return t
}

// tell fills in a Trace.
func (f *Flight) tell(t *Trace, e *ending) {
	*t = Trace{
		Limits: t.Limits[:0], Conns: t.Conns[:0],
		Server: e.server, EndsIn: e.ends, Status: e.status, Redirect: e.redirect, URI: e.uri, turns: e.turns, Assumptions: e.assumptions,
		Decision: f.Decision, Zone: f.Zone, LimiterRan: e.reqRan,
		ConnVerdict: f.Conn.Verdict, ConnZone: f.ConnZone,
		Client: Client{Addr: e.client.addr.Addr(), Peer: e.client.peer.Addr(), Trusted: e.client.trusted},
	}
	if e.client.asked != nil {
		t.Client.Realip = &e.client.asked.Config
	}
	if e.conf != nil {
		t.Location, t.If = e.conf.loc, e.conf.ifs()
	}
	if e.ends != EndUnknown || e.reqAt != nil {
		e.limitsOf(t)
	}
	if e.ends != EndUnknown || e.connAt != nil {
		e.connsOf(t)
	}
}

// limitsOf fills in limit_req: where it was reached, else what stands where the request ended.
func (e *ending) limitsOf(t *Trace) {
	c := e.reqAt
	if c == nil {
		c = e.conf
	}
	if c == nil {
		return
	}
	t.LimitedIn, t.LimitedLevel, t.RejectStatus, t.DryRun = c.loc, c.level(), int(c.limitCode), c.is(limitDry)
	limits := c.limits()
	t.Limits = slices.Grow(t.Limits, len(limits))
	for i := range limits {
		l := &limits[i]
		limit := Limit{LimitReq: l.LimitReq, Key: value.Unknown("the limiter did not run")}
		if e.reqAt != nil {
			limit.Key = e.reqKeys[i]
			key, known := limit.Key.Known()
			limit.Counted = e.reqRan && l.zone != nil && (!known || key != "" && len(key) <= limitreq.MaxKey)
		}
		t.Limits = append(t.Limits, limit)
	}
}

func (e *ending) connsOf(t *Trace) {
	c := e.connAt
	if c == nil {
		c = e.conf
	}
	if c == nil {
		return
	}
	t.ConnLevel, t.ConnRejectStatus, t.ConnDryRun = c.level(), int(c.connCode), c.is(connDry)
	if c.is(noConns) {
		return
	}
	for i := range c.conns {
		l := &c.conns[i]
		limit := ConnLimit{LimitConn: l.LimitConn, Key: value.Unknown("the limiter did not run")}
		if e.connAt != nil {
			limit.Key = e.connKeys[i]
			key, known := limit.Key.Known()
			limit.Counted = e.connRan && l.Zone != nil && (!known || key != "" && len(key) <= limitconn.MaxKey)
		}
		t.Conns = append(t.Conns, limit)
	}
}

// Client is the address that the limiters saw, $remote_addr; invalid for a unix socket.
func (f *Flight) Client() netip.Addr { return f.at.end.client.addr.Addr() }

// Status is what nginx itself answers to a request that is done; 0 where something else decides it.
func (f *Flight) Status() int { return f.at.end.status }

// Assumptions lists what was taken for things that cannot be known, if every limiter lets the request pass.
func (pl *Plan) Assumptions() []string {
	n := pl.root
	for n.kind != finished {
		n = n.passed
	}
	return n.end.assumptions
}

package replay

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/model/accesslog"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/edge"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
)

// A front is the edge in front of all nginx hosts of a replay: their requests wait in one queue, so that it sees them in
// the order in which they came.
type front struct {
	r       *replay
	gate    edge.Gate
	answers bool // it looks at answers
	sight   *edge.Sight
	lacking []string // variables that the rules look at and the logs lack
	queue   *queue
	spread  *spread
	own     []*entry  // of a millisecond, of one nginx
	engines []*engine // that have sent something, where requests hold places

	asked, stopped int64
	nobody         int64 // requests of visitors who are not known
	direct         int64 // that came from elsewhere than the edge, as the log shows
	edge, nginx    *First
}

func newFront(r *replay) *front {
	f := &front{r: r, gate: edge.Gate{Layer: r.o.Edge.Layer}, answers: r.o.Edge.Layer.Reads().Answers, queue: newQueue(), spread: newSpread()}
	f.sight, f.lacking = r.o.Edge.sightOf(r.sources)
	return f
}

// decideAll asks the edge about the requests of one millisecond, and hands on what it lets through.
func (f *front) decideAll(all []*entry) {
	for _, e := range f.engines {
		for len(e.held) > 0 && e.held[0].due <= clock.Msec(all[0].at) {
			e.release(e.held[0].due)
		}
	}
	passed := all[:0]
	for _, n := range all {
		if f.passes(n) {
			passed = append(passed, n)
		}
	}
	for len(passed) > 0 {
		e := passed[0].class.of
		f.own = f.own[:0]
		rest := passed[:0]
		for _, n := range passed {
			if n.class.of == e {
				f.own = append(f.own, n)
			} else {
				rest = append(rest, n)
			}
		}
		e.decideAll(f.own)
		passed = rest
	}
}

// passes judges one request.
func (f *front) passes(n *entry) bool {
	if f.r.needs.conns && !slices.Contains(f.engines, n.class.of) {
		f.engines = append(f.engines, n.class.of)
	}
	if n.class.kind == malformed || beforeLimiter(n) {
		return true // nobody knows what it was
	}
	req := f.request(n)
	f.asked++
	if !req.Client.IsValid() {
		f.nobody++
	}
	if n.who.direct {
		f.direct++
	}
	d := f.gate.Arrive(clock.Msec(n.at), &req)
	if !d.Action.Stops() {
		return true
	}
	f.stopped++
	e := n.class.of
	place := e.stopped(n)
	if f.edge == nil {
		f.edge = f.firstOf(n, place)
		f.edge.Rule, f.edge.Action = d.Rule, string(d.Action)
	}
	return false
}

// request makes the request that came to the edge.
func (f *front) request(n *entry) edge.Request {
	c := n.class
	if c.edge == nil {
		req := c.request()
		made := edge.Of(netip.Addr{}, &req)
		made.Sight = f.sight
		made.URI() // so that copies need not take the target apart again
		c.edge = &made
	}
	req := *c.edge
	req.Client = n.who.outer
	return req
}

// answered tells the edge what came of a request that it let through. The log tells it where nginx did the same then.
func (f *front) answered(n *entry, fl *pipeline.Flight, o outcome) {
	if o != passed && (f.nginx == nil || n.at < f.nginx.AtMs) {
		f.nginx = f.firstOf(n, fl.Place())
		f.nginx.Action = map[outcome]string{delayed: "delay", rejected: "refuse"}[o]
		if fl.Zone != nil {
			f.nginx.Rule = fl.Zone.Name
		}
	}
	if !f.answers {
		return
	}
	a := &edge.Answer{At: clock.Msec(n.at + int64(fl.Decision.Wait) + n.serviceMs()), Request: f.request(n)}
	switch {
	case fl.Refused():
		a.Response.Status = fl.Status()
	case n.limit != accesslog.Rejected && n.conn != accesslog.Rejected:
		a.Response.Status, a.Response.Headers = int(n.status), n.class.answer
	}
	f.gate.Answered(a)
}

func (f *front) firstOf(n *entry, p pipeline.Place) *First {
	return &First{AtMs: n.at, Server: p.ServerName(), Location: p.Label(), File: f.r.sources[n.source].Name, Line: n.line + 1}
}

// stopped counts a request that the edge answered, and returns the place that it would have come to.
func (e *engine) stopped(n *entry) pipeline.Place {
	e.meet(n)
	plan := n.class.plan
	if plan == nil {
		plan = e.bound(n.class, n.who)
	}
	e.tally.Block(plan.Place())
	return plan.Place()
}

// visitorOf is who sent a request through the edge, as far as its line tells: by the edge's own header, else the address
// that nginx logged where that is not the edge's, else by the header in which proxies hand addresses on. direct says that
// the request did not come from the edge.
func (f *front) visitorOf(w *who, own, forwarded string) (a netip.Addr, direct bool) {
	if a, err := netip.ParseAddr(own); err == nil {
		return a.Unmap().WithZone(""), false
	}
	through := func(a netip.Addr) bool {
		a = a.Unmap()
		set := f.r.o.Edge.Networks
		return a.IsLoopback() || a.IsPrivate() || a.IsLinkLocalUnicast() || set != nil && set.Contains(a)
	}
	if w.strange || !through(w.client) {
		return w.client.Unmap(), !w.strange && f.r.o.Edge.Networks != nil && w.peer == w.client
	}
	for forwarded != "" {
		last := strings.LastIndexByte(forwarded, ',')
		if a, err := netip.ParseAddr(strings.TrimSpace(forwarded[last+1:])); err == nil && !through(a) {
			return a.Unmap().WithZone(""), false
		}
		forwarded = forwarded[:max(last, 0)]
	}
	if set := f.r.o.Edge.Networks; set == nil || !set.Contains(w.client.Unmap()) {
		return w.client.Unmap(), false // somebody of the house
	}
	return netip.Addr{}, false
}

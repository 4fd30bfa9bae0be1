package simulate

import (
	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/route"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/edge"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
)

// A front is the edge network that stands before nginx. Its clock starts with the simulation.
type front struct{ edge.Gate }

// newFront puts a layer in front; what it says of answers goes into the rows of the run.
func newFront(layer edge.Layer, rows *[]Row) *front {
	f := &front{edge.Gate{Layer: layer}}
	f.Told = func(row int32, d edge.Decision) {
		if row >= 0 {
			(*rows)[row].Edge = edgeOf(d)
		}
	}
	return f
}

// arrive judges a request that comes at a time.
func (f *front) arrive(now clock.Msec, req *edge.Request) edge.Decision {
	return f.Arrive(now-epoch, req)
}

// settle tells the layer of the answers that are there at a time.
func (f *front) settle(now clock.Msec) { f.Settle(now - epoch) }

// answered remembers what came of a request that was let through, and when.
func (f *front) answered(at clock.Msec, a *edge.Answer) {
	a.At = at - epoch
	f.Answered(a)
}

// edgeOf is a decision as a row shows it; nil where no rule had to do with the request.
func edgeOf(d edge.Decision) *Edge {
	if d.Rule == "" {
		return nil
	}
	return &Edge{Rule: d.Rule, Action: string(d.Action), Kind: d.Kind, Counter: d.Counter}
}

// report puts what the edge did into a result.
func (f *front) report(r *Result) {
	if f == nil {
		return
	}
	f.Settle(1<<62 - 1)
	rep := f.Layer.Report()
	r.Edge = &EdgeStat{Front: rep.Front, Window: rep.Window, Rules: rep.Rules}
	if rep.Other != "" {
		r.Edge.Other = &EdgeOther{rep.Other, rep.More, rep.Fewer}
	}
	for i := range rep.Rules {
		r.Edge.Stopped += rep.Rules[i].Blocked + rep.Rules[i].Challenged
	}
	r.Assumptions = append(r.Assumptions, rep.Said...)
	if rep.Window != "" {
		r.Assumptions = append(r.Assumptions, "the first request comes at the start of a window of the edge")
	}
}

// pass asks the edge about a request that arrives, and answers it where the edge does. It returns what the edge says of
// a request that it lets through, and nil for another.
func (s *simulation) pass(l *load, r, row int32, at int64) *edge.Decision {
	req := edge.Of(s.target.clients.address(l.address), s.sent(l, r))
	d := s.front.arrive(toClock(at), &req)
	if row >= 0 {
		s.rows[row].Edge = edgeOf(d)
	}
	if !d.Action.Stops() {
		return &d
	}
	if row >= 0 {
		s.rows[row].block(d.Status)
	}
	plan := s.plan(l, r)
	l.crowd.stats.block(plan)
	if l.crowd.stats != s.stats {
		s.stats.block(plan)
	}
	s.depart(l, r, at, &answer{refused: true, status: d.Status, retryAfter: d.RetryAfterMs})
	return nil
}

// An answer is what a client learns of its request.
type answer struct {
	refused    bool // by a limiter or the edge
	status     int  // 0 where it is not known
	retryAfter int64
	flight     *pipeline.Flight // nil where the edge answered
}

// withoutEdge says what nginx alone would do with the same clients.
func withoutEdge(tree *config.Tree, router *route.Router, o Options, r *Result) error {
	if o.Edge == nil {
		return nil
	}
	o.Edge, o.KeepRequests, o.Detail, o.Progress = nil, false, false, nil
	alone, err := Run(tree, router, o)
	if err != nil {
		return err
	}
	f := alone.Figures()
	r.Edge.Without = &EdgeWithout{f.Requests, f.Delayed, f.Rejected, f.Pages, f.BrokenPages}
	return nil
}

package simulate

import (
	"container/heap"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/route"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/edge"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
)

// A front is the edge network that stands before nginx. Its clock starts with the simulation, and it learns of answers
// when they are there, not when the simulation knows of them.
type front struct {
	layer   edge.Layer
	answers answers // that are not there yet
	rows    *[]Row  // of the run
	number  int     // of answers so far
}

// A reply is an answer on its way back to the edge.
type reply struct {
	at     clock.Msec
	number int // in the order in which they became known, so that those of one time keep it
	row    int32
	req    edge.Request
	resp   edge.Response
	was    edge.Decision
}

type answers []reply

func (a answers) Len() int { return len(a) }
func (a answers) Less(i, j int) bool {
	return a[i].at < a[j].at || a[i].at == a[j].at && a[i].number < a[j].number
}
func (a answers) Swap(i, j int) { a[i], a[j] = a[j], a[i] }
func (a *answers) Push(x any)   { *a = append(*a, x.(reply)) } //nolint:errcheck // only outcomes are pushed
func (a *answers) Pop() any {
	last := len(*a) - 1
	x := (*a)[last]
	*a = (*a)[:last]
	return x
}

// arrive judges a request that comes at a time, when all answers until then are there.
func (f *front) arrive(now clock.Msec, req *edge.Request) edge.Decision {
	f.settle(now)
	return f.layer.Decide(now-epoch, req)
}

// settle tells the layer of the answers that are there at a time.
func (f *front) settle(now clock.Msec) {
	for len(f.answers) > 0 && f.answers[0].at <= now {
		o := heap.Pop(&f.answers).(reply) //nolint:errcheck // only outcomes are pushed
		d := f.layer.Observe(o.at-epoch, &o.req, &o.resp, o.was)
		if o.row >= 0 {
			(*f.rows)[o.row].Edge = edgeOf(d)
		}
	}
}

// answered remembers what came of a request that was let through.
func (f *front) answered(o reply) {
	f.number++
	o.number = f.number
	heap.Push(&f.answers, o)
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
	f.settle(1<<62 - 1)
	rep := f.layer.Report()
	r.Edge = &EdgeStat{Front: rep.Front, Window: rep.Window, Rules: rep.Rules}
	if rep.Other != "" {
		r.Edge.Other = &EdgeOther{rep.Other, rep.More, rep.Fewer}
	}
	for i := range rep.Rules {
		r.Edge.Stopped += rep.Rules[i].Blocked + rep.Rules[i].Challenged
	}
	r.Assumptions = append(r.Assumptions, rep.Said...)
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

package simulate

import (
	"fmt"
	"iter"
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/route"
	"github.com/ngxlimit/ngxlimit/model/chain"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/edge"
	"github.com/ngxlimit/ngxlimit/model/limitconn"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
	"github.com/ngxlimit/ngxlimit/model/traffic"
)

// Requests decides a stream of requests in the order given, each at its own time, with empty zones at time 0. A request
// that limit_req delays goes on when its time has come, in front of the requests of a later time. As the stream does not
// say how long a request takes, each holds its place in limit_conn to the end of its millisecond.
func Requests(tree *config.Tree, router *route.Router, stream iter.Seq2[traffic.Event, error]) (*Result, error) {
	return RequestsThrough(tree, router, stream, nil, nil)
}

// RequestsThrough is Requests of clients who come through an edge network. A request whose client is the one that
// connects comes to nginx by one of the ways, in turn; of another the stream says how it comes to nginx.
func RequestsThrough(tree *config.Tree, router *route.Router, stream iter.Seq2[traffic.Event, error], layer edge.Layer, ways []chain.Way) (*Result, error) {
	if tree.HTTP == nil || len(tree.HTTP.Servers) == 0 {
		return nil, fmt.Errorf("simulate: the configuration has no server")
	}
	q := &requests{pipe: pipeline.New(tree, router), stats: newStats(), rows: []Row{}, ways: ways}
	if layer != nil {
		q.front = newFront(layer, &q.rows)
	}
	for e, err := range stream {
		if err != nil {
			return nil, fmt.Errorf("read requests: %w", err)
		}
		q.take(&e)
	}
	for len(q.waiting) > 0 {
		q.resume(q.waiting[0].due)
	}
	r := &Result{
		Locations: q.stats.locations(), Zones: zones(q.pipe, q.stats), ConnZones: connZones(q.pipe), Crowds: []CrowdStat{},
		Waterfalls: []Waterfall{}, Tests: []Test{}, Requests: q.rows, Assumptions: []string{},
	}
	if q.counted {
		r.Assumptions = append(r.Assumptions, "limit_conn: each request is taken to last to the end of its millisecond")
	}
	r.Assumptions = append(r.Assumptions, q.pipe.Assumptions()...)
	q.front.report(r)
	return r, nil
}

// requests are a stream under way.
type requests struct {
	pipe    *pipeline.Pipeline
	stats   *stats
	rows    []Row
	waiting []waiting // in limit_req, by due
	holding []*pipeline.Flight
	now     clock.Msec
	counted bool // limit_conn was asked

	front *front // nil: there is no edge
	ways  []chain.Way
}

// waiting is a request that limit_req holds.
type waiting struct {
	due    clock.Msec
	came   clock.Msec
	row    int
	flight *pipeline.Flight
	edge   *edge.Answer // what the edge is to learn; nil where there is none
}

// take decides one request at its time.
func (q *requests) take(e *traffic.Event) {
	at := epoch + e.At
	for len(q.waiting) > 0 && q.waiting[0].due <= at {
		q.resume(q.waiting[0].due)
	}
	q.moveTo(at)
	status := 0
	if e.Response != nil {
		status = e.Response.Status
	}
	q.rows = append(q.rows, Row{TMs: int64(e.At), ClientIP: addressText(e.Client), URL: e.URL})
	var o *edge.Answer
	if q.front != nil {
		if o = q.pass(e, at); o == nil {
			return
		}
	}
	f := q.pipe.PlanAnswered(&e.Request, nil, status).Start(at)
	q.settle(waiting{came: at, row: len(q.rows) - 1, flight: &f, edge: o}, at)
}

// resume lets everything go on whose time has come.
func (q *requests) resume(at clock.Msec) {
	q.moveTo(at)
	w := q.waiting[0]
	q.waiting = slices.Delete(q.waiting, 0, 1)
	w.flight.Resume(at)
	q.settle(w, at)
}

// moveTo ends the requests of an earlier millisecond.
func (q *requests) moveTo(at clock.Msec) {
	if at == q.now {
		return
	}
	for _, f := range q.holding {
		f.Finish()
	}
	q.holding, q.now = q.holding[:0], at
}

// settle lets a request wait, or counts it.
func (q *requests) settle(w waiting, at clock.Msec) {
	f := w.flight
	if f.Wait > 0 {
		w.due = at + f.Wait
		n, _ := slices.BinarySearchFunc(q.waiting, w.due+1, func(other waiting, due clock.Msec) int { return int(other.due - due) })
		q.waiting = slices.Insert(q.waiting, n, w)
		return
	}
	if f.Counts() {
		q.holding = append(q.holding, f)
	}
	q.counted = q.counted || f.Conn.Verdict != limitconn.None
	q.rows[w.row].decide(f)
	q.stats.count(f, 0, int64(at-w.came)*1000)
	if w.edge != nil {
		if w.edge.Response.Status = f.Status(); f.Refused() {
			w.edge.Response.Headers = nil // it is nginx's own answer
		}
		q.front.answered(at, w.edge)
		q.front.settle(at)
	}
}

// pass asks the edge about a request, and sends what it lets through on its way. It returns what the edge is to learn of
// the answer; nil for a request that does not come to nginx.
func (q *requests) pass(e *traffic.Event, at clock.Msec) *edge.Answer {
	n := len(q.rows) - 1
	o := &edge.Answer{Tag: int32(n), Request: edge.Of(e.Client, &e.Request)}
	o.Request.Colo, o.Request.Cached, o.Request.ChallengePassed = e.Colo, e.Cached, e.ChallengePassed
	if e.Response != nil {
		o.Response = edge.Response{Status: e.Response.Status, Headers: e.Response.Headers, Known: true}
	}
	d := q.front.arrive(at, &o.Request)
	row := &q.rows[n]
	row.Edge = edgeOf(d)
	switch o.Was = d; {
	case d.Action.Stops():
		row.block(d.Status)
	case e.Cached && !d.PastCache:
		row.block(o.Response.Status)
		q.front.answered(at, o)
		q.front.settle(at)
		return nil
	default:
		if len(q.ways) > 0 && e.Request.Peer == e.Client {
			q.ways[n%len(q.ways)].Through(&e.Request)
		}
		return o
	}
	q.stats.block(q.pipe.Plan(&e.Request, nil))
	return nil
}

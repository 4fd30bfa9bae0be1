package simulate

import (
	"fmt"
	"iter"
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/route"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/limitconn"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
	"github.com/ngxlimit/ngxlimit/model/traffic"
)

// Requests decides a stream of requests in the order given, each at its own time, with empty zones at time 0. A request
// that limit_req delays goes on when its time has come, in front of the requests of a later time. As the stream does not
// say how long a request takes, each holds its place in limit_conn to the end of its millisecond.
func Requests(tree *config.Tree, router *route.Router, stream iter.Seq2[traffic.Event, error]) (*Result, error) {
	if tree.HTTP == nil || len(tree.HTTP.Servers) == 0 {
		return nil, fmt.Errorf("simulate: the configuration has no server")
	}
	q := &requests{pipe: pipeline.New(tree, router), stats: newStats(), rows: []Row{}}
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
}

// waiting is a request that limit_req holds.
type waiting struct {
	due    clock.Msec
	came   clock.Msec
	row    int
	flight *pipeline.Flight
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
	f := q.pipe.PlanAnswered(&e.Request, nil, status).Start(at)
	q.rows = append(q.rows, Row{TMs: int64(e.At), ClientIP: addressText(e.Client), URL: e.URL})
	q.settle(waiting{came: at, row: len(q.rows) - 1, flight: &f}, at)
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
}

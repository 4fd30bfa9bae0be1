package simulate

import (
	"fmt"
	"iter"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/route"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
	"github.com/ngxlimit/ngxlimit/model/traffic"
)

// Requests decides a stream of requests in the order given, each at its own time, with empty zones at time 0. A request
// that limit_req delays meets limit_conn when it has waited; as the stream does not say how long a request takes, it holds
// no place there after it was decided.
func Requests(tree *config.Tree, router *route.Router, stream iter.Seq2[traffic.Event, error]) (*Result, error) {
	if tree.HTTP == nil || len(tree.HTTP.Servers) == 0 {
		return nil, fmt.Errorf("simulate: the configuration has no server")
	}
	p := pipeline.New(tree, router)
	r := &Result{Requests: []Row{}}
	stats := newStats()
	for e, err := range stream {
		if err != nil {
			return nil, fmt.Errorf("read requests: %w", err)
		}
		status := 0
		if e.Response != nil {
			status = e.Response.Status
		}
		f := p.PlanAnswered(&e.Request, nil, status).Start(epoch + e.At)
		row := Row{TMs: int64(e.At), ClientIP: addressText(e.Client), URL: e.URL}
		wait := waitOut(&f, epoch+e.At)
		row.decide(&f)
		stats.count(&f, 0, int64(wait)*1000)
		f.Finish()
		r.Requests = append(r.Requests, row)
	}
	r.Locations, r.Zones = stats.locations(), zones(p)
	r.Assumptions = append([]string{}, p.Assumptions()...)
	return r, nil
}

// waitOut lets a request wait in the limiter as long as it has to.
func waitOut(f *pipeline.Flight, now clock.Msec) (waited clock.Msec) {
	for !f.Done() {
		waited += f.Wait
		f.Resume(now + waited)
	}
	return waited
}

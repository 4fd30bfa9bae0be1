package simulate

import (
	"fmt"
	"time"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/route"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/traffic"
)

// overloadMost bounds how often each path is asked for in an overload.
const overloadMost = 5000

// waits are the times after an overload at which the page is tried, in milliseconds.
var waits = []int64{0, 500, 1000, 2000, 3000, 5000, 7000, 10_000, 15_000, 20_000, 30_000, 45_000, 60_000, 120_000, 300_000, 600_000}

// recovery fills every bucket that the page's requests come to within a second, and tries how soon after it the page comes
// up as if nothing had been.
func recovery(tree *config.Tree, router *route.Router, o Options) (Test, error) {
	allowed := o.Crowds[0].Every
	t := Test{AllowedMs: allowed.Milliseconds()}
	page := o.Crowds[0]
	page.Repeat, page.Clients, page.PerAddress = 1, 1, nil
	o.Crowds = []Crowd{page}
	alone, err := Run(tree, router, o)
	if err != nil {
		return t, err
	}
	t.UnlimitedP95Ms = alone.Page.UnlimitedMs.P95
	over := Crowd{Fan: overload(page.Fan, alone)}
	t.OverloadSent = int(over.Fan.Streams[0].Count())
	o.Crowds = []Crowd{over}
	filled, err := Run(tree, router, o)
	if err != nil {
		return t, err
	}
	t.EmptyMs = new(emptyAfter(filled))
	if !untouched(alone) {
		t.Figures = alone.Figures()
		t.Message = "the page suffers even with empty buckets: " + outcome(&t.Figures)
		return t, nil
	}
	for _, wait := range waits {
		page.Same, page.Start = true, time.Second+time.Duration(wait)*time.Millisecond
		o.Crowds = []Crowd{over, page}
		r, err := Run(tree, router, o)
		if err != nil {
			return t, err
		}
		if t.Figures = r.Figures(); untouched(r) {
			t.RecoveredMs = new(wait)
			break
		}
	}
	if t.RecoveredMs == nil {
		t.Message = fmt.Sprintf("%s after an overload the page still suffers: %s", clock.Words(waits[len(waits)-1]), outcome(&t.Figures))
		return t, nil
	}
	t.Passed = *t.RecoveredMs <= t.AllowedMs
	t.Message = fmt.Sprintf("after an overload of %s in one second the page is whole again from %s on; within %s it has to be",
		number(t.OverloadSent, "request"), clock.Words(*t.RecoveredMs), clock.Words(t.AllowedMs))
	return t, nil
}

// overload is a stream of the page's own requests, so many that each limit on the way is full.
func overload(fan *traffic.Fan, r *Result) *traffic.Fan {
	var burst int64
	for _, z := range r.Zones {
		for _, l := range z.Limits {
			burst = max(burst, l.BurstMilli/1000)
		}
	}
	times := min(burst+2, overloadMost)
	s := traffic.Stream{DurationS: 1}
	for _, q := range fan.Requests {
		q.DependsOn, q.StartOffsetMs, q.ThinkMs, q.Group, q.Retry, q.LongLived = nil, 0, nil, "", "", false
		s.Requests = append(s.Requests, q)
	}
	if len(s.Requests) == 0 {
		s.Requests = fan.Streams[0].Requests
	}
	s.RatePerS = float64(times) * float64(len(s.Requests))
	return &traffic.Fan{Name: "overload", Role: traffic.Attack, Streams: []traffic.Stream{s}}
}

// emptyAfter is how long after an overload the last of the fullest buckets was empty.
func emptyAfter(r *Result) int64 {
	var last int64
	for _, z := range r.Zones {
		last = max(last, z.EmptyMs-time.Second.Milliseconds())
	}
	return last
}

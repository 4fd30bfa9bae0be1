package simulate

import (
	"slices"

	"github.com/ngxlimit/ngxlimit/model/pipeline"
	"github.com/ngxlimit/ngxlimit/model/traffic"
)

// ServiceMs is how long the server takes for a request of a kind where nothing else is said. The times are estimates for
// an unloaded site; they are part of every result that rests on them.
var ServiceMs = map[string]int64{
	"html": 100, "static": 5, "image": 5, "font": 5, "api": 50, "query": 120, "ajax": 80, "preview": 60, "rsc": 30,
	"graphql": 60, "php-asset": 40,
}

// perHost is how many connections a browser opens to one host over HTTP/1.1.
const perHost = 6

// A page is a fan made ready to run: who waits for whom, and how long everything takes, in microseconds.
type page struct {
	requests []pageRequest
	roots    []int32
	groups   []int // how many requests of each client queue may be unanswered
	rtt      int64
	http1    bool
}

type pageRequest struct {
	service    int64
	offset     int64
	dependents []int32
	group      int32 // -1: none
	longLived  bool
}

// newPage prepares a fan for a protocol and a round trip.
func newPage(fan *traffic.Fan, o *Options) *page {
	p := &page{rtt: o.RTTMs * 1000, http1: o.Protocol == HTTP1}
	groups := map[string]int32{}
	for _, q := range fan.ClientQueues {
		if slices.Contains(q.Protocols, string(o.Protocol)) && q.AtOnce > 0 {
			groups[q.Group] = int32(len(p.groups))
			p.groups = append(p.groups, q.AtOnce)
		}
	}
	for i := range fan.Requests {
		r := &fan.Requests[i]
		ms, known := ServiceMs[r.Kind]
		if !known {
			ms = ServiceMs["api"]
		}
		if o.UpstreamMs >= 0 {
			ms = o.UpstreamMs
		}
		q := pageRequest{service: ms * 1000, offset: r.StartOffsetMs * 1000, group: -1, longLived: r.LongLived}
		if g, ok := groups[r.Group]; ok && r.Group != "" {
			q.group = g
		}
		p.requests = append(p.requests, q)
	}
	for i := range fan.Requests {
		on := fan.Requests[i].DependsOn
		if on == nil {
			p.roots = append(p.roots, int32(i))
			continue
		}
		p.requests[*on].dependents = append(p.requests[*on].dependents, int32(i))
	}
	return p
}

// A load is one client's load of the page.
type load struct {
	number  int64 // in the order of beginning
	client  int32
	address int32
	caller  *pipeline.Caller
	round   int32 // 0 for the client's first load
	left    int32 // requests that are not yet answered, refused or given up
	events  int32 // that are to come
	broken  bool
	start   int64
	last    int64  // when the last answer came
	kept    []kept // requests that wait in a limiter or hold a place

	// HTTP/1.1
	idle, opening, open int
	waiting             []int32

	unanswered []int     // of each group
	held       [][]int32 // of each group
}

// reset makes a load ready to begin.
func (l *load) reset(p *page) {
	l.left, l.broken, l.last = int32(len(p.requests)), false, l.start
	l.idle, l.opening, l.open = 1, 0, 1
	l.waiting = l.waiting[:0]
	if len(l.unanswered) != len(p.groups) {
		l.unanswered, l.held = make([]int, len(p.groups)), make([][]int32, len(p.groups))
	}
	for g := range l.unanswered {
		l.unanswered[g], l.held[g] = 0, l.held[g][:0]
	}
}

package simulate

import (
	"slices"

	"github.com/ngxlimit/ngxlimit/model/traffic"
)

// ServiceMs is how long the server takes for a request of a kind where nothing else is said. The times are estimates for
// an unloaded site; they are part of every result that rests on them.
var ServiceMs = map[string]int64{
	"html": 100, "static": 5, "image": 5, "font": 5, "api": 50, "query": 120, "ajax": 80, "preview": 60, "rsc": 30,
	"graphql": 60, "php-asset": 40,
}

const (
	// perHost is how many connections a browser opens to one host over HTTP/1.1.
	perHost = 6
	// perConnection is how many requests nginx takes at once over one connection of HTTP/2; a browser holds back the rest.
	perConnection = 128
)

// A page is a fan made ready to run: who waits for whom, and how long everything takes, in microseconds.
type page struct {
	requests []pageRequest // of the fan, and behind them the templates of its streams
	own      int32         // how many are the fan's own
	roots    []int32
	streams  []pageStream
	groups   []int // how many requests of each client queue may be unanswered
	visits   int32 // pages of a visit
	total    int64 // requests of one load
	rtt      duration
	http1    bool
	slots    int // requests or connections that a client has at once; 0 for as many as it likes
}

type pageRequest struct {
	*traffic.FanRequest
	service    duration
	offset     int64
	think      duration
	dependents []int32
	starts     []int32 // streams that wait for it
	retry      *traffic.Retry
	group      int32 // -1: none
	visit      int32 // which page of the visit it belongs to
	stream     int32 // which stream it is a template of; -1: none
	byClient   bool  // it is another request for each client
	byNumber   bool  // it is another request each time
}

// A pageStream is requests at a rate.
type pageStream struct {
	*traffic.Stream
	first    int32 // number of its first request; the others follow
	count    int32
	template int32 // number of its first template
	gap      float64
	length   int64
	offset   int64
}

// newPage prepares a fan for a protocol and a round trip.
func newPage(fan *traffic.Fan, o *Options) *page {
	protocol := o.protocolOf(fan)
	p := &page{rtt: o.rttOf(fan), http1: protocol == HTTP1}
	groups := map[string]int32{}
	for _, q := range fan.ClientQueues {
		if slices.Contains(q.Protocols, string(protocol)) && q.AtOnce > 0 {
			groups[q.Group] = int32(len(p.groups))
			p.groups = append(p.groups, q.AtOnce)
		}
	}
	visits := map[string]int32{}
	for i := range fan.Requests {
		q := newRequest(fan, &fan.Requests[i], o)
		if g, ok := groups[q.Group]; ok && q.Group != "" {
			q.group = g
		}
		visit, ok := visits[q.Page]
		if !ok {
			visit = int32(len(visits))
			visits[q.Page] = visit
		}
		q.visit = visit
		p.requests = append(p.requests, q)
	}
	p.visits = max(int32(len(visits)), 1)
	p.own, p.total = int32(len(fan.Requests)), int64(len(fan.Requests))
	for i := range fan.Requests {
		on := fan.Requests[i].DependsOn
		if on == nil {
			p.roots = append(p.roots, int32(i))
			continue
		}
		p.requests[*on].dependents = append(p.requests[*on].dependents, int32(i))
	}
	p.addStreams(fan, o)
	p.setSlots()
	return p
}

func newRequest(fan *traffic.Fan, r *traffic.FanRequest, o *Options) pageRequest {
	q := pageRequest{
		FanRequest: r, service: o.serviceOf(r), offset: r.StartOffsetMs * 1000, think: durationOf(r.ThinkMs),
		retry: fan.Retry(r.Retry), group: -1, stream: -1,
	}
	q.byClient, q.byNumber = r.Varies()
	return q
}

func (p *page) addStreams(fan *traffic.Fan, o *Options) {
	for i := range fan.Streams {
		st := &fan.Streams[i]
		s := pageStream{
			Stream: st, first: int32(p.total), count: int32(st.Count()), template: int32(len(p.requests)),
			gap: 1e6 / st.RatePerS, length: int64(st.DurationS * 1e6), offset: st.StartOffsetMs * 1000,
		}
		for j := range st.Requests {
			q := newRequest(fan, &st.Requests[j], o)
			q.stream = int32(i)
			p.requests = append(p.requests, q)
		}
		if st.DependsOn != nil {
			p.requests[*st.DependsOn].starts = append(p.requests[*st.DependsOn].starts, int32(i))
		}
		p.total += int64(s.count)
		p.streams = append(p.streams, s)
	}
}

// setSlots says how many requests a client has under way at once. Over HTTP/2 that matters to few pages.
func (p *page) setSlots() {
	switch {
	case p.http1:
		p.slots = perHost
	case p.own > perConnection:
		p.slots = perConnection
	}
}

// template returns the number in requests of a request: the fan's own have the same one, those of a stream take turns.
func (p *page) template(id int32) int32 {
	if id < p.own {
		return id
	}
	s := p.streamOf(id)
	return s.template + (id-s.first)%int32(len(s.Requests))
}

func (p *page) streamOf(id int32) *pageStream {
	for i := range p.streams {
		if s := &p.streams[i]; id < s.first+s.count {
			return s
		}
	}
	return nil
}

// number is which request of its stream a request is, from 0; for the fan's own, which load of the client.
func (p *page) number(l *load, id int32) int64 {
	if id < p.own {
		return int64(l.round)
	}
	return int64(id - p.streamOf(id).first)
}

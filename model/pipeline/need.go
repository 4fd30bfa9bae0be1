package pipeline

import (
	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/model/limitconn"
	"github.com/ngxlimit/ngxlimit/model/limitreq"
)

// An open pipeline counts every request and neither holds one back nor refuses it, so that requests come as they would
// without limits, and what is found shows how much room each limit would have had to give.

// A spot is one zone's limit at one level.
type spot struct {
	level *config.Level
	zone  string
	conn  bool
}

// openBurst is more than any excess.
const openBurst = limitreq.NoDelay

// open returns the limits without their bounds.
func (p *Pipeline) open(ask []limitreq.Limit) []limitreq.Limit {
	p.scratch = append(p.scratch[:0], ask...)
	for i := range p.scratch {
		p.scratch[i].Burst, p.scratch[i].Delay = openBurst, limitreq.NoDelay
	}
	return p.scratch
}

func (p *Pipeline) openConns(ask []limitconn.Limit) []limitconn.Limit {
	p.connScratch = append(p.connScratch[:0], ask...)
	for i := range p.connScratch {
		p.connScratch[i].Max = openBurst
	}
	return p.connScratch
}

// need notes the largest excess that each limit of a node was found at.
func (p *Pipeline) need(n *node) {
	for _, l := range p.log {
		p.needs.raise(spot{level: n.conf.place().Level, zone: n.asked[l.Limit].ZoneName}, l.Excess)
	}
}

// needConns notes how many requests each limit of a node has counted at once.
func (p *Pipeline) needConns(n *node, ask []limitconn.Limit, counts []int64) {
	for i := range ask {
		if ask[i].Key == "" || len(ask[i].Key) > limitconn.MaxKey || len(counts) == 0 {
			continue
		}
		p.needs.raise(spot{n.conf.place().Level, n.askedConns[i].ZoneName, true}, counts[0])
		counts = counts[1:]
	}
}

// needs are the most that limits were found at.
type needs map[spot]int64

func (n *needs) raise(at spot, to int64) {
	if *n == nil {
		*n = needs{}
	}
	(*n)[at] = max((*n)[at], to)
}

// Need is the largest excess, in thousandths of a request, at which a limit of a place was found in an open pipeline:
// the least burst that with nodelay would have refused nothing. It is 0 where nothing was counted.
func (p *Pipeline) Need(at Place, zone string) int64 { return p.needs[spot{at.Level, zone, false}] }

// NeedConns is the largest number of requests that a limit_conn of a place has counted at once.
func (p *Pipeline) NeedConns(at Place, zone string) int64 {
	return p.needs[spot{at.Level, zone, true}]
}

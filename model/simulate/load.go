package simulate

import (
	"github.com/ngxlimit/ngxlimit/model/edge"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
)

// A load is one client's load of a fan.
type load struct {
	slot    int32 // index into queue.loads
	number  int64 // in the order of beginning
	crowd   *crowd
	client  int32
	address int32
	caller  *pipeline.Caller
	round   int32 // 0 for the client's first load
	rtt     int64
	left    int64 // requests that are not yet answered, refused or given up
	events  int32 // that are to come
	start   int64
	visits  []visit
	holds   []int32 // of simulation.kept, of requests that hold a place until the load ends
	tries   []tried // requests that were sent before
	streams []streaming
	record  *record // nil: nobody wants to know

	// Where slots are few:
	idle, opening, open int
	waiting             []int32

	unanswered []int     // of each group
	held       [][]int32 // of each group
}

// A visit is one page of a load.
type visit struct {
	begun, broken bool
	start, last   int64 // last: when the last answer came
	lost          int32 // requests that were refused for good or never sent
}

// kept is a request that nginx still holds: it waits in limit_req, or has a place in limit_conn.
type kept struct {
	row    int32
	came   int64 // arrival at nginx
	flight pipeline.Flight
	was    *edge.Decision // of the edge; nil where there is none
}

// tried is how often a request was sent before.
type tried struct {
	req int32
	n   int32
}

// reset makes a load ready to begin.
func (l *load) reset(p *page, at int64) {
	l.start, l.left = at, p.total
	l.waiting, l.tries = l.waiting[:0], l.tries[:0]
	l.idle, l.opening, l.open = 0, 0, 0
	if p.http1 {
		l.idle, l.open = 1, 1
	}
	if len(l.visits) != int(p.visits) {
		l.visits = make([]visit, p.visits)
	}
	clear(l.visits)
	l.visits[0] = visit{begun: true, start: at, last: at}
	if len(l.unanswered) != len(p.groups) {
		l.unanswered, l.held = make([]int, len(p.groups)), make([][]int32, len(p.groups))
	}
	for g := range l.unanswered {
		l.unanswered[g], l.held[g] = 0, l.held[g][:0]
	}
	if len(l.streams) != len(p.streams) {
		l.streams = make([]streaming, len(p.streams))
	}
	clear(l.streams)
}

// triesOf returns how often a request was sent before.
func (l *load) triesOf(r int32) int32 {
	for _, t := range l.tries {
		if t.req == r {
			return t.n
		}
	}
	return 0
}

// again counts one more try of a request, and returns how often it was sent before.
func (l *load) again(r int32) int32 {
	for i := range l.tries {
		if l.tries[i].req == r {
			l.tries[i].n++
			return l.tries[i].n
		}
	}
	l.tries = append(l.tries, tried{r, 1})
	return 1
}

// forgetTries drops the count of a request that is done.
func (l *load) forgetTries(r int32) {
	for i := range l.tries {
		if l.tries[i].req == r {
			l.tries[i] = l.tries[len(l.tries)-1]
			l.tries = l.tries[:len(l.tries)-1]
			return
		}
	}
}

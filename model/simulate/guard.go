package simulate

import (
	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
)

// A Guard stands in front of nginx and may answer a request itself, as the rules of an edge network do. It keeps its own
// counts, and takes its time from the calls. The requests are those that reach nginx, proxies on the way included.
type Guard interface {
	// Arrive judges a request that comes at a time.
	Arrive(now clock.Msec, req *request.Request) Judgement
	// Answered tells what came of a request that Arrive let through: its status, or 0 where an upstream decides it.
	Answered(now clock.Msec, req *request.Request, status int)
}

// A Judgement is what a Guard says of a request.
type Judgement struct {
	Edge         *Edge // the rule that matched; nil for none
	Blocked      bool  // it is answered at once, and never reaches nginx
	Status       int   // of that answer
	RetryAfterMs int64 // what that answer says of when to ask again; negative for nothing
}

// blocked asks the guard about a request that arrives, and answers it where the guard does.
func (s *simulation) blocked(l *load, r, row int32, at int64) bool {
	j := s.guard.Arrive(toClock(at), s.request(l, r))
	if row >= 0 {
		s.rows[row].Edge = j.Edge
	}
	if !j.Blocked {
		return false
	}
	if row >= 0 {
		s.rows[row].block(j.Status)
	}
	l.crowd.stats.blocked++
	if l.crowd.stats != s.stats {
		s.stats.blocked++
	}
	s.depart(l, r, at, &answer{refused: true, status: j.Status, retryAfter: j.RetryAfterMs})
	return true
}

// An answer is what a client learns of its request.
type answer struct {
	refused    bool // by a limiter or a guard
	status     int  // 0 where it is not known
	retryAfter int64
	flight     *pipeline.Flight // nil where a guard answered
}

package simulate

import (
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/model/clock"
)

// gate lets so many requests through.
type gate struct {
	left, answers, statuses int
	last                    clock.Msec
}

func (g *gate) Arrive(now clock.Msec, req *request.Request) Judgement {
	g.last = now
	if g.left == 0 {
		return Judgement{Blocked: true, Status: 429, RetryAfterMs: -1, Edge: &Edge{Rule: "r", Action: "block", Counter: 9}}
	}
	g.left--
	if req.Target == "/" {
		return Judgement{Edge: &Edge{Rule: "r", Action: "log"}}
	}
	return Judgement{}
}

func (g *gate) Answered(_ clock.Msec, _ *request.Request, status int) {
	g.answers++
	if status == 503 {
		g.statuses++
	}
}

// TestGuard has what a guard blocks never come to nginx, and what it lets through told to it.
func TestGuard(t *testing.T) {
	g := &gate{left: 8}
	r := runText(t, simple, Options{Crowds: []Crowd{{Fan: fan(t, "portal")}}, Protocol: HTTP2, Guard: func() Guard { return g }, KeepRequests: true})
	c := r.Crowds[0]
	if c.Requests != 8 || c.Blocked == 0 || c.Requests+c.Blocked+c.NotIssued != 23 || r.Page.BrokenPages != 1 || g.answers != 8 || g.statuses != c.Rejected {
		t.Errorf("%+v, %+v", c, g)
	}
	for i, row := range r.Requests {
		switch blocked := i >= 8; {
		case i == 0 && (row.Edge == nil || row.Edge.Action != "log"), blocked && (row.Edge == nil || row.Edge.Counter != 9):
			t.Errorf("row %d: %+v", i, row.Edge)
		case blocked && (row.Location != nil || row.Outcome != "NONE" || row.Status == nil || *row.Status != 429 || row.Zone != nil):
			t.Errorf("row %d: %+v", i, row)
		case !blocked && row.Location == nil:
			t.Errorf("row %d: %+v", i, row)
		}
	}
}

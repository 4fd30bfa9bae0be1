package simulate

import (
	"testing"

	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/edge"
)

// gate lets so many requests through.
type gate struct {
	left, answers, statuses int
	last                    clock.Msec
	back                    bool // it was asked, or told, of a time before one that it knew
}

func (g *gate) at(now clock.Msec) {
	g.back = g.back || now < g.last
	g.last = now
}

func (g *gate) Decide(now clock.Msec, req *edge.Request) edge.Decision {
	g.at(now)
	if g.left == 0 {
		return edge.Decision{Rule: "r", Action: edge.Block, Counter: 9, Status: 429, RetryAfterMs: -1}
	}
	g.left--
	if req.Target == "/" {
		return edge.Decision{Rule: "r", Action: edge.Log}
	}
	return edge.Decision{}
}

func (g *gate) Observe(now clock.Msec, _ *edge.Request, resp *edge.Response, was edge.Decision) edge.Decision {
	g.at(now)
	g.answers++
	if resp.Status == 503 {
		g.statuses++
	}
	if was.Rule != "" {
		was.Counter = 5
	}
	return was
}

func (g *gate) Reads() edge.Reads { return edge.Reads{} }

func (g *gate) Report() edge.Report {
	return edge.Report{Front: "Gate", Rules: []edge.RuleStat{{Rule: "r", Blocked: 4}}, Said: []string{"a gate"}}
}

// TestEdge has what the edge stops never come to nginx, and what it lets through told to it in the order of time.
func TestEdge(t *testing.T) {
	g := &gate{left: 8}
	r := runText(t, simple, Options{Crowds: []Crowd{{Fan: fan(t, "portal")}}, Protocol: HTTP2, Edge: func() edge.Layer { return g }, KeepRequests: true})
	c := r.Crowds[0]
	if c.Requests != 8 || c.Blocked == 0 || c.Requests+c.Blocked+c.NotIssued != 23 || r.Page.BrokenPages != 1 || g.answers != 8 || g.statuses != c.Rejected || g.back {
		t.Errorf("%+v, %+v", c, g)
	}
	stopped := 0
	for _, l := range r.Locations {
		stopped += l.AtEdge
	}
	if stopped != c.Blocked || r.Edge == nil || r.Edge.Stopped != 4 || r.Edge.Without == nil || r.Edge.Without.Requests != 23 {
		t.Errorf("%d, %+v", stopped, r.Edge)
	}
	for i, row := range r.Requests {
		switch blocked := i >= 8; {
		case i == 0 && (row.Edge == nil || row.Edge.Action != "log" || row.Edge.Counter != 5), blocked && (row.Edge == nil || row.Edge.Counter != 9):
			t.Errorf("row %d: %+v", i, row.Edge)
		case blocked && (row.Location != nil || row.Outcome != "NONE" || row.Status == nil || *row.Status != 429 || row.Zone != nil):
			t.Errorf("row %d: %+v", i, row)
		case !blocked && row.Location == nil:
			t.Errorf("row %d: %+v", i, row)
		}
	}
}

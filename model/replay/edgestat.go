package replay

import (
	"fmt"
	"strings"

	"github.com/ngxlimit/ngxlimit/model/edge"
	"github.com/ngxlimit/ngxlimit/model/simulate"
)

// An EdgeStat is what the edge in front of nginx did.
type EdgeStat struct {
	Front   string              `json:"front"`            // "Cloudflare"
	Window  string              `json:"window,omitempty"` // how it counted
	Asked   int64               `json:"requests"`         // that came to it
	Stopped int64               `json:"stopped"`          // that it answered itself
	Nobody  int64               `json:"unknown_visitors"` // requests of visitors whom the logs do not tell
	Direct  int64               `json:"not_from_edge"`    // requests that came from elsewhere, as the logs show
	Lacking []string            `json:"lacking"`          // variables that the rules look at and the logs do not hold
	Rules   []edge.RuleStat     `json:"rules"`            // in the order in which they run
	Other   *simulate.EdgeOther `json:"other_window,omitempty"`
	First   *First              `json:"first_at_edge"`     // request that the edge stopped; nil for none
	Nginx   *First              `json:"first_in_nginx"`    // request that nginx then delayed or refused; nil for none
	Without *EdgeWithout        `json:"without,omitempty"` // what nginx alone does with the same requests; nil where that was not tried
}

// First is the first request that something happened to.
type First struct {
	AtMs     int64  `json:"at_ms"`
	Action   string `json:"action"`         // block, challenge, delay or refuse
	Rule     string `json:"rule,omitempty"` // of the edge, or the zone
	Server   string `json:"server"`
	Location string `json:"location"`
	File     string `json:"file"` // the log
	Line     int64  `json:"line"`
}

// EdgeWithout is what nginx does with the same requests where no edge stands in front of it.
type EdgeWithout struct {
	Delayed  int64 `json:"delayed"`
	Rejected int64 `json:"rejected"`
}

// Sums are what nginx delayed and refused in all.
func (r *Result) Sums() EdgeWithout {
	var w EdgeWithout
	for i := range r.Locations {
		w.Delayed += int64(r.Locations[i].Delayed)
		w.Rejected += int64(r.Locations[i].Rejected)
	}
	return w
}

// Alone says what nginx does with the same requests without the edge, by a replay of them; nil says that it was not tried.
func (r *Result) Alone(p *Part) {
	switch {
	case r.Edge == nil:
	case p == nil:
		r.Assumptions = append(r.Assumptions, "what nginx alone would do is not told, since standard input is read once")
	default:
		sums := Join([]*Part{p}).Sums()
		r.Edge.Without = &sums
	}
}

// report tells what the edge did, and what was taken for granted.
func (f *front) report() (stat *EdgeStat, said []string) {
	if f == nil {
		return nil, nil
	}
	f.gate.Settle(1<<62 - 1)
	rep := f.gate.Layer.Report()
	stat = &EdgeStat{
		Front: rep.Front, Window: rep.Window, Asked: f.asked, Stopped: f.stopped, Nobody: f.nobody, Direct: f.direct, Lacking: append([]string{}, f.lacking...),
		Rules: rep.Rules, First: f.edge, Nginx: f.nginx,
	}
	if rep.Other != "" {
		stat.Other = &simulate.EdgeOther{Window: rep.Other, More: rep.More, Fewer: rep.Fewer}
	}
	return stat, append(rep.Said, f.said(&rep)...)
}

// said is what a log of nginx does not tell of what came to the edge.
func (f *front) said(rep *edge.Report) []string {
	list := []string{"the logs hold what came to nginx: what the edge answered from its cache, or stopped itself when they were written, counts at the edge and is not in them; nobody solves a challenge"}
	if rep.Window != "" {
		list = append(list, "windows of the edge begin at multiples of their length since 1970")
	}
	if f.nobody > 0 {
		list = append(list, fmt.Sprintf("of %s the logs do not tell the visitor's address, only that of a proxy: log %s", count(f.nobody, "request"), f.r.o.Edge.wanted()))
	}
	if f.direct > 0 {
		list = append(list, fmt.Sprintf("%s did not come from the networks of the edge when the logs were written: taken to come through it now, and nginx to see the visitors' addresses that the logs hold (set_real_ip_from and real_ip_header must say so)", count(f.direct, "request")))
	}
	if len(f.lacking) > 0 {
		list = append(list, fmt.Sprintf("the logs do not hold %s, at which edge rules look: what depends on it is unknown; add it to the log_format", strings.Join(f.lacking, ", ")))
	}
	return list
}

// wanted is the variable that tells the visitor.
func (f *Edge) wanted() string {
	if own := f.own(); own != nil {
		return "$" + own[0]
	}
	return "$http_x_forwarded_for"
}

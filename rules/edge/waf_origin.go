package edge

import (
	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/edge"
	"github.com/ngxlimit/ngxlimit/model/edge/awswaf"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// windowsWAF compares limits of AWS WAF, which are of minutes, with what nginx serves one address in as long.
func windowsWAF(p *pass) {
	if p.Origin == nil {
		return
	}
	facts := rule.NewFacts(p.Origin, rule.Settings{})
	for _, u := range p.web.Rules {
		if u.Rate == nil || u.Unknown != "" || u.Action.Kind == "Count" || u.Rate.Kind != "IP" && u.Rate.Kind != "FORWARDED_IP" {
			continue
		}
		var most served
		for _, list := range facts.LimitReqs() {
			serves, by := servesOne(facts, list.Limits, u.Rate.WindowS)
			if by == nil || serves <= most.requests {
				continue
			}
			for _, place := range list.Places {
				if place.Judges() && p.countsAt(u, place) {
					most = served{serves, place, by}
					break
				}
			}
		}
		if most.requests <= u.Rate.Limit {
			continue
		}
		where := "the server itself"
		if l := most.place.Location; l != nil {
			where = "location " + l.Label()
		}
		f := p.foundIn(u, u.Rate.LimitAt, map[string]any{"limit": u.Rate.Limit, "window_s": u.Rate.WindowS, "served_by_nginx": most.requests, "location": where, "zone": most.by.ZoneName},
			"one address that sends steadily gets %s requests in %d s from %s of nginx (zone %q), and the rule stops it from %s on", rule.Count(most.requests), u.Rate.WindowS, where, most.by.ZoneName, rule.Count(u.Rate.Limit))
		f.Severity = rule.Note
		f.Related = append(f.Related, rule.Label{Span: most.by.Span, Message: "nginx's limit is here"})
	}
}

// served is what nginx serves one address somewhere.
type served struct {
	requests int64
	place    rule.Place
	by       *config.LimitReq // the limit that holds
}

// servesOne is how many requests of one address pass all of some limits in a time, and which of them lets the fewest; nil
// where none counts by address.
func servesOne(facts *rule.Facts, limits []*config.LimitReq, seconds int64) (requests int64, by *config.LimitReq) {
	for _, l := range limits {
		if l.Zone == nil || !facts.Key(l.Zone.Key).PerAddress {
			continue
		}
		if n := (l.Zone.Rate*seconds+l.Burst)/1000 + 1; by == nil || n < requests {
			requests, by = n, l
		}
	}
	return requests, by
}

// countsAt says whether a rule counts a plain request for some path of a place.
func (p *pass) countsAt(u *awswaf.Rule, at rule.Place) bool {
	uris := []string{"/"}
	if at.Location != nil {
		uris = rule.Samples(at.Location)
	}
	l := awswaf.New(&awswaf.ACL{Rules: []*awswaf.Rule{u}})
	for _, uri := range uris {
		req := edge.Of(request.Addr4(0xcb007107), &request.Request{Scheme: "https", Host: hostOf(at.Server), Target: uri})
		forward(&req, u.Rate)
		l.Decide(clock.Msec(0), &req)
	}
	return l.Report().Rules[0].Counted > 0
}

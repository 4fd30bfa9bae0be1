package edge

import (
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/numeral"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/analyzer/route"
	"github.com/ngxlimit/ngxlimit/model/edge"
	"github.com/ngxlimit/ngxlimit/model/edge/awswaf"
	"github.com/ngxlimit/ngxlimit/model/edge/cloudflare"
	"github.com/ngxlimit/ngxlimit/model/edge/lang"
	"github.com/ngxlimit/ngxlimit/model/simulate"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

var originMismatch = &check{Rule: rule.Rule{
	Name: "edge-origin-mismatch", Summary: "the edge and nginx limit the same traffic differently, so that one of the two never acts, or acts too soon", Group: Group, Severity: rule.Warning, Confidence: rule.Medium, Since: "0.1.0",
	Why: "An edge counts requests in whole periods, nginx drains a bucket in milliseconds; limits that were chosen apart seldom fit. Where the edge stops people whom nginx would serve, nginx's care is of no use; where nginx refuses everything before the edge counts to its limit, the edge protects nothing. AWS WAF's windows of minutes stop who sends steadily what nginx serves steadily, where the limit is below nginx's rate times the window. The figures are of a simulation of both (simulate --edge).",
}, all: mismatched, acl: func(p *pass) {
	mismatched(p)
	windowsWAF(p)
}}

// mismatched lets people and an attack pass the edge and nginx.
func mismatched(p *pass) {
	if p.Origin == nil || p.Layer == nil || p.Fan == nil {
		return
	}
	people := p.simulated(simulate.Crowd{
		Fan: p.Fan, Clients: p.Clients, PerAddress: []int{p.Clients}, Arrival: simulate.Arrival{Kind: simulate.Poisson, Span: simulate.OfficeSpan},
	})
	p.sooner(people)
	if p.Flood != nil {
		p.never(p.simulated(simulate.Crowd{Fan: p.Flood, Clients: 1}))
	}
}

// simulated runs traffic through the edge and nginx; nil where that cannot be.
func (p *pass) simulated(c simulate.Crowd) *simulate.Result {
	o := p.Options.Options
	o.Crowds, o.Edge = []simulate.Crowd{c}, p.Layer
	r, err := simulate.Run(p.Origin, route.New(p.Origin), o)
	if err != nil || r.Edge == nil || r.Edge.Without == nil {
		return nil
	}
	return r
}

// sooner tells of rules that stop people whom nginx would serve.
func (p *pass) sooner(r *simulate.Result) {
	if r == nil {
		return
	}
	alone, sent := r.Edge.Without, requestsOf(r)
	for _, st := range r.Edge.Rules {
		u := p.named(st.Rule)
		stopped := st.Blocked + st.Challenged
		if u == nil || stopped == 0 || alone.Rejected >= stopped {
			continue
		}
		u.found(map[string]any{
			"people": int64(p.Clients), "stopped_at_edge": int64(stopped), "rejected_by_nginx_alone": int64(alone.Rejected), "requests": int64(alone.Requests), "pages": int64(r.Page.Pages),
			"broken_pages": int64(r.Page.BrokenPages), "broken_pages_by_nginx_alone": int64(alone.BrokenPages), "fan": p.Fan.Name,
		}, "%d people behind one address load %q within a minute: the rule stops %s of %s and breaks %s of %s; nginx alone refuses %s of %s and breaks %s",
			p.Clients, p.Fan.Name, numeral.Count(stopped), numeral.Of(sent, "request"), numeral.Count(r.Page.BrokenPages), numeral.Of(r.Page.Pages, "page"),
			numeral.Count(alone.Rejected), numeral.Count(alone.Requests), numeral.Count(alone.BrokenPages))
	}
}

// requestsOf is how many requests were sent in all: those that came to nginx, and those that the edge stopped.
func requestsOf(r *simulate.Result) int {
	n := r.Edge.Stopped
	for i := range r.Crowds {
		n += r.Crowds[i].Requests
	}
	return n
}

// never tells of rules that do not act on an attack that nginx refuses.
func (p *pass) never(r *simulate.Result) {
	if r == nil || r.Edge.Stopped > 0 {
		return
	}
	refused, all := 0, requestsOf(r)
	for i := range r.Crowds {
		refused += r.Crowds[i].Rejected
	}
	if refused == 0 {
		return
	}
	for _, st := range r.Edge.Rules {
		u := p.named(st.Rule)
		if u == nil || st.Counted == 0 {
			continue
		}
		evidence := map[string]any{
			"counted": int64(st.Counted), "peak": st.Peak, "limit": st.Limit, "rejected_by_nginx": int64(refused), "requests": int64(all), "fan": p.Flood.Name,
		}
		if p.web != nil && st.Peak == 0 {
			u.found(evidence, "an attack of %s from one address (%q) is over before AWS WAF sees its rate, some %d s late, while nginx refuses %s of %s", numeral.Of(all, "request"), p.Flood.Name, awswaf.Lag/1000, numeral.Count(refused), numeral.Of(all, "request")).Severity = rule.Note
			continue
		}
		f := u.found(evidence, "an attack of %s from one address (%q) never reaches the limit: the counter gets to %s of %s, while nginx refuses %s of %s",
			numeral.Of(all, "request"), p.Flood.Name, numeral.Count(st.Peak), numeral.Count(st.Limit), numeral.Count(refused), numeral.Of(all, "request"))
		f.Severity = rule.Note
	}
}

// A limiting is a rule that counts, of one product or the other.
type limiting struct {
	found func(evidence map[string]any, format string, args ...any) *rule.Finding // adds a finding at its limit
}

// named finds a rule that counts by its name; nil where there is none.
func (p *pass) named(name string) *limiting {
	if p.web != nil {
		for _, u := range p.web.Rules {
			if u.Name == name && u.Unknown == "" && u.Rate != nil {
				return &limiting{func(evidence map[string]any, format string, args ...any) *rule.Finding {
					return p.foundIn(u, u.Rate.LimitAt, evidence, format, args...)
				}}
			}
		}
		return nil
	}
	for _, s := range p.limiting() {
		for _, u := range s.Rules {
			if u.Name == name && u.Unknown == "" && u.Limit != nil {
				return &limiting{func(evidence map[string]any, format string, args ...any) *rule.Finding {
					return p.found(u, u.Limit.At("requests_per_period"), evidence, format, args...)
				}}
			}
		}
	}
	return nil
}

var scoreAbsent = &check{Rule: rule.Rule{
	Name: "edge-score-absent", Summary: "answers that the rule matches lack the header with the score", Group: Group, Severity: rule.Warning, Confidence: rule.Medium, Since: "0.1.0",
	Why: "A rule that counts by score adds what the origin writes into a header, and nothing where the header is missing. Paths that nginx answers by itself, from a file or with return, or whose header it hides, are never counted.",
}, each: func(p *pass, u *cloudflare.Rule) {
	if p.Origin == nil || p.Origin.HTTP == nil || u.Limit.Score == 0 || u.Expression == nil {
		return
	}
	const most = 5
	told := 0
	for _, s := range p.Origin.HTTP.Servers {
		for l := range s.AllLocations {
			place := rule.PlaceOf(l)
			if told == most || rule.Adds(place, u.Limit.ScoreHeader) {
				continue
			}
			why := ""
			switch hidden, ok := place.Effective("proxy_hide_header"); {
			case place.Backend() == "":
				why = "nginx answers it without an upstream"
			case ok && hidden.NumArgs() == 1 && strings.EqualFold(hidden.Arg(0), u.Limit.ScoreHeader):
				why = "nginx hides it"
			default:
				continue
			}
			for _, uri := range rule.Samples(l) {
				if !matchesAt(u, hostOf(s), uri) {
					continue
				}
				f := p.found(u, u.Limit.At("score_response_header_name"), map[string]any{"header": u.Limit.ScoreHeader, "location": l.Label()}, "answers of location %s never have %s: %s", l.Label(), u.Limit.ScoreHeader, why)
				f.Related = append(f.Related, rule.Label{Span: l.Directive.Head(), Message: "the location is here"})
				told++
				break
			}
		}
	}
}}

// hostOf is a host of a server.
func hostOf(s *config.Server) string {
	for _, n := range s.Names {
		if n.Kind == config.NameExact {
			return n.Text
		}
	}
	return "www.example.com"
}

// matchesAt says whether a rule's expression matches a plain request.
func matchesAt(u *cloudflare.Rule, host, uri string) bool {
	req := edge.Of(request.Addr4(0xcb007107), &request.Request{Scheme: "https", Host: host, Target: uri})
	scope := lang.Scope{Request: &req}
	return u.Expression.Match(&scope) == lang.True
}

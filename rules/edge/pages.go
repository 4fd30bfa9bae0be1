package edge

import (
	"github.com/ngxlimit/ngxlimit/analyzer/numeral"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/edge"
	"github.com/ngxlimit/ngxlimit/model/edge/cloudflare"
	"github.com/ngxlimit/ngxlimit/model/simulate"
	"github.com/ngxlimit/ngxlimit/model/traffic"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

var belowPage = &check{Rule: rule.Rule{
	Name: "edge-below-page", Summary: "the limit is below what one page makes", Group: Group, Severity: rule.Warning, Confidence: rule.Medium, Since: "0.1.0",
	Why: "A page is a fan of requests: one visitor makes all of them within a second or two, and people who share an address share the counter. A limit below that stops the page itself, and with a mitigation timeout every page after it. Where one visitor's page passes and only that of several people behind one address does not, it is a note. AWS WAF sees that late: the page itself still passes, and what follows it is stopped.",
}, rate: belowPageWAF, each: func(p *pass, u *cloudflare.Rule) {
	if p.Fan == nil || u.Unknown != "" || u.Action == "log" {
		return
	}
	one := p.pageAt(u, 1)
	evidence := map[string]any{"counted": int64(one.counted), "stopped": int64(one.stopped), "limit": u.Limit.Most(), "period_s": u.Limit.PeriodS, "fan": p.Fan.Name}
	at := u.Limit.At("requests_per_period")
	if one.stopped > 0 {
		p.found(u, at, evidence, "one load of %q makes %s that the rule matches, and %s pass in %d s: %s are stopped", p.Fan.Name, numeral.Of(one.matched, "request"), numeral.Count(u.Limit.Most()), u.Limit.PeriodS, numeral.Count(one.stopped))
		return
	}
	people := min(p.Clients, max(1, int(int64(p.Clients)*u.Limit.PeriodS/int64(simulate.OfficeSpan.Seconds()))))
	if people < 2 || u.Limit.Score == 0 && int64(people*one.counted) <= u.Limit.Requests {
		return // so many do not get to the limit
	}
	if office := p.pageAt(u, people); office.stopped > 0 {
		evidence["people"] = int64(people)
		evidence["stopped"] = int64(office.stopped)
		f := p.found(u, at, evidence, "%d people behind one address who open %q within %d s make %s that the rule matches, and %s pass: %s are stopped",
			people, p.Fan.Name, u.Limit.PeriodS, numeral.Of(office.matched, "request"), numeral.Count(u.Limit.Most()), numeral.Count(office.stopped))
		f.Severity = rule.Note
	}
}}

// page is what a rule does with loads of a page.
type page struct{ matched, counted, stopped int }

// pageAt lets some people load the page at once, from one address, and asks one rule alone.
func (p *pass) pageAt(u *cloudflare.Rule, people int) page {
	alone := *u.Ruleset
	alone.Rules, alone.Kind, alone.Domain = []*cloudflare.Rule{u}, "zone", ""
	l, err := cloudflare.New([]*cloudflare.Ruleset{&alone}, cloudflare.Options{})
	if err != nil {
		return page{}
	}
	host := "www.example.com"
	if hosts := u.Expression.Compared("http.host"); len(hosts) > 0 {
		host = hosts[0]
	}
	if p.Options.Options.Host != "" {
		host = p.Options.Options.Host
	}
	var n page
	requests := make([]edge.Request, len(p.Fan.Requests))
	for i := range requests {
		requests[i] = fanRequest(&p.Fan.Requests[i], host)
	}
	for range people {
		for i := range requests {
			req := &requests[i]
			d := l.Decide(clock.Msec(0), req)
			if d.Rule != "" {
				n.matched++
			}
			if d.Action.Stops() {
				n.stopped++
				continue
			}
			l.Observe(0, req, &edge.Response{}, d)
		}
	}
	for _, st := range l.Report().Rules {
		n.counted += st.Counted
	}
	return n
}

func fanRequest(q *traffic.FanRequest, host string) edge.Request {
	return edge.Of(request.Addr4(0xcb007107), &request.Request{Method: q.Method, Scheme: "https", Host: host, Target: q.Path, Protocol: "HTTP/2.0", Headers: q.Headers, BodySize: int64(len(q.Body))})
}

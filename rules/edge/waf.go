package edge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/numeral"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/edge"
	"github.com/ngxlimit/ngxlimit/model/edge/awswaf"
	"github.com/ngxlimit/ngxlimit/model/simulate"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// wafStatuses are those that AWS WAF may answer with.
var wafStatuses = []int{
	200, 201, 202, 204, 206, 300, 301, 302, 303, 304, 307, 308, 400, 401, 403, 404, 405, 408, 409, 411, 412, 413, 414, 415, 416, 421, 429,
	500, 501, 502, 503, 504, 505,
}

// refusedACL tells of what AWS refuses, and of conditions that nothing fits.
func refusedACL(p *pass) {
	for i, u := range p.web.Rules {
		if i > 0 && u.Priority == p.web.Rules[i-1].Priority {
			before := p.web.Rules[i-1]
			f := p.foundIn(u, u.At, map[string]any{"priority": u.Priority}, "priority %d is that of rule %q too, and has to be of one rule only", u.Priority, before.Name)
			f.Related = append(f.Related, rule.Label{Span: before.At, Message: "the other rule's priority"})
		}
		p.statusRefused(u, &u.Action)
		if t := u.Rate; t != nil && t.Limit > 0 && (t.Limit < awswaf.LeastLimit || t.Limit > awswaf.MostLimit) {
			p.foundIn(u, t.LimitAt, map[string]any{"limit": t.Limit}, "a limit is from %d to %s, and not %d", awswaf.LeastLimit, rule.Count(awswaf.MostLimit), t.Limit)
		}
		if at, why := u.When.Never(); at != nil && u.Unknown == "" {
			p.foundIn(u, at.Span, nil, "no request ever fits the statement: %s", why)
		}
	}
	p.statusRefused(nil, &p.web.Default)
}

func (p *pass) statusRefused(u *awswaf.Rule, a *awswaf.Action) {
	if a.Kind == "Block" && !slices.Contains(wafStatuses, a.Status) {
		p.foundIn(u, a.At, map[string]any{"status": int64(a.Status)}, "AWS WAF does not answer with status %d: its list has 429, 403, 503 and others", a.Status)
	}
}

var countOnly = &check{Rule: rule.Rule{
	Name: "edge-count-only", Summary: "a rule counts and stops nothing", Group: Group, Severity: rule.Note, Confidence: rule.Medium, Since: "0.1.0",
	Why: "The action Count, or the override Count of a rule group, is for trying a rule out: it shows in the metrics whom the rule would stop, and stops nobody. Left in place it protects nothing. Where no rate-based rule of the web ACL stops anything it is a warning. A rule whose labels a later rule looks at is left alone.",
}, acl: func(p *pass) {
	labels, stops := false, false
	for _, u := range p.web.Rules {
		labels = labels || u.When.Labels()
		stops = stops || u.Rate != nil && u.Action.Kind != "Count"
	}
	for _, u := range p.web.Rules {
		switch {
		case u.Override.Kind == "Count":
			p.foundIn(u, u.Override.Span, nil, "OverrideAction Count: the rule group counts what it would stop, and stops nothing")
		case u.Rate == nil || u.Action.Kind != "Count" || labels && len(u.Labels) > 0:
		case !stops:
			p.foundIn(u, u.Action.Span, nil, "the rule counts and stops nothing, and neither does another rate-based rule: is that a trial that was left?").Severity = rule.Warning
		default:
			p.foundIn(u, u.Action.Span, nil, "the rule counts and stops nothing: is that a trial that was left?")
		}
	}
}}

var defaultAction = &check{Rule: rule.Rule{
	Name: "edge-default-action", Summary: "what the web ACL does with all other requests does not fit its rules", Group: Group, Severity: rule.Error, Confidence: rule.High, Since: "0.1.0",
	Why: "With the default action Block a web ACL stops whatever no rule with Allow lets pass: without such a rule it stops everything. A rate-based rule that comes behind the rules with Allow never sees what they let pass (edge-never-runs), so that it has to come first.",
}, acl: func(p *pass) {
	if p.web.Default.Kind != "Block" {
		return
	}
	for _, u := range p.web.Rules {
		if u.Action.Kind == "Allow" || u.Unknown != "" {
			return
		}
	}
	p.foundIn(nil, p.web.Default.Span, nil, "the default action blocks what no rule allows, and no rule allows anything: all requests are stopped")
}}

var scopeOpen = &check{Rule: rule.Rule{
	Name: "edge-scope-open", Summary: "a scope-down statement excludes nothing", Group: Group, Severity: rule.Note, Confidence: rule.High, Since: "0.1.0",
	Why: "A scope-down statement narrows what a rate-based rule counts. One that every request fits (a path that begins with /) narrows nothing, so that files, images and scripts of a page count too. With AggregateKeyType CONSTANT, which needs a scope-down statement, all requests of all visitors then share one counter, which is a warning: whoever sends the most stops everybody.",
}, rate: func(p *pass, u *awswaf.Rule) {
	if u.When == nil || u.Unknown != "" || !u.When.Always() {
		return
	}
	if u.Rate.Kind == "CONSTANT" {
		p.foundIn(u, u.When.Span, nil, "the scope-down statement excludes nothing: one counter counts all requests of all visitors").Severity = rule.Warning
		return
	}
	p.foundIn(u, u.When.Span, nil, "the scope-down statement excludes nothing: every request fits it")
}}

// belowPageWAF counts what a page makes. A request of an ordinary visitor has the header with its address.
func belowPageWAF(p *pass, u *awswaf.Rule) {
	t := u.Rate
	if p.Fan == nil || u.Unknown != "" || u.Action.Kind == "Count" || t.Kind == "CONSTANT" {
		return
	}
	one := p.countedBy(u)
	if one == 0 {
		return
	}
	evidence := map[string]any{"counted": one, "limit": t.Limit, "window_s": t.WindowS, "fan": p.Fan.Name}
	if one > t.Limit {
		p.foundIn(u, t.LimitAt, evidence, "one load of %q makes %s that the rule counts, and %s pass in %d s: some %d s later all are stopped, until the rate has sunk", p.Fan.Name, numeral.Of(one, "request"), numeral.Count(t.Limit), t.WindowS, awswaf.Lag/1000)
		return
	}
	people := min(int64(p.Clients), max(1, int64(p.Clients)*t.WindowS/int64(simulate.OfficeSpan.Seconds())))
	if all := people * one; people > 1 && all > t.Limit {
		evidence["people"] = people
		f := p.foundIn(u, t.LimitAt, evidence, "%d people behind one address who open %q within %d s make %s that the rule counts, and %s pass: all that follows is stopped, until the rate has sunk", people, p.Fan.Name, t.WindowS, numeral.Of(all, "request"), numeral.Count(t.Limit))
		f.Severity = rule.Note
	}
}

// countedBy is how many requests of one page load a rule counts for one visitor.
func (p *pass) countedBy(u *awswaf.Rule) int64 {
	host := "www.example.com"
	if hosts := u.When.Exactly("SingleHeader:host"); len(hosts) > 0 {
		host = hosts[0]
	}
	if p.Options.Options.Host != "" {
		host = p.Options.Options.Host
	}
	l := awswaf.New(&awswaf.ACL{Rules: []*awswaf.Rule{u}})
	for i := range p.Fan.Requests {
		req := fanRequest(&p.Fan.Requests[i], host)
		forward(&req, u.Rate)
		l.Decide(clock.Msec(0), &req)
	}
	return int64(l.Report().Rules[0].Counted)
}

var covered = &check{Rule: rule.Rule{
	Name: "edge-covered", Summary: "a rule before it stops whatever would bring the rule to its limit", Group: Group, Severity: rule.Warning, Confidence: rule.Medium, Since: "0.1.0",
	Why: "AWS WAF asks rules in the order of their priority, and what one blocks the next ones neither see nor count. Where a rate-based rule before it counts at least the same requests, by no finer a key and to a lower limit, the later rule gets to its own limit only in the seconds that AWS takes to see a rate.",
}, acl: func(p *pass) {
	var before []*awswaf.Rule
	for _, u := range p.web.Rules {
		if u.Rate == nil || u.Unknown != "" || u.Rate.Limit < 1 {
			continue
		}
		for _, b := range before {
			if passes := passing(b.Rate, u.Rate.WindowS); passes <= u.Rate.Limit && coarser(b.Rate, u.Rate) && u.When.Implies(b.When) {
				f := p.foundIn(u, u.Rate.LimitAt, map[string]any{"before": b.Name, "passing": passes, "limit": u.Rate.Limit, "window_s": u.Rate.WindowS},
					"the rule hardly ever acts: rule %q before it counts the same requests, and lets at most %s of them pass in %d s, while the limit is %s", b.Name, numeral.Count(passes), u.Rate.WindowS, numeral.Count(u.Rate.Limit))
				f.Related = append(f.Related, rule.Label{Span: b.Rate.LimitAt, Message: "this limit is reached first"})
				break
			}
		}
		if u.Action.Kind == "Block" && len(before) < mostCovering {
			before = append(before, u)
		}
	}
}}

// mostCovering bounds the rules that each rule behind them is compared with: a web ACL has room for ten rate-based rules.
const mostCovering = 50

// passing is how many requests of one combination a rule lets pass in a time, about: its limit in each of its windows.
func passing(t *awswaf.Rate, seconds int64) int64 {
	return t.Limit * ((seconds + t.WindowS - 1) / t.WindowS)
}

// coarser says whether requests that share a counter of one rule always share one of another.
func coarser(a, b *awswaf.Rate) bool {
	return !slices.ContainsFunc(a.Keys, func(k awswaf.Key) bool {
		return !slices.ContainsFunc(b.Keys, func(o awswaf.Key) bool {
			return o.Kind == k.Kind && strings.EqualFold(o.Name, k.Name) && (k.Kind != "ForwardedIP" || strings.EqualFold(a.Header, b.Header))
		})
	})
}

// neverRunsWAF finds rules that others of a lower priority number leave nothing to.
func neverRunsWAF(p *pass) {
	var before []*awswaf.Rule
	for _, u := range p.web.Rules {
		if u.Unknown != "" {
			continue
		}
		if u.Rate != nil {
			for _, b := range before {
				if !u.When.Implies(b.When) {
					continue
				}
				what := "lets pass"
				if b.Action.Kind == "Block" {
					what = "blocks"
				}
				f := p.foundIn(u, u.Span, map[string]any{"before": b.Name}, "the rule never runs: rule %q of priority %d %s whatever it matches", b.Name, b.Priority, what)
				f.Related = append(f.Related, rule.Label{Span: b.Span, Message: "this rule comes first"})
				break
			}
		}
		if u.Rate == nil && (u.Action.Kind == "Allow" || u.Action.Kind == "Block") {
			before = append(before, u)
		}
	}
}

// forward gives a request the header in which a rule finds the visitor's address, where it has none.
func forward(req *edge.Request, t *awswaf.Rate) {
	if t.Header == "" {
		return
	}
	if _, sent := req.Header(t.Header); !sent {
		req.Headers = append(slices.Clip(req.Headers), headerOf(t.Header, fmt.Sprint(req.Client)))
	}
}

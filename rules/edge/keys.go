package edge

import (
	"strings"

	"github.com/ngxlimit/ngxlimit/model/edge/cloudflare"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

var keyChosen = &check{Rule: rule.Rule{
	Name: "edge-key-chosen", Summary: "a client chooses the counter that it is counted by", Group: Group, Severity: rule.Warning, Confidence: rule.Medium, Since: "0.1.0",
	Why: "There is a counter for each combination of values. Who sends another header, cookie or argument with each request is never counted twice, whatever the limit is: also where the address is among the characteristics, since the combination differs. Check such a value before (a custom rule that refuses keys which do not exist), or add a second rule that counts the address alone. AWS WAF does not count requests that lack a component at all, and takes of X-Forwarded-For the first address, which is what the client wrote.",
}, rate: keyChosenWAF, each: func(p *pass, u *cloudflare.Rule) {
	if p.addressAlone(u) {
		return
	}
	address := false
	var chosen *cloudflare.Characteristic
	for i := range u.Limit.Keys {
		k := &u.Limit.Keys[i]
		switch name := k.String(); {
		case strings.Contains(name, "ip.src") || strings.HasPrefix(name, "cf.unique_visitor_id"):
			address = true
		case isChosen(name) && chosen == nil:
			chosen = k
		}
	}
	switch {
	case chosen == nil:
	case address:
		p.found(u, chosen.Value.Span, nil, "a client that changes %s gets a new counter each time, though its address counts too: no rule counts the address alone", chosen.String())
	default:
		p.found(u, chosen.Value.Span, nil, "a client that changes %s gets a new counter each time: nothing that it cannot choose is among the characteristics", chosen.String())
	}
}}

// isChosen says whether a client gives a characteristic any value it likes.
func isChosen(name string) bool {
	for _, part := range []string{
		"http.request.headers[", "http.request.cookies[", "http.request.uri.args[", "http.request.body", "http.cookie", "http.user_agent", "http.referer",
		"http.request.uri.query", "http.x_forwarded_for", "http.request.jwt", "http.request.full_uri",
	} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return strings.Contains(name, "http.request.uri") && !strings.Contains(name, "http.request.uri.path")
}

// addressAlone says whether another rule that stops requests counts whatever this one counts by the address alone.
func (p *pass) addressAlone(u *cloudflare.Rule) bool {
	return u.Expression != nil && p.alone.of(u.Ruleset, countsAddress).first(u, func(other *cloudflare.Rule) bool { return other != u }) != nil
}

// countsAddress says whether a rule counts by nothing but the address, and stops somebody.
func countsAddress(u *cloudflare.Rule) bool {
	if u.Limit == nil || u.Action == "log" || u.Limit.Counting != nil {
		return false
	}
	for i := range u.Limit.Keys {
		if name := u.Limit.Keys[i].String(); name != "cf.colo.id" && !strings.Contains(name, "ip.src") && name != "cf.unique_visitor_id" {
			return false
		}
	}
	return len(u.Limit.Keys) > 0
}

var cachePassed = &check{Rule: rule.Rule{
	Name: "edge-cache-passed", Summary: "counting by the answer sends cached content to the origin", Group: Group, Severity: rule.Warning, Confidence: rule.Medium, Since: "0.1.0",
	Why: "A counting expression with a field of the answer needs an answer of the origin: requests that the rule's expression matches go there, whatever the edge's cache has. An expression that is wider than what is to be counted takes the cache from all of it.",
}, each: func(p *pass, u *cloudflare.Rule) {
	if !u.Limit.ReadsAnswer() || u.Expression == nil {
		return
	}
	w := u.Limit.Counting.Uses[0]
	for _, use := range u.Limit.Counting.Uses {
		if use.Response {
			w = use
			break
		}
	}
	f := p.found(u, u.Limit.Counting.Place(&w), nil, "the rule counts by %s, so that what its expression matches goes to the origin, past the cache", w.Name)
	if methods := u.Expression.Compared("http.request.method"); len(methods) == 1 && methods[0] != "GET" && methods[0] != "HEAD" {
		f.Severity = rule.Note // nothing of it is cached
	}
}}

var neverRuns = &check{Rule: rule.Rule{
	Name: "edge-never-runs", Summary: "a rule before it lets the rule never run", Group: Group, Severity: rule.Warning, Confidence: rule.Medium, Since: "0.1.0",
	Why: "A custom rule with the action skip that passes over the phase http_ratelimit, or a rule before it that blocks, ends the way of a request. Where it matches whatever the later rule matches, the later one neither counts nor acts. In AWS WAF rules with Allow or Block do that to those of a higher priority number.",
}, acl: neverRunsWAF, each: func(p *pass, u *cloudflare.Rule) {
	if u.Expression == nil {
		return
	}
	for _, s := range p.Rulesets {
		if s.Zone != u.Ruleset.Zone && s.Kind != "root" {
			continue
		}
		before := p.endings.of(s, func(r *cloudflare.Rule) bool { return ending(r) != "" }).first(u, func(r *cloudflare.Rule) bool {
			return r.Ruleset.Phase == cloudflare.Custom || r.Ruleset == u.Ruleset && r.Number < u.Number
		})
		if before == nil {
			continue
		}
		f := p.found(u, u.Span, map[string]any{"before": before.Name}, "the rule never runs: rule %q %s whatever it matches", before.Name, ending(before))
		f.Related = append(f.Related, rule.Label{Span: before.Span, Message: "this rule comes first"})
		return
	}
}}

// ending is how a rule ends the way of a request to later rules that count; "" where it does not.
func ending(r *cloudflare.Rule) string {
	custom := r.Ruleset.Phase == cloudflare.Custom
	switch {
	case r.Skip != nil && custom && r.Skip.RateLimit:
		return "skips rate limiting for"
	case r.Skip != nil && !custom && r.Skip.Rest:
		return "skips the rules behind it for"
	case custom && r.Action == "block":
		return "blocks"
	}
	return ""
}

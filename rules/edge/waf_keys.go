package edge

import (
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/model/edge/awswaf"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

func headerOf(name, value string) request.Header { return request.Header{Name: name, Value: value} }

// chosenKinds are the components that a client gives any value it likes, or leaves out.
var chosenKinds = []string{"ForwardedIP", "Header", "Cookie", "QueryArgument", "QueryString"}

// keyChosenWAF finds counters that a client can change, or get out of the way of.
func keyChosenWAF(p *pass, u *awswaf.Rule) {
	i := slices.IndexFunc(u.Rate.Keys, func(k awswaf.Key) bool { return slices.Contains(chosenKinds, k.Kind) })
	if i < 0 || p.addressAloneWAF(u) {
		return
	}
	chosen := u.Rate.Keys[i]
	if chosen.Kind != "ForwardedIP" {
		p.foundIn(u, chosen.Span, nil, "a client that changes %s gets a new counter each time, and one that leaves it out is not counted: no rule counts the address alone", chosen)
		return
	}
	if u.Rate.Header == "" {
		return // which header it is to be is missing, and that is told
	}
	evidence := map[string]any{"header": u.Rate.Header, "fallback": u.Rate.Fallback}
	text := "the first address of %s counts, which is what the client wrote where a proxy adds its own behind it: a client that changes it gets a new counter each time"
	if u.Rate.Fallback == "NO_MATCH" {
		text += ", and one that writes no address there is not counted (FallbackBehavior NO_MATCH)"
	}
	p.foundIn(u, chosen.Span, evidence, text+"; no rule counts the address that connects", u.Rate.Header)
}

// addressAloneWAF says whether another rule that stops requests counts whatever this one counts by the address alone.
func (p *pass) addressAloneWAF(u *awswaf.Rule) bool {
	return slices.ContainsFunc(p.web.Rules, func(other *awswaf.Rule) bool {
		return other != u && other.Unknown == "" && other.Rate != nil && other.Rate.Kind == "IP" && other.Action.Kind != "Count" && u.When.Implies(other.When)
	})
}

var keyNotClient = &check{Rule: rule.Rule{
	Name: "edge-key-not-client", Summary: "the address that is counted is not the visitor's", Group: Group, Severity: rule.Warning, Confidence: rule.Medium, Since: "0.1.0",
	Why: "AggregateKeyType IP counts the address that connects to what the web ACL is attached to. Behind a CDN or another proxy that is the proxy's, which all visitors share: they are stopped together. There FORWARDED_IP takes the address from a header that the proxy writes, with FallbackBehavior MATCH, so that requests whose header holds no address count too. Which of the two is right no file tells: where other rules of the same web ACL take addresses from a header, something stands in front.",
}, acl: func(p *pass) {
	var of *awswaf.Rule // one that knows of a proxy
	for _, u := range p.web.Rules {
		if u.Rate != nil && u.Rate.Header != "" || u.When.Forwarded() {
			of = u
			break
		}
	}
	if of == nil {
		return
	}
	for _, u := range p.web.Rules {
		if u.Rate == nil || u.Rate.Header != "" {
			continue
		}
		i := slices.IndexFunc(u.Rate.Keys, func(k awswaf.Key) bool { return k.Kind == "IP" })
		if i < 0 || p.backstop(u) {
			continue
		}
		f := p.foundIn(u, u.Rate.Keys[i].Span, map[string]any{"other": of.Name}, "the rule counts by the address that connects, while rule %q takes the visitor's from a header: behind a proxy all visitors share one counter", of.Name)
		f.Related = append(f.Related, rule.Label{Span: of.Span, Message: "this rule knows of a proxy"})
	}
}}

// backstop says whether a rule holds back whoever changes the header that another one counts by: it counts the same
// requests, to a higher limit.
func (p *pass) backstop(u *awswaf.Rule) bool {
	return u.Rate.Kind == "IP" && slices.ContainsFunc(p.web.Rules, func(other *awswaf.Rule) bool {
		return other.Rate != nil && other.Rate.Header != "" && other.When.Implies(u.When) && passing(other.Rate, u.Rate.WindowS) < u.Rate.Limit
	})
}

package edge

import (
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/model/edge"
	"github.com/ngxlimit/ngxlimit/model/edge/awswaf"
	"github.com/ngxlimit/ngxlimit/model/edge/cloudflare"
	"github.com/ngxlimit/ngxlimit/model/edge/lang"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

var unread = &check{Rule: rule.Rule{
	Name: "edge-unread", Summary: "a rule is not understood, so that what it does is unknown", Group: Group, Severity: rule.Error, Confidence: rule.High, Since: "0.1.0",
	Why: "A field, function or action that is misspelt, a number where none can stand, a list that was not given: the provider refuses the rule, or it does something that is not computed here. The other rules are judged all the same. What is not known here (an expression or action that may be newer than this program, a value of Terraform) is a warning, and what is left aside, such as a list that was not given, a note.",
}, all: func(p *pass) {
	for i := range p.Problems {
		f := p.found(nil, p.Problems[i].Span, nil, "%s", p.Problems[i].Text)
		if f.Severity = rule.Warning; p.Problems[i].Aside {
			f.Severity = rule.Note
		}
	}
	for _, s := range p.Rulesets {
		if s.NotModeled != "" {
			p.found(nil, s.PhaseSpan, nil, "the ruleset is left aside: %s", s.NotModeled).Severity = rule.Note
		}
		for _, u := range s.Rules {
			for _, b := range u.Problems {
				f := p.found(u, b.Span, nil, "%s", b.Text)
				switch b.Kind {
				case cloudflare.Foreign:
					f.Severity = rule.Warning
				case cloudflare.Aside:
					f.Severity = rule.Note
				case cloudflare.Wrong:
				}
			}
		}
	}
}, acl: func(p *pass) {
	for _, b := range p.web.Problems {
		f := p.foundIn(nil, b.Span, map[string]any{"rule": b.Rule}, "%s", b.Text)
		f.Context = append(f.Context, "rule "+b.Rule)
		switch b.Kind {
		case awswaf.Foreign:
			f.Severity = rule.Warning
		case awswaf.Aside:
			f.Severity = rule.Note
		case awswaf.Wrong:
		}
	}
}}

var coloMissing = &check{Rule: rule.Rule{
	Name: "edge-colo-missing", Summary: "cf.colo.id is not among the characteristics", Group: Group, Severity: rule.Error, Confidence: rule.High, Since: "0.1.0",
	Why: "Counters belong to one data centre, and the API wants that written down: a rule whose characteristics lack cf.colo.id is refused. The dashboard adds it unseen; terraform validate does not miss it.",
}, each: func(p *pass, u *cloudflare.Rule) {
	if !u.Limit.Colo && len(u.Limit.Keys) > 0 {
		p.found(u, u.Limit.At("characteristics"), nil, "cf.colo.id is missing from the characteristics: Cloudflare's API refuses the rule")
	}
}}

var refused = &check{Rule: rule.Rule{
	Name: "edge-refused", Summary: "what is written cannot stand together, or can never match", Group: Group, Severity: rule.Error, Confidence: rule.High, Since: "0.1.0",
	Why: "Cloudflare's documentation forbids some combinations, which terraform validate lets pass: the address beside \"IP with NAT support\"; a header's name with capitals (it never matches); cf.colo.id or the answer in the rule's expression; a list where the count is made when the answer comes; a status outside 400 to 499. AWS WAF refuses two rules of one priority, limits outside 10 to 2,000,000,000 and statuses that are not in its list; it takes conditions that no request fits, such as capitals that are searched for in a text that LOWERCASE has made small.",
}, each: func(p *pass, u *cloudflare.Rule) {
	p.keysRefused(u)
	if e := u.Expression; e != nil {
		if w := use(e, func(w *lang.Use) bool { return w.Response }); w != nil {
			p.found(u, e.Place(w), nil, "%s is not known when the expression is asked, so that the rule never matches: it belongs into counting_expression", w.Name)
		}
		if w := use(e, isList); w != nil && u.Limit.ToOrigin {
			p.found(u, u.Limit.At("requests_to_origin"), nil, "requests_to_origin cannot be true where the expression names a list (%s)", w.Name)
		}
	}
	for _, e := range []*cloudflare.Condition{u.Expression, u.Limit.Counting} {
		if w := use(e, func(w *lang.Use) bool { return w.Name == "cf.colo.id" }); w != nil {
			p.found(u, e.Place(w), nil, "cf.colo.id is for characteristics only, and cannot stand in an expression")
		}
	}
	if c := u.Limit.Counting; u.Limit.ReadsAnswer() && use(c, isList) != nil {
		w := use(c, isList)
		p.found(u, c.Place(w), nil, "%s and a field of the answer cannot stand in one counting expression", w.Name)
	}
	if u.Status < 400 || u.Status > 499 {
		p.found(u, statusAt(u), map[string]any{"status": int64(u.Status)}, "a rule may answer with 400 to 499, and not with %d", u.Status)
	}
	if s := u.Ruleset; s.Kind == "root" || s.Kind == "custom" {
		for _, e := range []*cloudflare.Condition{u.Expression, u.Limit.Counting} {
			if w := use(e, func(w *lang.Use) bool { return w.Response || isList(w) }); w != nil {
				p.found(u, e.Place(w), nil, "rules of an account may use neither fields of the answer nor lists (%s)", w.Name)
			}
		}
	}
}, acl: refusedACL}

func statusAt(u *cloudflare.Rule) source.Span {
	return u.At("action_parameters", "response", "status_code")
}

func (p *pass) keysRefused(u *cloudflare.Rule) {
	var address, visitor *cloudflare.Characteristic
	for i := range u.Limit.Keys {
		k := &u.Limit.Keys[i]
		switch name := k.String(); {
		case name == "ip.src":
			address = k
		case name == "cf.unique_visitor_id":
			visitor = k
		case strings.HasPrefix(name, "http.request.headers[") && name != edge.Lower(name):
			p.found(u, k.Value.Span, nil, "%s: names of headers are written small, and with capitals none is ever found", name)
		}
	}
	if address != nil && visitor != nil {
		p.found(u, visitor.Value.Span, nil, "ip.src and cf.unique_visitor_id cannot stand together")
	}
}

var hostRewritten = &check{Rule: rule.Rule{
	Name: "edge-host-rewritten", Summary: "the host is asked for when the answer comes, and may be another one by then", Group: Group, Severity: rule.Note, Confidence: rule.Low, Since: "0.1.0",
	Why: "Where an Origin Rule rewrites the Host header, http.host has its new value when the answer is there: a counting expression that compares it with the old one never counts, and the rule never acts.",
}, each: func(p *pass, u *cloudflare.Rule) {
	e := u.Limit.Counting
	if e == nil && u.Limit.AfterAnswer() {
		e = u.Expression
	}
	if e == nil || !u.Limit.AfterAnswer() {
		return
	}
	if w := use(e, func(w *lang.Use) bool { return w.Name == "http.host" }); w != nil {
		p.found(u, e.Place(w), nil, "the rule counts when the answer is there: if an Origin Rule rewrites the host, http.host is another one then, and the counter never grows")
	}
}}

func isList(w *lang.Use) bool { return w.Name[0] == '$' }

// use returns the first name of an expression of a kind; nil where there is none.
func use(e *cloudflare.Condition, is func(*lang.Use) bool) *lang.Use {
	if e == nil {
		return nil
	}
	for i := range e.Uses {
		if is(&e.Uses[i]) {
			return &e.Uses[i]
		}
	}
	return nil
}

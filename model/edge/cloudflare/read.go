package cloudflare

import (
	"fmt"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/model/edge/document"
	"github.com/ngxlimit/ngxlimit/model/edge/lang"
)

// A Reading is the rulesets of one or more files.
type Reading struct {
	Rulesets []*Ruleset
	Problems []document.Problem // of the files, beside those of the rules
}

// A reader turns values into rulesets.
type reader struct {
	env *lang.Env
	Reading
	domains map[string]string // of Terraform's zones, by address
}

// JSON reads rulesets from a JSON value: one ruleset, or a list of them, or a list of rules, each with or without the
// envelope in which the API answers; or Terraform's own JSON. The error says what the value is instead.
func JSON(v *document.Value, env *lang.Env) (*Reading, error) {
	r := &reader{env: env, domains: map[string]string{}}
	if err := r.top(v, 0); err != nil {
		return nil, err
	}
	return r.finish()
}

// Terraform reads rulesets from Terraform's resources.
func Terraform(all []document.Resource, env *lang.Env) (*Reading, error) {
	r := &reader{env: env, domains: map[string]string{}}
	r.resources(all)
	return r.finish()
}

// A NoRules is a file that holds no rules of ours.
type NoRules struct {
	Span source.Span
	Text string
}

func (e *NoRules) Error() string { return e.Text }

func (r *reader) finish() (*Reading, error) {
	var other *Ruleset
	for _, s := range r.Rulesets {
		if s.Phase == RateLimit {
			return &r.Reading, nil
		}
		other = s
	}
	if other != nil {
		return nil, &NoRules{other.PhaseSpan, fmt.Sprintf("no rate limiting rules: the ruleset is of phase %s, and rate limiting rules are of phase %s", orNone(other.Phase), RateLimit)}
	}
	text := "no ruleset in it"
	if len(r.Problems) > 0 {
		return nil, &NoRules{r.Problems[0].Span, text + ": " + r.Problems[0].Text}
	}
	return nil, &NoRules{source.Span{}, text}
}

func orNone(s string) string {
	if s == "" {
		return "(none given)"
	}
	return s
}

// top takes a whole JSON file, or what an envelope holds.
func (r *reader) top(v *document.Value, depth int) error {
	none := func(text string) error { return &NoRules{v.Span, text} }
	switch {
	case depth > 3:
		return none("envelopes within envelopes")
	case v.Kind == document.List:
		return r.list(v)
	case v.Kind != document.Object:
		return none("want a ruleset, or a list of them, and not " + v.Kind.String())
	case v.Get("result") != nil:
		if ok := v.Get("success"); ok != nil && ok.Kind == document.Bool && !ok.Bool {
			return none("the API answered with an error: " + apiErrors(v))
		}
		if v.Get("result").Kind == document.Null {
			return none("the API's result is null: the zone has no rate limiting rules")
		}
		return r.top(v.Get("result"), depth+1)
	case v.Get("success") != nil && v.Get("errors") != nil:
		return none("the API answered with an error: " + apiErrors(v))
	case v.Get("rules") != nil || v.Get("phase") != nil:
		r.ruleset(v, "", "", "")
		return nil
	case v.Get("resource") != nil || v.Get("values") != nil || v.Get("planned_values") != nil:
		r.resources(document.TerraformJSON(v))
		return nil
	case v.Get("threshold") != nil && v.Get("match") != nil:
		return none("a rule of the retired rate limiting API (threshold, match), which is another product")
	case v.Get("expression") != nil:
		r.bare(&document.Value{Kind: document.List, Items: []*document.Value{v}, Span: v.Span})
		return nil
	}
	return none("neither a ruleset (phase, rules) nor an answer of the API (result)")
}

func apiErrors(v *document.Value) string {
	var list []string
	if errs := v.Get("errors"); errs != nil {
		for _, e := range errs.Items {
			if m := e.Get("message"); m != nil {
				list = append(list, m.Text)
			}
		}
	}
	if list == nil {
		return "it does not say which"
	}
	return strings.Join(list, "; ")
}

// list takes rulesets, or rules.
func (r *reader) list(v *document.Value) error {
	if len(v.Items) == 0 {
		return &NoRules{v.Span, "an empty list"}
	}
	if v.Items[0].Get("expression") != nil || v.Items[0].Get("ratelimit") != nil {
		r.bare(v)
		return nil
	}
	for i, item := range v.Items {
		if item.Kind != document.Object || item.Get("phase") == nil && item.Get("rules") == nil {
			if item.Get("threshold") != nil {
				return &NoRules{item.Span, "rules of the retired rate limiting API (threshold, match), which is another product"}
			}
			return &NoRules{item.Span, fmt.Sprintf("item %d is neither a ruleset nor a rule", i+1)}
		}
		r.ruleset(item, "", "", "")
	}
	return nil
}

// bare takes a list of rules without a ruleset around it.
func (r *reader) bare(v *document.Value) {
	s := &Ruleset{Phase: RateLimit, Kind: "zone", Span: head(v.Span), PhaseSpan: v.Span}
	r.Rulesets = append(r.Rulesets, s)
	r.rules(s, v)
}

// ruleset takes one ruleset.
func (r *reader) ruleset(v *document.Value, reference, zone, domain string) {
	s := &Ruleset{
		ID: textOf(v.Get("id")), Name: textOf(v.Get("name")), Reference: reference, Phase: textOf(v.Get("phase")), Kind: textOf(v.Get("kind")),
		Zone: zone, Domain: domain, Span: head(v.Span), PhaseSpan: at(v, "phase"),
	}
	if s.Zone == "" {
		s.Zone, s.Domain = textOf(v.Get("zone_id")), textOf(v.Get("zone_name"))
		if s.Zone == "" {
			s.Zone = s.Domain
		}
	}
	if p := v.Get("phase"); p != nil && p.Kind == document.Unknown {
		s.NotModeled = "its phase is not known: " + p.Why
	}
	r.Rulesets = append(r.Rulesets, s)
	rules := v.Get("rules")
	switch {
	case s.Phase != RateLimit && s.Phase != Custom:
		if s.NotModeled == "" {
			s.NotModeled = "phase " + orNone(s.Phase) + " is not modelled"
		}
	case rules == nil && s.Phase == RateLimit:
		r.Problems = append(r.Problems, document.Problem{Span: s.Span, Text: "the ruleset has no rules: a list of rulesets leaves them out, the answer about one ruleset holds them"})
	case rules == nil:
	case rules.Kind == document.Unknown:
		r.Problems = append(r.Problems, document.Problem{Span: rules.Span, Text: "the rules are not known: " + rules.Why})
	default:
		r.rules(s, rules)
	}
}

const mostRules = 5000

func (r *reader) rules(s *Ruleset, v *document.Value) {
	if v.Kind != document.List {
		r.Problems = append(r.Problems, document.Problem{Span: v.Span, Text: "rules are a list, and this is " + v.Kind.String()})
		return
	}
	for i, item := range v.Items {
		if i == mostRules {
			r.Problems = append(r.Problems, document.Problem{Span: item.Span, Text: fmt.Sprintf("more than %d rules: the others are left out", mostRules)})
			return
		}
		s.Rules = append(s.Rules, r.rule(s, item, i+1))
	}
}

// head is the first byte of something long: what a message about the whole of it underlines.
func head(s source.Span) source.Span {
	if s.End-s.Start > 200 || strings.Contains(s.Text(), "\n") {
		s.End = s.Start + 1
	}
	return s
}

func textOf(v *document.Value) string {
	if v == nil || v.Kind != document.String {
		return ""
	}
	return v.Text
}

// resources takes Terraform's blocks.
func (r *reader) resources(all []document.Resource) {
	for _, b := range all {
		if strings.TrimPrefix(b.Type, "data.") != "cloudflare_zone" {
			continue
		}
		for _, name := range []string{"zone", "name"} { // of provider v4, of v5
			if domain := textOf(b.Value.Get(name)); domain != "" {
				r.domains[b.Type+"."+b.Name] = domain
			}
		}
	}
	for _, b := range all {
		switch b.Type {
		case "cloudflare_ruleset":
			zone, domain := r.zone(b.Value.Get("zone_id"))
			r.ruleset(b.Value, b.Type+"."+b.Name, zone, domain)
		case "module":
			text := fmt.Sprintf("module %s is not read: what rules it holds is not known", b.Name)
			if source := textOf(b.Value.Get("source")); strings.HasPrefix(source, ".") {
				text += fmt.Sprintf("; its folder %s may be given too, where variables stand for their defaults", source)
			}
			r.Problems = append(r.Problems, document.Problem{Span: b.Span, Text: text, Aside: true})
		case "aws_wafv2_web_acl":
			r.Problems = append(r.Problems, document.Problem{Span: b.Span, Text: "a web ACL of AWS WAF beside Cloudflare's rules is left aside: give its folder or its JSON alone", Aside: true})
		case "cloudflare_rate_limit":
			r.Problems = append(r.Problems, document.Problem{Span: b.Span, Text: "cloudflare_rate_limit is of the retired rate limiting API, which is another product: it is left aside"})
		}
	}
}

// zone returns what tells a zone apart, and its domain where a block of Terraform says it.
func (r *reader) zone(v *document.Value) (zone, domain string) {
	switch {
	case v == nil:
		return "", ""
	case v.Kind == document.Unknown:
		zone = v.Span.Text()
	default:
		zone = v.Text
	}
	for address, d := range r.domains {
		if strings.HasPrefix(zone, address+".") || strings.HasPrefix(zone, address+"[") {
			domain = d
		}
	}
	return zone, domain
}

// Package edge is the catalogue of what is wrong with rate limiting rules of an edge network: one variable a rule, with
// all words about it, and a pure function for each product. It knows what Cloudflare's plans and AWS WAF allow, and asks
// model/simulate what a page suffers; it does not know how its findings are shown.
//
// Sources: docs.aws.amazon.com/waf/latest/developerguide/ (rate-based rule statements and their settings, aggregation options
// and caveats, forwarded addresses, rule priority, status codes of custom responses) and APIReference/ of AWS WAFV2; the pages below developers.cloudflare.com/waf/rate-limiting-rules/ (parameters, request rate, availability,
// troubleshooting, best practices) and /ruleset-engine/rules-language/.
package edge

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/model/edge"
	"github.com/ngxlimit/ngxlimit/model/edge/awswaf"
	"github.com/ngxlimit/ngxlimit/model/edge/cloudflare"
	"github.com/ngxlimit/ngxlimit/model/simulate"
	"github.com/ngxlimit/ngxlimit/model/traffic"
	"github.com/ngxlimit/ngxlimit/rules/rule"
	"github.com/ngxlimit/ngxlimit/rules/run"
)

// Options say what rules are judged for.
type Options struct {
	Plan    string            // free, pro, business or enterprise; "" judges nothing by a plan
	Fan     *traffic.Fan      // the page that an ordinary visitor loads
	Flood   *traffic.Fan      // an attack
	Clients int               // people who share one address
	Origin  *config.Tree      // nginx behind the edge; nil where it was not given
	Options simulate.Options  // of simulations with Origin: host, ways through proxies
	Layer   func() edge.Layer // makes the edge of these rules; nil where it cannot be made

	Enable, Disable []string // names of rules; nothing enables all
}

// Group is what all rules of this catalogue are about.
const Group rule.Group = "Rules at the edge"

// A check is one rule of the catalogue. What it lacks for a product it does not judge there.
type check struct {
	rule.Rule
	each func(*pass, *cloudflare.Rule) // called for every rule of Cloudflare that is enabled and counts
	all  func(*pass)                   // called once for those of Cloudflare
	rate func(*pass, *awswaf.Rule)     // called for every rule of AWS WAF that counts
	acl  func(*pass)                   // called once for a web ACL
}

// catalogue lists the rules, by name.
var catalogue = []*check{
	belowPage, cachePassed, coloMissing, countOnly, covered, defaultAction, hostRewritten, keyChosen, keyNotClient, neverRuns, originMismatch, period,
	planLacks, refused, scopeOpen, scoreAbsent, timeout, unread,
}

// All returns every rule, sorted by name.
func All() []*rule.Rule {
	list := make([]*rule.Rule, len(catalogue))
	for i, c := range catalogue {
		list[i] = &c.Rule
	}
	slices.SortFunc(list, func(a, b *rule.Rule) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// Running lists the rules that run with some options.
func Running(o Options) []*rule.Rule {
	return slices.DeleteFunc(All(), func(r *rule.Rule) bool { return !o.runs(r.Name) || r == &originMismatch.Rule && o.Origin == nil })
}

func (o *Options) runs(name string) bool {
	return (len(o.Enable) == 0 || slices.Contains(o.Enable, name)) && !slices.Contains(o.Disable, name)
}

// pass is one run of the catalogue.
type pass struct {
	*cloudflare.Reading // nil where the rules are of AWS WAF
	Options
	web      *awswaf.ACL // nil where they are of Cloudflare
	now      *check
	findings []rule.Finding

	alone, endings shelves // rules that count the address alone, and that end the way of requests
}

// Check judges rules. Findings are in the order of the files, and within one by place.
func Check(reading *cloudflare.Reading, o Options) []rule.Finding {
	p := &pass{Reading: reading, Options: o, alone: shelves{}, endings: shelves{}}
	for _, c := range catalogue {
		if !o.runs(c.Name) {
			continue
		}
		p.now = c
		if c.all != nil {
			c.all(p)
		}
		if c.each == nil {
			continue
		}
		for _, s := range p.limiting() {
			for _, u := range s.Rules {
				if u.Enabled && u.Limit != nil {
					c.each(p, u)
				}
			}
		}
	}
	return p.sorted()
}

// CheckACL judges a web ACL of AWS WAF. Findings are as those of Check.
func CheckACL(acl *awswaf.ACL, o Options) []rule.Finding {
	p := &pass{web: acl, Options: o}
	for _, c := range catalogue {
		if !o.runs(c.Name) {
			continue
		}
		p.now = c
		if c.acl != nil {
			c.acl(p)
		}
		if c.rate == nil {
			continue
		}
		for _, u := range acl.Rules {
			if u.Rate != nil {
				c.rate(p, u)
			}
		}
	}
	return p.sorted()
}

// sorted puts the findings in order and names them.
func (p *pass) sorted() []rule.Finding {
	slices.SortStableFunc(p.findings, func(a, b rule.Finding) int {
		return cmp.Or(
			cmp.Compare(a.Primary.File.Path, b.Primary.File.Path), cmp.Compare(a.Primary.Start, b.Primary.Start),
			cmp.Compare(a.Primary.End, b.Primary.End), cmp.Compare(a.Rule.Name, b.Rule.Name), cmp.Compare(a.Message, b.Message),
		)
	})
	p.findings = merged(p.findings)
	seen := map[run.Identity]int{}
	for i := range p.findings {
		f := &p.findings[i]
		id := run.Identify(f)
		f.Fingerprint = id.String()
		if n := seen[id]; n > 0 {
			f.Fingerprint = fmt.Sprintf("%s-%d", f.Fingerprint, n+1)
		}
		seen[id]++
	}
	return p.findings
}

// merged makes one finding of those that say the same of the same words: one block of Terraform makes many rules. The first
// context is kept, and Places tells how many there were.
func merged(found []rule.Finding) []rule.Finding {
	kept := found[:0]
	for i := range found {
		f := &found[i]
		if n := len(kept) - 1; n >= 0 && kept[n].Rule == f.Rule && kept[n].Primary == f.Primary && kept[n].Severity == f.Severity && kept[n].Message == f.Message {
			kept[n].Places += f.Places
			continue
		}
		kept = append(kept, *f)
	}
	return kept
}

// limiting are the rulesets that count.
func (p *pass) limiting() []*cloudflare.Ruleset {
	return slices.DeleteFunc(slices.Clone(p.Rulesets), func(s *cloudflare.Ruleset) bool { return s.Phase != cloudflare.RateLimit })
}

// found adds a finding about a rule of Cloudflare; u may be nil.
func (p *pass) found(u *cloudflare.Rule, at source.Span, evidence map[string]any, format string, args ...any) *rule.Finding {
	f := p.add(at, evidence, fmt.Sprintf(format, args...))
	if u != nil {
		if u.Ruleset.Zone != "" {
			f.Context = append(f.Context, "zone "+u.Ruleset.Zone)
		}
		f.Context = append(f.Context, "rule "+u.Name)
		f.Evidence["rule"] = u.Name
	}
	return f
}

// foundIn adds a finding about a rule of AWS WAF; u may be nil.
func (p *pass) foundIn(u *awswaf.Rule, at source.Span, evidence map[string]any, format string, args ...any) *rule.Finding {
	f := p.add(at, evidence, fmt.Sprintf(format, args...))
	if p.web != nil && p.web.Name != "" {
		f.Context = append(f.Context, "web ACL "+p.web.Name)
	}
	if u != nil {
		f.Context = append(f.Context, "rule "+u.Name)
		f.Evidence["rule"] = u.Name
	}
	return f
}

func (p *pass) add(at source.Span, evidence map[string]any, message string) *rule.Finding {
	f := rule.Finding{
		Rule: &p.now.Rule, Severity: p.now.Severity, Confidence: p.now.Confidence, Message: message, Primary: at,
		Context: []string{}, Places: 1, Evidence: evidence, Related: []rule.Label{},
	}
	if f.Evidence == nil {
		f.Evidence = map[string]any{}
	}
	p.findings = append(p.findings, f)
	return &p.findings[len(p.findings)-1]
}

package edge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/model/edge/cloudflare"
	"github.com/ngxlimit/ngxlimit/model/edge/lang"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// plan is what one of Cloudflare's plans has, by the table of availability.
type plan struct {
	rank    int
	rules   int
	period  int64 // seconds
	timeout int64
}

var planTable = map[string]plan{
	"free": {0, 1, 10, 10}, "pro": {1, 2, 60, 3600}, "business": {2, 5, 600, 86400}, "enterprise": {3, 100, 65535, 0},
}

// What the API takes, in seconds: the short list of the page on parameters, and the long one of the availability table.
var (
	shortPeriods  = []int64{10, 60, 120, 300, 600, 3600}
	shortTimeouts = []int64{0, 10, 60, 120, 300, 600, 3600, 86400}
	longSeconds   = []int64{10, 15, 20, 30, 40, 45, 60, 90, 120, 180, 240, 300, 480, 600, 900, 1200, 1800, 2400, 3600, 65535, 86400}
)

// longestPeriod is the longest time that counters count.
const longestPeriod = 65535

var period = &check{Rule: rule.Rule{
	Name: "edge-period", Summary: "the period is none that Cloudflare, or the plan, has", Group: Group, Severity: rule.Error, Confidence: rule.High, Since: "0.1.0",
	Why: "Counting goes by fixed lengths: 10 s on Free, up to a minute on Pro, ten minutes on Business, 65,535 s on Enterprise. 86,400 is a time for mitigation only. Cloudflare's own pages disagree on the lengths between; what only one of them lists is a note.",
}, each: func(p *pass, u *cloudflare.Rule) {
	n := u.Limit.PeriodS
	if n == 0 || u.Unknown != "" {
		return
	}
	at, evidence := u.Limit.At("period"), map[string]any{"period_s": n}
	plan, judged := planTable[p.Plan]
	switch {
	case n > longestPeriod:
		p.found(u, at, evidence, "the period of %d s is longer than %d s, the longest that counts", n, longestPeriod)
	case !slices.Contains(longSeconds, n):
		p.found(u, at, evidence, "a period of %d s is none that Cloudflare has: the next ones are %s", n, around(longSeconds, n))
	case judged && n > plan.period:
		p.found(u, at, evidence, "a period of %d s is longer than %d s, the longest of plan %s", n, plan.period, p.Plan)
	case !slices.Contains(shortPeriods, n):
		f := p.found(u, at, evidence, "a period of %d s is in one of Cloudflare's two lists only, and not on all plans", n)
		f.Severity, f.Confidence = rule.Note, rule.Medium
	}
}}

// around names the values of a list next to a number.
func around(list []int64, n int64) string {
	i, _ := slices.BinarySearch(list, n)
	switch {
	case i == 0:
		return fmt.Sprint(list[0])
	case i == len(list):
		return fmt.Sprint(list[i-1])
	}
	return fmt.Sprintf("%d and %d", list[i-1], list[i])
}

var timeout = &check{Rule: rule.Rule{
	Name: "edge-timeout", Summary: "the mitigation timeout is none that Cloudflare, or the plan, has", Group: Group, Severity: rule.Error, Confidence: rule.High, Since: "0.1.0",
	Why: "How long the action goes on is bounded by the plan: 10 s on Free, an hour on Pro, a day on Business; any value on Enterprise, by the API. Below Enterprise a challenge wants 0, and block does not take 0, which is throttling.",
}, each: func(p *pass, u *cloudflare.Rule) {
	if u.Unknown != "" {
		return
	}
	n, at := u.Limit.TimeoutS, u.Limit.At("mitigation_timeout")
	evidence := map[string]any{"mitigation_timeout_s": n}
	plan, judged := planTable[p.Plan]
	below := judged && p.Plan != "enterprise"
	challenge := strings.Contains(u.Action, "challenge")
	switch {
	case below && challenge && n != 0:
		p.found(u, at, evidence, "plan %s wants mitigation_timeout 0 for a challenge, and not %d", p.Plan, n)
	case below && u.Action == "block" && n == 0:
		p.found(u, at, evidence, "mitigation_timeout 0 with block is throttling, which plan %s lacks: it needs Enterprise", p.Plan)
	case below && n > plan.timeout:
		p.found(u, at, evidence, "a mitigation_timeout of %d s is longer than %d s, the longest of plan %s", n, plan.timeout, p.Plan)
	case n != 0 && p.Plan != "enterprise" && !slices.Contains(longSeconds, n) && !slices.Contains(shortTimeouts, n):
		f := p.found(u, at, evidence, "a mitigation_timeout of %d s is in no list of Cloudflare's: only Enterprise takes any value", n)
		f.Severity, f.Confidence = rule.Warning, rule.Medium
		if below {
			f.Severity = rule.Error
		}
	}
}}

// planFields are fields of an expression by the least plan that has them; of others general request fields need
// Enterprise.
var planFields = map[string]int{
	"http.request.uri.path": 0, "cf.client.bot": 0, "http.host": 1, "http.request.uri": 1, "http.request.full_uri": 1, "http.request.uri.query": 1,
	"http.request.method": 2, "ip.src": 2, "http.user_agent": 2, "matches": 2,
}

var planNames = []string{"Free", "Pro", "Business", "Enterprise", "Enterprise with Advanced Rate Limiting"}

var planLacks = &check{Rule: rule.Rule{
	Name: "edge-plan-lacks", Summary: "the plan does not have what the rule uses", Group: Group, Severity: rule.Error, Confidence: rule.Medium, Since: "0.1.0",
	Why: "Free has one rule that may look at the path; Pro two that may look at the host and the query; Business five, with method, address, user agent, regular expressions and a counting expression of its own. Other fields need Enterprise, other characteristics than the address Advanced Rate Limiting. What the plan lacks is refused when the rule is written.",
}, all: func(p *pass) {
	plan, judged := planTable[p.Plan]
	if !judged {
		return
	}
	for _, s := range p.limiting() {
		if n := len(s.Rules); n > plan.rules {
			p.found(s.Rules[plan.rules], s.Rules[plan.rules].Span, map[string]any{"rules": int64(n)}, "plan %s has %d rate limiting rules, and this is number %d of %d", p.Plan, plan.rules, plan.rules+1, n)
		}
	}
}, each: func(p *pass, u *cloudflare.Rule) {
	plan, judged := planTable[p.Plan]
	if !judged {
		return
	}
	for _, e := range []*cloudflare.Condition{u.Expression, u.Limit.Counting} {
		told := map[string]bool{}
		use(e, func(w *lang.Use) bool {
			if needs := needsPlan(w); needs > plan.rank && !told[w.Name] {
				told[w.Name] = true
				p.found(u, e.Place(w), nil, "%s needs plan %s, and plan %s lacks it", w.Name, planNames[needs], p.Plan)
			}
			return false
		})
	}
	if u.Limit.Counting != nil && plan.rank < 2 {
		p.found(u, u.Limit.At("counting_expression"), nil, "a counting expression needs plan Business, and plan %s lacks it", p.Plan)
	}
	if u.Action == "log" && plan.rank < 3 {
		p.found(u, u.At("action"), nil, "the action log needs plan Enterprise, and plan %s lacks it", p.Plan)
	}
	if u.Limit.Score > 0 && plan.rank < 3 {
		p.found(u, u.Limit.At("score_per_period"), nil, "counting by score needs plan Enterprise with Advanced Rate Limiting, and plan %s lacks it", p.Plan)
	}
	for i := range u.Limit.Keys {
		k := &u.Limit.Keys[i]
		switch name := k.String(); {
		case name == "cf.colo.id", name == "ip.src", name == "cf.unique_visitor_id" && plan.rank >= 2, plan.rank >= 3:
		case name == "cf.unique_visitor_id":
			p.found(u, k.Value.Span, nil, "characteristic %s needs plan Business, and plan %s lacks it", name, p.Plan)
		default:
			p.found(u, k.Value.Span, nil, "characteristic %s needs plan Enterprise with Advanced Rate Limiting, and plan %s lacks it", name, p.Plan)
		}
	}
}}

// needsPlan is the least plan that has a name of an expression.
func needsPlan(w *lang.Use) int {
	if rank, ok := planFields[w.Name]; ok {
		return rank
	}
	switch {
	case w.Response:
		return 2
	case w.Field == "":
		return 0 // a function, or another operator
	}
	return 3
}

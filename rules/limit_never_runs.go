package rules

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// LimitNeverRuns reports limits that no request ever comes to.
var LimitNeverRuns = register(rule.Rule{
	Name:       "limit-never-runs",
	Summary:    "no request ever comes to this limit",
	Group:      rule.GroupReach,
	Severity:   rule.Warning,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: "nginx asks the limiters behind the rewrite phase. What is answered there is never counted: by `return`, by a `rewrite` that\n" +
		"redirects, and by the redirect from `/api` to a proxied `/api/`. A location in which `return` answers everything has no limit,\n" +
		"whatever `limit_req` says there; so has a server that does nothing but send people to another one. A `rewrite ... last` of\n" +
		"everything takes each request to another location, whose limits hold then. `$limit_req_status` is `-` in the log.\n\n" +
		"Neither does a limit run that every block below replaces by one of its own, nor one of an internal location that nothing leads\n" +
		"to.\n\n" +
		"A limit is reported if it can run in none of the blocks where it is in effect. Nothing is said where the return stands within an\n" +
		"`if`, where a `break` may come before it, of a key that is always empty (that is how a limit is switched off), and of what\n" +
		"limit-skipped-after-redirect reports.\n",
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr zone=legacy:10m rate=2r/s;
    limit_req_status 429;

    server {
        location /legacy/ {
            limit_req zone=legacy burst=4 nodelay;
            return 404;
        }
    }
}
`,
	Good: `events {}

http {
    limit_req_zone $binary_remote_addr zone=legacy:10m rate=2r/s;
    limit_req_status 429;

    server {
        location /legacy/ {
            limit_req zone=legacy burst=4 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Links: []string{
		"https://nginx.org/en/docs/dev/development_guide.html#http_phases",
		"https://nginx.org/en/docs/http/ngx_http_rewrite_module.html#return",
		"https://nginx.org/en/docs/http/ngx_http_limit_req_module.html#limit_req",
	},
	Check: checkLimitNeverRuns,
})

func checkLimitNeverRuns(p *rule.Pass) {
	n := neverRuns{Pass: p, leads: make(map[string]*rule.Leads)}
	for list := range p.Lists() {
		if !list.OffHere && !n.mayRun(list) && n.whole(list) {
			n.report(list)
		}
	}
}

// report tells of a list, with the reason at the first of its places.
func (n *neverRuns) report(list rule.Written) {
	f := rule.Of(list.Lines[0].Item, list.At)
	f.Places = list.Levels
	f.Evidence = map[string]any{"places": int64(len(list.Places))}
	if len(list.Places) == 0 {
		f.Message = fmt.Sprintf("this %s is in effect nowhere: every server has limits of its own, which replace it", list.Kind)
		n.Report(f)
		return
	}
	place := list.Places[0]
	by, answered := place.Answerer()
	switch {
	case answered:
		if !n.tellAnswer(&f, list.Kind, place, by) {
			return
		}
	case place.Location == nil:
		f.Message = fmt.Sprintf("this %s is in effect nowhere: each location has limits of its own, and location / leaves no request to the server", list.Kind)
	default:
		f.Message = fmt.Sprintf("this %s never runs: no request from outside comes to location %s, and ", list.Kind, place.Location.Label())
		if _, judged := n.leadsOf(list).To(place.Location); judged {
			f.Message += "whatever nginx itself sends there was judged before, by the limits of the location that it came to first"
			f.Confidence = rule.Medium
		} else {
			f.Message += "nothing leads there"
		}
	}
	n.Report(f)
}

// tellAnswer names what answers before the limiter, with a request that shows it; false where the phases say otherwise.
func (n *neverRuns) tellAnswer(f *rule.Finding, kind string, place rule.Place, by config.Item) bool {
	f.Related = []rule.Label{{Span: by.Head(), Message: "takes every request first"}}
	f.Message = fmt.Sprintf("this %s never runs: %s takes every request before the limiter is asked", kind, rule.Quoted(by.Directive))
	target := "/"
	if place.Location != nil {
		samples := rule.Samples(place.Location)
		if len(samples) == 0 {
			return true
		}
		target = samples[0]
	}
	if n.probe == nil {
		n.probe = n.Probe()
	}
	t, ok := n.probe.Get(place.Server, target)
	if first, known := n.probe.First(place.Server, target); !ok || !known || first != place.Location {
		return true // that request goes elsewhere, which does not mend this
	}
	if t.LimiterRan && t.LimitedLevel == place.Level {
		return false
	}
	f.Message += ", as for " + n.probe.URL(place.Server, target)
	f.Evidence["url"] = n.probe.URL(place.Server, target)
	if t.Status != 0 {
		f.Evidence["status"] = int64(t.Status)
	}
	return true
}

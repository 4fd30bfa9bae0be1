package rules

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// MissingBurst reports limits that let in nothing beyond the bare rate.
var MissingBurst = register(rule.Rule{
	Name:       "missing-burst",
	Summary:    "a limit without burst refuses whatever comes at the same time",
	Group:      rule.GroupValues,
	Severity:   rule.Warning,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: "`burst` is the room for requests that come earlier than the rate allows, and its default is 0. nginx counts in milliseconds: at\n" +
		"`rate=30r/s` without burst any request that comes less than 34 ms after the last accepted one is refused, so of five that a\n" +
		"browser sends at once four are. A rate is how fast an excess drains, not how many may come together; the room has to be\n" +
		"given by `burst`, and `nodelay` lets it be used at once.\n\n" +
		"It is a note where only programs ask (hooks, metrics, xmlrpc), which may come as seldom as the limit wants. A limit that\n" +
		"never counts (its key is always empty) or that counts no ordinary visitor (a map gives a key to crawlers only)\n" +
		"is left alone.\n",
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr zone=api:10m rate=30r/s;
    limit_req_status 429;

    server {
        location /api/ {
            limit_req zone=api;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Good: `events {}

http {
    limit_req_zone $binary_remote_addr zone=api:10m rate=30r/s;
    limit_req_status 429;

    server {
        location /api/ {
            limit_req zone=api burst=60 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Links: []string{
		"https://nginx.org/en/docs/http/ngx_http_limit_req_module.html#limit_req",
		"https://blog.nginx.org/blog/rate-limiting-nginx",
	},
	Settings: []string{"background", "interactive"},
	Check:    checkMissingBurst,
})

func checkMissingBurst(p *rule.Pass) {
	for _, list := range p.LimitReqs() {
		judged, forPrograms := false, true
		for _, place := range list.Places {
			if place.Judges() && p.WholeIn(place.Server) {
				judged = true
				forPrograms = forPrograms && p.Use(place) == rule.ForPrograms
			}
		}
		if !judged {
			continue
		}
		for _, limit := range list.Limits {
			if limit.Burst > 0 || limit.Zone == nil || p.Key(limit.Zone.Key).Exempt {
				continue
			}
			f := missingBurstFinding(limit, list.At)
			f.Places = list.Levels
			if forPrograms {
				f.Severity = rule.Note
			}
			p.Report(f)
		}
	}
}

func missingBurstFinding(limit *config.LimitReq, at *config.Level) rule.Finding {
	gap := spacing(limit.Zone.Rate)
	f := rule.Of(config.Item{Directive: limit.Directive, Via: limit.Via}, at)
	f.Message = fmt.Sprintf("without burst each request that comes less than %s after the last accepted one is refused", rule.Exactly(gap))
	f.Evidence = map[string]any{"rate_milli": limit.Zone.Rate, "burst": int64(0), "spacing_ms": gap}
	f.Related = []rule.Label{{Span: limit.Zone.RateSpan, Message: "the rate"}}
	return f
}

// spacing is the least time in milliseconds between two requests that leaves no excess: nginx drains whole thousandths
// of a request, rate·ms/1000 of them, and one request is 1000.
func spacing(rate int64) int64 {
	if rate <= 0 {
		return 0
	}
	return (1_000_000 + rate - 1) / rate
}

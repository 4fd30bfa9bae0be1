package rules

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// DelayNotBelowBurst reports a delay= that covers the whole burst.
var DelayNotBelowBurst = register(rule.Rule{
	Name:       "delay-not-below-burst",
	Summary:    "a delay= that covers the whole burst, so that nothing is ever delayed",
	Group:      rule.GroupValues,
	Severity:   rule.Note,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: "With `burst=12 delay=8` nginx lets in the first 8 requests of an excess at once, spaces the next 4 at the rate, and refuses\n" +
		"what comes beyond. With `burst=12 delay=12`, or more, there is nothing left to be spaced: it is `nodelay`, written so that it\n" +
		"looks like two stages. Either a smaller `delay=` or a larger `burst=` was meant, or `nodelay` says the same. The fix writes\n" +
		"`nodelay`, which decides every request alike.\n",
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr zone=site:10m rate=5r/s;
    limit_req_status 429;

    server {
        location /shop/ {
            limit_req zone=site burst=40 delay=40;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Good: `events {}

http {
    limit_req_zone $binary_remote_addr zone=site:10m rate=5r/s;
    limit_req_status 429;

    server {
        location /shop/ {
            limit_req zone=site burst=60 delay=40;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Links: []string{
		"https://nginx.org/en/docs/http/ngx_http_limit_req_module.html#limit_req",
		"https://blog.nginx.org/blog/rate-limiting-nginx",
	},
	Fixable: true,
	SafeFix: true,
	Check:   checkDelayNotBelowBurst,
})

func checkDelayNotBelowBurst(p *rule.Pass) {
	for _, list := range p.LimitReqs() {
		for _, limit := range list.Limits {
			if !limit.HasDelay || limit.NoDelay || limit.Burst == 0 || limit.Delay < limit.Burst {
				continue
			}
			f := rule.Of(config.Item{Directive: limit.Directive, Via: limit.Via}, list.At)
			f.Places = list.Levels
			for _, w := range rule.DelayWords(limit.Directive) {
				f.Primary = limit.Directive.WordSpan(w) // of several the last one counts
			}
			f.Message = fmt.Sprintf("delay=%s is not below burst=%s, so nothing is ever delayed: it is the same as nodelay",
				rule.Milli(limit.Delay), rule.Milli(limit.Burst))
			f.Evidence = map[string]any{"burst_milli": limit.Burst, "delay_milli": limit.Delay}
			f.Fix = &rule.Fix{Title: "write nodelay", Safe: true, Edits: rule.ReplaceWord(limit.Directive, "delay=", "nodelay")}
			p.Report(f)
		}
	}
}

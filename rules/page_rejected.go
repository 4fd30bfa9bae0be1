package rules

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/model/simulate"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// PageRejected reports servers whose ordinary page is broken by a limit.
var PageRejected = register(rule.Rule{
	Name:       "page-rejected",
	Summary:    "an ordinary page of one client is refused in part",
	Group:      rule.GroupPlaces,
	Severity:   rule.Warning,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: "Where one person opens one page and a limit refuses some of its requests, pictures are missing, scripts do not run and what they\n" +
		"would have asked for is never sent; with a refused document there is no page at all.\n\n" +
		"The page (23 requests, the fan `portal`) is opened once in a simulation, by a client whom no limit knows yet; reported is the\n" +
		"location that refuses most of it, once for each server. It is a note where burst-below-fan,\n" +
		"missing-burst or limit-on-root warns of the limit in the same run: they say why, and one fault is one warning; and where\n" +
		"`delay=` lets half of the page through at once, or the key rests on what a visitor may or may not send. Nothing is said of what programs\n" +
		"or logins ask for, of servers that name themselves an API, nor of a dry run. For `limit_conn` see conn-limit-low.\n\n" +
		"Pages are simulated for the 64 servers of a configuration that suffer most by an estimate.\n",
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr zone=per_ip:10m rate=5r/s;
    limit_req_status 429;

    server {
        server_name portal.example.com;

        location / {
            limit_req zone=per_ip burst=10 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Good: `events {}

http {
    limit_req_zone $binary_remote_addr zone=per_ip:10m rate=30r/s;
    limit_req_status 429;

    server {
        server_name portal.example.com;

        location / {
            proxy_pass http://127.0.0.1:8080;
        }

        location /api/ {
            limit_req zone=per_ip burst=60 nodelay;
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
	Causes:   []string{BurstBelowFan.Name, MissingBurst.Name, LimitOnRoot.Name},
	Check:    checkPageRejected,
})

func checkPageRejected(p *rule.Pass) {
	e := pageEffects{p}
	e.each(func(one, _ simulate.LimitStat) int { return one.Rejected }, func(_ *simulate.Page, effect pageEffect) {
		f := e.finding(effect)
		all := int64(effect.at.One.Requests + effect.at.One.NotIssued)
		counts := rule.Counts{Rejected: effect.one.Rejected, Lost: effect.at.One.NotIssued}
		f.Message = fmt.Sprintf("an ordinary page of one client breaks here: of its %s %s", rule.Plural(all, "request", "requests"), counts.Words())
		f.Evidence = map[string]any{"page_requests": all, "page_rejected": int64(effect.one.Rejected), "page_unsent": int64(effect.at.One.NotIssued)}
		p.Report(f)
	})
}

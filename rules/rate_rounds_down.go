package rules

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// RateRoundsDown reports rates by the minute of which nginx keeps noticeably less than is written.
var RateRoundsDown = register(rule.Rule{
	Name:       "rate-rounds-down",
	Summary:    "a rate by the minute of which nginx keeps less than is written",
	Group:      rule.GroupValues,
	Severity:   rule.Note,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: "nginx keeps a rate in whole thousandths of a request per second and cuts off the rest. Of `rate=1r/m`, which is 16.67 of them,\n" +
		"it keeps 16: one request per 62.5 s, 57.6 an hour in place of 60. A client that comes exactly once a minute falls behind by\n" +
		"2.5 s each time and is refused when that has used up the burst; without burst the second request is. Of `rate=10r/m` 166 are\n" +
		"kept of 166.67, which is less than half a percent and not reported; more than one percent is.\n\n" +
		"A burst of 1 or 2 takes in whoever comes a little early. A rate by the second loses nothing.\n",
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr zone=report:10m rate=1r/m;
    limit_req_status 429;

    server {
        location = /report {
            limit_req zone=report burst=1 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Good: `events {}

http {
    limit_req_zone $binary_remote_addr zone=report:10m rate=3r/m;
    limit_req_status 429;

    server {
        location = /report {
            limit_req zone=report burst=1 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Links: []string{"https://nginx.org/en/docs/http/ngx_http_limit_req_module.html#limit_req_zone"},
	Check: checkRateRoundsDown,
})

func checkRateRoundsDown(p *rule.Pass) {
	for _, z := range p.Zones() {
		if z.Req == nil || z.Req.PerMinute == 0 || z.Req.PerMinute > 1000 {
			continue // what is cut off is less than 0.06 a minute
		}
		written, kept := z.Req.PerMinute*1000, z.Req.Rate*60 // thousandths of a request a minute
		if (written-kept)*100 <= written {
			continue
		}
		f := z.Of(p.Facts)
		f.Primary = z.Req.RateSpan
		gap := spacing(z.Req.Rate)
		f.Message = fmt.Sprintf("nginx keeps %s of %dr/m, one request per %s: %s a minute", rule.Rate(z.Req.Rate), z.Req.PerMinute, rule.Duration(gap), rule.Milli(kept))
		f.Evidence = map[string]any{
			"zone": z.Name, "rate_milli": z.Req.Rate, "per_minute_written": z.Req.PerMinute, "per_minute_kept_milli": kept, "spacing_ms": gap,
		}
		p.Report(f)
	}
}

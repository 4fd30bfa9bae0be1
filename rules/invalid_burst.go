package rules

import (
	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// InvalidBurst reports bursts that nginx refuses.
var InvalidBurst = register(rule.Rule{
	Name:       "invalid-burst",
	Summary:    "a burst that nginx does not take",
	Group:      rule.GroupRefused,
	Severity:   rule.Error,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: `` + "`" + `burst=` + "`" + ` takes a whole number from 1 up. ` + "`" + `burst=0` + "`" + ` is refused with ` + "`" + `invalid burst value "burst=0"` + "`" + `, although leaving the parameter
out means just that: no request beyond the rate is let in. Fractions and units are refused alike.
`,
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr zone=api:10m rate=10r/s;
    limit_req_status 429;

    server {
        location /api/ {
            limit_req zone=api burst=0;
        }
    }
}
`,
	Good: `events {}

http {
    limit_req_zone $binary_remote_addr zone=api:10m rate=10r/s;
    limit_req_status 429;

    server {
        location /api/ {
            limit_req zone=api burst=20 nodelay;
        }
    }
}
`,
	Links: []string{
		"https://nginx.org/en/docs/http/ngx_http_limit_req_module.html#limit_req",
	},
	Check: reportRefusals(config.InvalidBurst),
})

package rules

import (
	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// InvalidRate reports rates that nginx refuses.
var InvalidRate = register(rule.Rule{
	Name:       "invalid-rate",
	Summary:    "a rate that nginx does not take",
	Group:      rule.GroupRefused,
	Severity:   rule.Error,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: `A rate is a whole number of requests per second (` + "`" + `10r/s` + "`" + `) or per minute (` + "`" + `30r/m` + "`" + `). ` + "`" + `100r/h` + "`" + `, ` + "`" + `1.5r/s` + "`" + ` and ` + "`" + `0r/s` + "`" + ` are refused:
` + "`" + `invalid rate "rate=100r/h"` + "`" + `. What is less than one a minute cannot be written; 1r/m, which nginx keeps as 16 thousandths of a
request per second, is one request in 62.5 seconds.
`,
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr zone=reports:10m rate=100r/h;
    limit_req_status 429;

    server {
        location /reports/ {
            limit_req zone=reports burst=5 nodelay;
        }
    }
}
`,
	Good: `events {}

http {
    limit_req_zone $binary_remote_addr zone=reports:10m rate=2r/m;
    limit_req_status 429;

    server {
        location /reports/ {
            limit_req zone=reports burst=5 nodelay;
        }
    }
}
`,
	Links: []string{
		"https://nginx.org/en/docs/http/ngx_http_limit_req_module.html#limit_req_zone",
	},
	Check: reportRefusals(config.InvalidRate),
})

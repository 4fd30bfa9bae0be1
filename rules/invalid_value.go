package rules

import (
	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// InvalidValue reports values that nginx refuses.
var InvalidValue = register(rule.Rule{
	Name:       "invalid-value",
	Summary:    "a value that nginx does not take",
	Group:      rule.GroupRefused,
	Severity:   rule.Error,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: `nginx reads each value when it loads the configuration and refuses what it cannot take: a zone below eight memory pages
(` + "`" + `zone "api" is too small` + "`" + `, 32k with pages of 4 KiB), ` + "`" + `limit_req_status` + "`" + ` outside 400 to 599, ` + "`" + `limit_conn` + "`" + ` above 65,535, a switch that is
neither ` + "`" + `on` + "`" + ` nor ` + "`" + `off` + "`" + `. Until that is mended a reload changes nothing: the old limits stay in force.
`,
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr zone=api:16k rate=10r/s;
    limit_req_status 429;

    server {
        location /api/ {
            limit_req zone=api burst=20 nodelay;
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
		"https://nginx.org/en/docs/http/ngx_http_limit_req_module.html#limit_req_zone",
		"https://nginx.org/en/docs/http/ngx_http_limit_req_module.html#limit_req_status",
		"https://nginx.org/en/docs/http/ngx_http_limit_conn_module.html",
	},
	Check: reportRefusals(config.InvalidValue),
})

package rules

import (
	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// UnsupportedInVersion reports what the nginx that is judged for does not have.
var UnsupportedInVersion = register(rule.Rule{
	Name:       "unsupported-in-version",
	Summary:    "a directive or parameter that the judged nginx does not have yet, or has no more",
	Group:      rule.GroupRefused,
	Severity:   rule.Error,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: `The limits grew over time: ` + "`" + `delay=` + "`" + ` came with nginx 1.15.7, ` + "`" + `limit_req_dry_run` + "`" + ` with 1.17.1, ` + "`" + `limit_conn_dry_run` + "`" + `, ` + "`" + `$limit_req_status` + "`" + ` and
` + "`" + `$limit_conn_status` + "`" + ` with 1.17.6. An older nginx refuses such a file, and a reload there changes nothing. Name the version that
runs by ` + "`" + `--nginx-version` + "`" + `; without it the newest known one is meant.
`,
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr zone=api:10m rate=10r/s;
    limit_req_status 429;

    server {
        limit_req_dry_run on;

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
	For: "1.16.1",
	Links: []string{
		"https://nginx.org/en/docs/http/ngx_http_limit_req_module.html#limit_req_dry_run",
		"https://nginx.org/en/CHANGES",
	},
	Check: reportRefusals(config.UnsupportedVersion),
})

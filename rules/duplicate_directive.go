package rules

import (
	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// DuplicateDirective reports directives that stand twice where nginx allows one.
var DuplicateDirective = register(rule.Rule{
	Name:       "duplicate-directive",
	Summary:    "a directive that stands twice where one is allowed",
	Group:      rule.GroupRefused,
	Severity:   rule.Error,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: `Most values may be set once at a level: a second ` + "`" + `limit_req_status` + "`" + ` in one location is refused with ` + "`" + `"limit_req_status" directive is
duplicate` + "`" + `. ` + "`" + `limit_req` + "`" + ` may stand several times, once for each zone: two limits in one zone are no two limits, and nginx refuses
the second. An included snippet that repeats what the file around it says has the same effect.
`,
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr zone=api:10m rate=10r/s;
    limit_req_status 429;

    server {
        location /api/ {
            limit_req zone=api burst=20 nodelay;
            limit_req zone=api burst=5;
        }
    }
}
`,
	Good: `events {}

http {
    limit_req_zone $binary_remote_addr zone=per_client:10m rate=10r/s;
    limit_req_status 429;
    limit_req_zone $server_name zone=total:1m rate=300r/s;

    server {
        server_name api.example.com;

        location /api/ {
            limit_req zone=per_client burst=20 nodelay;
            limit_req zone=total burst=100 nodelay;
        }
    }
}
`,
	Links: []string{
		"https://nginx.org/en/docs/http/ngx_http_limit_req_module.html#limit_req",
	},
	Check: reportRefusals(config.DuplicateDirective),
})

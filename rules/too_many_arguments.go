package rules

import (
	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// TooManyArguments reports directives with the wrong number of arguments.
var TooManyArguments = register(rule.Rule{
	Name:       "too-many-arguments",
	Summary:    "a directive with more or fewer arguments than it takes",
	Group:      rule.GroupRefused,
	Severity:   rule.Error,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: `nginx counts a directive's words before it looks at them: ` + "`" + `invalid number of arguments in "limit_req" directive` + "`" + `. ` + "`" + `limit_req` + "`" + `
takes one to three, so a zone, a burst and one of ` + "`" + `nodelay` + "`" + ` and ` + "`" + `delay=` + "`" + `, but never both; ` + "`" + `limit_req_zone` + "`" + ` takes exactly three;
` + "`" + `limit_conn` + "`" + ` exactly two. A forgotten semicolon has the same effect, because the next line's words are then counted too.
`,
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr zone=api:10m rate=10r/s;
    limit_req_status 429;

    server {
        location /api/ {
            limit_req zone=api burst=20 nodelay dry_run;
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
		"https://nginx.org/en/docs/http/ngx_http_limit_req_module.html#limit_req_zone",
	},
	Check: reportRefusals(config.TooManyArguments),
})

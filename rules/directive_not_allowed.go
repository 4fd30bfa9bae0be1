package rules

import (
	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// DirectiveNotAllowed reports directives in a context where nginx refuses them.
var DirectiveNotAllowed = register(rule.Rule{
	Name:       "directive-not-allowed",
	Summary:    "a directive where nginx does not take it",
	Group:      rule.GroupRefused,
	Severity:   rule.Error,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: `Each directive has the contexts in which it may stand. ` + "`" + `limit_req_zone` + "`" + ` belongs to ` + "`" + `http` + "`" + ` alone; ` + "`" + `limit_req` + "`" + ` and ` + "`" + `limit_conn` + "`" + ` may stand
in ` + "`" + `http` + "`" + `, ` + "`" + `server` + "`" + ` and ` + "`" + `location` + "`" + `, but not in ` + "`" + `if` + "`" + `: ` + "`" + `"limit_req" directive is not allowed here` + "`" + `. To limit some requests only, give
the others an empty key by a ` + "`" + `map` + "`" + `: what has an empty key is not counted.
`,
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr zone=login:10m rate=10r/m;
    limit_req_status 429;

    server {
        location /login {
            if ($request_method = POST) {
                limit_req zone=login burst=5 nodelay;
            }
        }
    }
}
`,
	Good: `events {}

http {
    map $request_method $login_key {
        default "";
        POST    $binary_remote_addr;
    }

    limit_req_zone $login_key zone=login:10m rate=10r/m;
    limit_req_status 429;

    server {
        location /login {
            limit_req zone=login burst=5 nodelay;
        }
    }
}
`,
	Links: []string{
		"https://nginx.org/en/docs/http/ngx_http_limit_req_module.html",
		"https://nginx.org/en/docs/http/ngx_http_map_module.html",
	},
	Check: reportRefusals(config.DirectiveNotAllowed),
})

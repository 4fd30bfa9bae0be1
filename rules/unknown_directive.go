package rules

import (
	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// UnknownDirective reports directives that nginx does not know.
var UnknownDirective = register(rule.Rule{
	Name:       "unknown-directive",
	Summary:    "a directive that no nginx knows",
	Group:      rule.GroupRefused,
	Severity:   rule.Error,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: `nginx refuses to start, or goes on with the old configuration when it is told to reload, if it meets a name that neither
its core nor a loaded module knows: ` + "`" + `unknown directive "limit_reg"` + "`" + `. Usually it is a slip of the pen, or the module that
brings the directive is not loaded by ` + "`" + `load_module` + "`" + ` before it. Directives of modules of note are known here whether they are loaded or
not, as a nginx may have them built in; the last line of ` + "`" + `check` + "`" + ` names the modules of which that is taken.

What stands in a block of an unknown name is not looked at, so limits in it are not checked either.
`,
	Bad: `events {}

http {
    server {
        location /api/ {
            limit_reg zone=api burst=20 nodelay;
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
		"https://nginx.org/en/docs/dirindex.html",
		"https://nginx.org/en/docs/ngx_core_module.html#load_module",
	},
	Check: reportRefusals(config.UnknownDirective),
})

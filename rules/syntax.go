package rules

import (
	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// Syntax reports what nginx refuses in the grammar.
var Syntax = register(rule.Rule{
	Name:       "syntax",
	Summary:    "a place that nginx cannot read",
	Group:      rule.GroupRefused,
	Severity:   rule.Error,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: `A directive ends with ` + "`;`" + ` or with a block in braces, and every brace has its partner. Where that fails nginx stops with ` + "`unexpected\n\"}\"`, `unexpected end of file, expecting \";\" or \"}\"`, `directive \"x\" is not terminated by \";\"`" + ` or the like, and a reload
leaves the old configuration in force. It names the line at which it gave up, which is often a later one than the one to
mend: a missing ` + "`;`" + ` shows where the next ` + "`}`" + ` stands.

The rest of the file is checked all the same where it can be told what was meant, but nothing is reported that rests on
something being absent.
`,
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr zone=api:10m rate=10r/s;
    limit_req_status 429;

    server {
        location /api/ {
            limit_req zone=api burst=20 nodelay
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
	Links: []string{"https://nginx.org/en/docs/beginners_guide.html#conf_structure"},
	Check: reportRefusals(config.SyntaxError),
})

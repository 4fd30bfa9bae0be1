package rules

import (
	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// ZoneDuplicate reports zones that are defined twice.
var ZoneDuplicate = register(rule.Rule{
	Name:       "zone-duplicate",
	Summary:    "two definitions of one zone",
	Group:      rule.GroupZones,
	Severity:   rule.Error,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: `A zone's name stands for one piece of shared memory, with one key and one rate, for the whole of nginx. A second definition is
refused: ` + "`" + `limit_req_zone "api" is already bound to key "$binary_remote_addr"` + "`" + `. A name may not be shared between ` + "`" + `limit_req_zone` + "`" + ` and
` + "`" + `limit_conn_zone` + "`" + ` either. It often comes from a file that two places include.
`,
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr zone=api:10m rate=10r/s;
    limit_req_status 429;
    limit_req_zone $binary_remote_addr zone=api:10m rate=30r/s;

    server {
        location /api/ {
            limit_req zone=api burst=20 nodelay;
        }
    }
}
`,
	Good: `events {}

http {
    limit_req_zone $binary_remote_addr zone=login:10m rate=10r/m;
    limit_req_status 429;
    limit_req_zone $binary_remote_addr zone=api:10m rate=30r/s;

    server {
        location /api/ {
            limit_req zone=api burst=60 nodelay;
        }

        location = /api/login {
            limit_req zone=login burst=5 nodelay;
        }
    }
}
`,
	Links: []string{
		"https://nginx.org/en/docs/http/ngx_http_limit_req_module.html#limit_req_zone",
	},
	Check: reportRefusals(config.ZoneDuplicate),
})

package rules

import (
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// ZoneUnknown reports limits whose zone nothing defines.
var ZoneUnknown = register(rule.Rule{
	Name:       "zone-unknown",
	Summary:    "a limit names a zone that nothing defines",
	Group:      rule.GroupZones,
	Severity:   rule.Error,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: `nginx binds limits to zones by name after it has read everything, so a zone may be defined behind its use and in another
file. One that is defined nowhere makes it refuse the configuration: ` + "`zero size shared memory zone \"api\"`" + `, without a file or a
line. Usually the name is misspelt, or the file with the definition is not included here.

Of a fragment, and where a part of the configuration could not be read, nothing is said: the definition may stand in what
is missing.
`,
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr zone=api:10m rate=10r/s;
    limit_req_status 429;

    server {
        location /api/ {
            limit_req zone=apis burst=20 nodelay;
        }
    }
}
`,
	Good: `events {}

http {
    server {
        location /api/ {
            limit_req zone=api burst=20 nodelay;
        }
    }

    limit_req_zone $binary_remote_addr zone=api:10m rate=10r/s;
    limit_req_status 429;
}
`,
	Links: []string{"https://nginx.org/en/docs/http/ngx_http_limit_req_module.html#limit_req"},
	Check: checkZoneUnknown,
})

func checkZoneUnknown(p *rule.Pass) {
	ofZone := func(r config.Refusal) bool { return r.Kind == config.ZoneUnknown }
	if slices.ContainsFunc(p.Tree.Refusals, ofZone) && p.Whole() {
		reportRefusals(config.ZoneUnknown)(p)
	}
}

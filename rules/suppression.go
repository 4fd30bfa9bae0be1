package rules

import "github.com/ngxlimit/ngxlimit/rules/rule"

// Suppression reports suppression comments that are at fault; rules/run makes its findings.
var Suppression = register(rule.Rule{
	Name:       rule.Suppression,
	Summary:    "a suppression comment without a reason, past its date, or of no use",
	Group:      rule.GroupOwn,
	Severity:   rule.Warning,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: "A finding that is known and accepted is held back by a comment on the line before it or at the end of its line:\n\n" +
		"    # ngxlimit:ignore limit-on-root until 2027-01-31 the shop moves to its own host in January\n\n" +
		"The reason is required, because in a year nobody remembers it; the date is not. A comment that gives no reason, names no rule\n" +
		"that exists, has passed its date or holds nothing back is a finding itself, and one at fault holds nothing back. Where a part\n" +
		"of the configuration could not be read, none is called useless. The fix takes the names out that hold nothing back, and with\n" +
		"the last of them the comment. It is a note where a comment only looks like one: `ngxlimit: ignore`, `nginxlimit:ignore`,\n" +
		"`ngxlimit:disable` hold nothing back.\n",
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr zone=api:10m rate=10r/s;
    limit_req_status 429;

    server {
        location /readings/ {
            # ngxlimit:ignore missing-burst
            limit_req zone=api;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Good: `events {}

http {
    limit_req_zone $binary_remote_addr zone=api:10m rate=10r/s;
    limit_req_status 429;

    server {
        location /readings/ {
            # ngxlimit:ignore missing-burst the meter sends one request a minute
            limit_req zone=api;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Fixable: true,
	SafeFix: true,
	Links:   []string{"https://github.com/ngxlimit/ngxlimit#what-is-found"},
})

package rules

import (
	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// DefaultRejectStatus reports limits whose refusals carry nginx's default, 503.
var DefaultRejectStatus = register(rule.Rule{
	Name:       "default-reject-status",
	Summary:    "refusals carry the default status 503, as an outage would",
	Group:      rule.GroupSeeing,
	Severity:   rule.Note,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: "Without `limit_req_status` a refused request is answered by 503, the same status that nginx gives when\n" +
		"no upstream is there. In the log and in monitoring a limit at work then looks like an outage, a client cannot tell that it\n" +
		"should slow down, and a balancer that retries on 503 sends the request once more. 429 (Too Many Requests) says what\n" +
		"happened; one line at `http` level holds for all limits.\n\n" +
		"It is told once for the whole configuration, at the first limit, since one line mends all of them.\n" +
		"A status that is written, 503 too, is taken as meant. So is an `error_page 503 =429 ...` in effect. default-conn-status says the\n" +
		"same of `limit_conn`.\n",
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr zone=api:10m rate=10r/s;

    server {
        location /api/ {
            limit_req zone=api burst=20 nodelay;
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
        location /api/ {
            limit_req zone=api burst=20 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Links: []string{
		"https://nginx.org/en/docs/http/ngx_http_limit_req_module.html#limit_req_status",
		"https://www.rfc-editor.org/rfc/rfc6585#section-4",
	},
	Fixable: true,
	Check:   checkDefaultRejectStatus,
})

func checkDefaultRejectStatus(p *rule.Pass) {
	reqs := defaulted{name: "limit_req", refused: len(p.Tree.Refusals) > 0, wrote: map[*config.Level]bool{}}
	for _, list := range p.LimitReqs() {
		l := list.Limits[0]
		reqs.add(list.At, list.Levels, config.Item{Directive: l.Directive, Via: l.Via}, list.Places, func(s *config.Settings) (*config.Setting[int], bool) {
			return s.LimitReqStatus, s.LimitReqDryRun.Value
		})
		if reqs.zone == nil && l.Zone != nil {
			reqs.zone = l.Zone.Directive
		}
	}
	reqs.report(p)
}

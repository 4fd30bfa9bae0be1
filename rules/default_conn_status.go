package rules

import (
	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// DefaultConnStatus reports limits on connections whose refusals carry nginx's default, 503.
var DefaultConnStatus = register(rule.Rule{
	Name:       "default-conn-status",
	Summary:    "refusals of limit_conn carry the default status 503, as an outage would",
	Group:      rule.GroupSeeing,
	Severity:   rule.Note,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: "Without `limit_conn_status` a request that finds too many connections open is answered by 503, the status of an outage.\n" +
		"`limit_req_status` does not hold for it: the two modules have a status each, and whoever sets only one of them sees two kinds of\n" +
		"refusal. A client cannot tell from 503 that it should wait, and a balancer takes the server out or sends the request once more.\n" +
		"429 (Too Many Requests) says what happened; one line at `http` level holds for all limits.\n\n" +
		"It is told once for the whole configuration, at the first limit, since one line mends all of them.\n" +
		"A status that is written, 503 too, is taken as meant. So is an `error_page 503 =429 ...` in effect.\n",
	Bad: `events {}

http {
    limit_conn_zone $binary_remote_addr zone=addr:10m;

    server {
        location /download/ {
            limit_conn addr 4;
            root /srv/www;
        }
    }
}
`,
	Good: `events {}

http {
    limit_conn_zone $binary_remote_addr zone=addr:10m;
    limit_conn_status 429;

    server {
        location /download/ {
            limit_conn addr 4;
            root /srv/www;
        }
    }
}
`,
	Links: []string{
		"https://nginx.org/en/docs/http/ngx_http_limit_conn_module.html#limit_conn_status",
		"https://www.rfc-editor.org/rfc/rfc6585#section-4",
	},
	Fixable: true,
	Check:   checkDefaultConnStatus,
})

func checkDefaultConnStatus(p *rule.Pass) {
	conns := defaulted{name: "limit_conn", refused: len(p.Tree.Refusals) > 0, wrote: map[*config.Level]bool{}}
	for _, list := range p.LimitConns() {
		l := list.Limits[0]
		conns.add(list.At, list.Levels, config.Item{Directive: l.Directive, Via: l.Via}, list.Places, func(s *config.Settings) (*config.Setting[int], bool) {
			return s.LimitConnStatus, s.LimitConnDryRun.Value
		})
		if conns.zone == nil && l.Zone != nil {
			conns.zone = l.Zone.Directive
		}
	}
	conns.report(p)
}

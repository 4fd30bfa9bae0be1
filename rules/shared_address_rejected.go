package rules

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/model/simulate"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// SharedAddressRejected reports limits that one client passes and an office does not.
var SharedAddressRejected = register(rule.Rule{
	Name:       "shared-address-rejected",
	Summary:    "people who share an address break a limit that one of them passes",
	Group:      rule.GroupPlaces,
	Severity:   rule.Note,
	Confidence: rule.Low,
	Since:      "0.1.0",
	Why: "An office, a school or a mobile network sends its people through one public address, and a limit for each address counts them as one.\n" +
		"At a trust company 29 people sat behind one address and opened the portal in the same minutes of the morning: each page of 23\n" +
		"requests passed by itself, and together they were refused. Whoever tests alone sees nothing of it.\n\n" +
		"The page is opened in a simulation by so many clients behind one address as `clients_per_address` in `.ngxlimit.yaml` (or\n" +
		"`--clients-per-address`) says, evenly over one minute; reported is the location that refuses most, once for each server, if one\n" +
		"client alone has nothing refused (page-rejected says that). Without that setting 29 clients are taken, and it is a note of low\n" +
		"confidence; with it, a warning of medium confidence. A key that tells people apart (a session, a token) or a burst for all of them helps.\n" +
		"Nothing is said of what programs or logins ask for, of servers that name themselves an API, nor of a dry run.\n",
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr zone=per_ip:10m rate=5r/s;
    limit_req_status 429;

    server {
        server_name portal.example.com;

        location /api/ {
            limit_req zone=per_ip burst=20 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Good: `events {}

http {
    limit_req_zone $binary_remote_addr zone=per_ip:10m rate=30r/s;
    limit_req_status 429;

    server {
        server_name portal.example.com;

        location /api/ {
            limit_req zone=per_ip burst=60 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Links: []string{
		"https://nginx.org/en/docs/http/ngx_http_limit_req_module.html",
		"https://blog.nginx.org/blog/rate-limiting-nginx",
	},
	Settings: []string{"background", "clients_per_address", "interactive"},
	Check:    checkSharedAddressRejected,
})

func checkSharedAddressRejected(p *rule.Pass) {
	e := pageEffects{p}
	e.each(func(one, office simulate.LimitStat) int {
		if one.Rejected > 0 {
			return 0
		}
		return office.Rejected
	}, func(page *simulate.Page, effect pageEffect) {
		f := e.finding(effect)
		if p.Settings.ClientsPerAddress > 0 && f.Severity == "" {
			f.Severity, f.Confidence = rule.Warning, rule.Medium
		}
		all := int64(effect.at.Office.Requests + effect.at.Office.NotIssued)
		f.Message = fmt.Sprintf("%d clients behind one address break here what one of them does not: of the %s of their pages within a minute %s refused",
			page.Clients, rule.Plural(all, "request", "requests"), areRefused(effect.office.Rejected))
		f.Evidence = map[string]any{
			"clients_per_address": int64(page.Clients), "office_requests": all, "office_rejected": int64(effect.office.Rejected),
			"office_unsent": int64(effect.at.Office.NotIssued), "page_rejected": int64(0),
		}
		p.Report(f)
	})
}

func areRefused(n int) string { return rule.Plural(int64(n), "is", "are") }

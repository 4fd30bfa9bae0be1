package rules

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/model/simulate"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// ConnLimitLow reports limits on connections that refuse requests of one client's page.
var ConnLimitLow = register(rule.Rule{
	Name:       "conn-limit-low",
	Summary:    "a limit on connections below what one browser opens",
	Group:      rule.GroupPlaces,
	Severity:   rule.Warning,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: "`limit_conn` counts a connection for as long as a request on it is being answered. A browser that speaks HTTP/1.1 opens six\n" +
		"connections to a host and asks on all of them as soon as the page names that many files, so with `limit_conn addr 3` one\n" +
		"visitor's page loses its fourth, fifth and sixth file. People who share an address are counted together: six each.\n\n" +
		"Where the server offers HTTP/2, conn-limit-low-for-h2 says what the limit does. Nothing is said where one page passes, of paths\n" +
		"that a page does not ask for, of logins and of what programs ask for, nor of a dry run.\n",
	Bad: `events {}

http {
    limit_conn_zone $binary_remote_addr zone=addr:10m;
    limit_conn_status 429;

    server {
        location / {
            limit_conn addr 3;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Good: `events {}

http {
    limit_conn_zone $binary_remote_addr zone=addr:10m;
    limit_conn_status 429;

    server {
        location / {
            limit_conn addr 30;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Links:    []string{"https://nginx.org/en/docs/http/ngx_http_limit_conn_module.html#limit_conn"},
	Settings: []string{"background", "fans", "interactive"},
	Check:    func(p *rule.Pass) { checkConnLimit(p, false) },
})

// checkConnLimit reports each limit that refuses requests of one client's page, at servers that offer HTTP/2 or at others.
func checkConnLimit(p *rule.Pass, http2 bool) {
	for _, list := range p.LimitConns() {
		for i, limit := range list.Limits {
			if limit.Zone == nil {
				continue
			}
			worst := p.RefusedBy(list, i, func(place rule.Place) bool {
				return simulate.OffersHTTP2(place.Server) == http2 && takesConnections(p, place)
			})
			if worst.Rejected > 0 {
				p.Report(connLimitFinding(list, limit, worst, http2))
			}
		}
	}
}

func takesConnections(p *rule.Pass, place rule.Place) bool {
	use := p.Use(place)
	return (use == rule.ForPages || use == rule.ForStatic) &&
		place.Judges() && !place.Settings.LimitConnDryRun.Value && place.IsFan() && !rule.ForMachines(place.Server)
}

func connLimitFinding(list rule.List[*config.LimitConn], limit *config.LimitConn, r rule.Refused, http2 bool) rule.Finding {
	f := rule.Of(config.Item{Directive: limit.Directive, Via: limit.Via}, list.At)
	f.Places = list.Levels
	f.Evidence = map[string]any{
		"limit": int64(limit.Max), "page_requests": int64(r.Requests), "page_rejected": int64(r.Rejected), "at_once_needed": r.AtOnce,
	}
	over := "on six connections of HTTP/1.1"
	if http2 {
		over = "over HTTP/2, each stream of which counts as a connection"
	}
	f.Message = fmt.Sprintf("at most %s at once is less than one page of one client needs %s: of its %s here %s, and up to %d are under way at once",
		rule.Count(int64(limit.Max)), over, rule.Plural(int64(r.Requests), "request", "requests"), refusedWords(r.Rejected), r.AtOnce)
	return f
}

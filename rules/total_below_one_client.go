package rules

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// TotalBelowOneClient reports limits for all clients together that one client alone may use up.
var TotalBelowOneClient = register(rule.Rule{
	Name:       "total-below-one-client",
	Summary:    "a limit for all clients together that one client may use up",
	Group:      rule.GroupValues,
	Severity:   rule.Warning,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: "A limit by `$server_name` counts all clients together, to protect what is behind; beside it a limit by address gives each client\n" +
		"its share. Where the total is not above one client's share, a single client that keeps to its own limit takes everything, and\n" +
		"all others are refused: with 30r/s for each address and 20r/s in total one busy browser is enough, and the total has become\n" +
		"the way to put the site out of service. The same holds for `limit_conn`, and for a total whose burst is smaller than a\n" +
		"client's: then the client's own burst is not to be had, which is a note, because the total drains faster.\n\n" +
		"A total should have room for many clients: 300r/s and burst 120 beside 30r/s and burst 60.\n",
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr zone=per_ip:10m rate=30r/s;
    limit_req_zone $server_name zone=total:1m rate=20r/s;
    limit_req_status 429;

    server {
        server_name www.example.com;

        location /api/ {
            limit_req zone=per_ip burst=60 nodelay;
            limit_req zone=total burst=120 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Good: `events {}

http {
    limit_req_zone $binary_remote_addr zone=per_ip:10m rate=30r/s;
    limit_req_zone $server_name zone=total:1m rate=300r/s;
    limit_req_status 429;

    server {
        server_name www.example.com;

        location /api/ {
            limit_req zone=per_ip burst=60 nodelay;
            limit_req zone=total burst=120 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Links: []string{
		"https://nginx.org/en/docs/http/ngx_http_limit_req_module.html#limit_req",
		"https://nginx.org/en/docs/http/ngx_http_limit_conn_module.html#limit_conn",
	},
	Check: checkTotalBelowOneClient,
})

func checkTotalBelowOneClient(p *rule.Pass) {
	rates := make(map[*config.Zone]bool) // that were reported: the rate is written once
	for _, list := range p.LimitReqs() {
		total, client := totalAndClient(list, func(l *config.LimitReq) (rule.Key, bool) {
			if l.Zone == nil {
				return rule.Key{}, false
			}
			return p.Key(l.Zone.Key), true
		}, func(a, b *config.LimitReq) bool { return a.Zone.Rate < b.Zone.Rate })
		switch {
		case total == nil:
		case total.Zone.Rate <= client.Zone.Rate:
			if !rates[total.Zone] {
				rates[total.Zone] = true
				p.Report(totalRate(p, total, client))
			}
		case total.Burst < client.Burst:
			p.Report(totalBurst(list, total, client))
		}
	}
	for _, list := range p.LimitConns() {
		total, client := totalAndClient(list, func(l *config.LimitConn) (rule.Key, bool) {
			if l.Zone == nil {
				return rule.Key{}, false
			}
			return p.Key(l.Zone.Key), true
		}, func(a, b *config.LimitConn) bool { return a.Max < b.Max })
		if total != nil && total.Max <= client.Max {
			f := rule.Of(config.Item{Directive: total.Directive, Via: total.Via}, list.At)
			f.Places = list.Levels
			f.Message = fmt.Sprintf("all clients together may have %s at a time, and one client %d", rule.Plural(int64(total.Max), "request", "requests"), client.Max)
			f.Evidence = map[string]any{"total": int64(total.Max), "client": int64(client.Max)}
			f.Related = []rule.Label{{Span: client.Span, Message: "the limit of one client"}}
			p.Report(f)
		}
	}
}

func totalRate(p *rule.Pass, total, client *config.LimitReq) rule.Finding {
	z := total.Zone
	f := rule.Of(config.Item{Directive: z.Directive, Via: z.Via}, &p.Tree.HTTP.Level)
	f.Primary = rateSpan(z)
	f.Message = fmt.Sprintf("all clients together have %s in zone %q, and one client %s in zone %q: it may take everything",
		rule.RateOf(z), z.Name, rule.RateOf(client.Zone), client.Zone.Name)
	f.Evidence = map[string]any{"total_rate_milli": z.Rate, "client_rate_milli": client.Zone.Rate, "zone": z.Name}
	f.Related = []rule.Label{
		{Span: rateSpan(client.Zone), Message: "the rate of one client"},
		{Span: total.Span, Message: "both are in effect here"},
	}
	return f
}

// rateSpan is where a zone's rate is written; the directive's head where nginx's own is taken.
func rateSpan(z *config.Zone) source.Span {
	if z.RateSpan.File == nil {
		return z.Span
	}
	return z.RateSpan
}

func totalBurst(list rule.List[*config.LimitReq], total, client *config.LimitReq) rule.Finding {
	f := rule.Of(config.Item{Directive: total.Directive, Via: total.Via}, list.At)
	f.Places = list.Levels
	f.Severity, f.Confidence = rule.Note, rule.Medium
	f.Message = fmt.Sprintf("burst=%s for all clients together is less than burst=%s for one: its own burst is not to be had", rule.Milli(total.Burst), rule.Milli(client.Burst))
	f.Evidence = map[string]any{"total_burst_milli": total.Burst, "client_burst_milli": client.Burst}
	f.Related = []rule.Label{{Span: client.Span, Message: "the burst of one client"}}
	return f
}

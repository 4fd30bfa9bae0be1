package rules

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/model/simulate"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// PageDelayed reports servers whose ordinary page waits in a limit.
var PageDelayed = register(rule.Rule{
	Name:       "page-delayed",
	Summary:    "an ordinary page of one client waits for a limit",
	Group:      rule.GroupPlaces,
	Severity:   rule.Warning,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: "A limit is there for what is out of the ordinary. Where one person opens one page and nginx holds some of its requests back, the\n" +
		"configuration is at fault even if nothing fails: the upstream is idle, and the page takes seconds. At a trust company's portal the\n" +
		"95th percentile went from 310 ms to 2.1 s, with the upstream's at 240 ms as before.\n\n" +
		"The page (23 requests, the fan `portal`) is opened once in a simulation, by a client whom no limit knows yet; reported is the\n" +
		"location that holds up most of it, once for each server, if some request waits for more than 100 ms. It is a note where\n" +
		"missing-nodelay, limit-on-root or static-limited warns of the limit in the same run: they say why, and one fault is one warning. It\n" +
		"is a note too where `delay=` lets half of the page through at once (whoever wrote that has thought of a page), and where the key\n" +
		"rests on what a visitor may or may not send. Nothing is said of what programs or logins ask for, of servers that name themselves an API, nor\n" +
		"of a dry run.\n\n" +
		"Pages are simulated for the 64 servers of a configuration that suffer most by an estimate.\n",
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr zone=per_ip:10m rate=5r/s;
    limit_req_status 429;

    server {
        server_name portal.example.com;

        location / {
            limit_req zone=per_ip burst=40;
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

        location / {
            proxy_pass http://127.0.0.1:8080;
        }

        location /api/ {
            limit_req zone=per_ip burst=60 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Links: []string{
		"https://nginx.org/en/docs/http/ngx_http_limit_req_module.html#limit_req",
		"https://blog.nginx.org/blog/rate-limiting-nginx",
	},
	Settings: []string{"background", "interactive"},
	Causes:   []string{MissingNodelay.Name, LimitOnRoot.Name, StaticLimited.Name},
	Check:    checkPageDelayed,
})

func checkPageDelayed(p *rule.Pass) {
	e := pageEffects{p}
	e.each(func(one, _ simulate.LimitStat) int {
		if one.MaxAddedMs <= unnoticedMs {
			return 0
		}
		return one.Delayed
	}, func(page *simulate.Page, effect pageEffect) {
		f := e.finding(effect)
		all := int64(effect.at.One.Requests + effect.at.One.NotIssued)
		f.Message = fmt.Sprintf("an ordinary page of one client waits here: %s of its %s, for up to %s", waiting(effect.one.Delayed),
			rule.Plural(all, "request", "requests"), rule.AtMost(effect.one.MaxAddedMs))
		f.Evidence = map[string]any{"page_requests": all, "page_delayed": int64(effect.one.Delayed), "delay_ms_max": effect.one.MaxAddedMs}
		if ms, free := page.One.Stat.LimitedMs.P50, page.One.Stat.UnlimitedMs.P50; ms > free && page.One.Rejected == 0 {
			f.Message += fmt.Sprintf(", and takes %s in place of %s", rule.Duration(ms), rule.Duration(free))
			f.Evidence["page_ms"], f.Evidence["page_ms_unlimited"] = ms, free
		}
		p.Report(f)
	})
}

func waiting(n int) string {
	if n == 1 {
		return "one"
	}
	return rule.Count(int64(n))
}

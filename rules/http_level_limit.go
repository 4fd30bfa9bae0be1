package rules

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// HTTPLevelLimit reports limits that all servers share.
var HTTPLevelLimit = register(rule.Rule{
	Name:       "http-level-limit",
	Summary:    "a limit in http counts the requests to all servers together",
	Group:      rule.GroupPlaces,
	Severity:   rule.Note,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: "A `limit_req` or `limit_conn` in `http` is in effect in every server and location that has none of its own: the shop, the\n" +
		"status page, the health checks, whatever file somebody puts into `conf.d/` next year. The bucket is one, so that who works with\n" +
		"two of the sites spends the same room in both, and the first location that gets a limit of its own silently leaves it.\n\n" +
		"It is a note, told once for each list, with the number of servers; a limit belongs to what it protects. Nothing is said where\n" +
		"only one server has it, and of limits that count no ordinary visitor (crawlers, posts of one kind), which may well hold everywhere.\n",
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr zone=per_ip:10m rate=20r/s;
    limit_req_status 429;
    limit_req zone=per_ip burst=60 nodelay;

    server {
        server_name shop.example.com;
    }

    server {
        server_name docs.example.com;
    }
}
`,
	Good: `events {}

http {
    limit_req_zone $binary_remote_addr zone=per_ip:10m rate=20r/s;
    limit_req_status 429;

    server {
        server_name shop.example.com;
        limit_req zone=per_ip burst=60 nodelay;
    }

    server {
        server_name docs.example.com;
    }
}
`,
	Links: []string{
		"https://nginx.org/en/docs/http/ngx_http_limit_req_module.html#limit_req",
		"https://nginx.org/en/docs/http/ngx_http_limit_conn_module.html#limit_conn",
	},
	Check: checkHTTPLevelLimit,
})

func checkHTTPLevelLimit(p *rule.Pass) {
	for list := range p.Lists() {
		i := countsPages(list.Lines)
		if list.At.Kind != config.KindHTTP || i < 0 {
			continue
		}
		var servers int64
		var last *config.Server
		for _, place := range list.Places {
			if place.Server != last && place.Judges() && p.WholeIn(place.Server) {
				servers++
				last = place.Server
			}
		}
		if servers < 2 {
			continue
		}
		f := rule.Of(list.Lines[i].Item, list.At)
		f.Message = fmt.Sprintf("this %s counts the requests to %s in one zone", list.Kind, rule.Plural(servers, "server", "servers"))
		f.Evidence = map[string]any{"servers": servers}
		p.Report(f)
	}
}

// countsPages is the index of the first limit that counts a visitor who looks at pages; -1 where there is none.
func countsPages(lines []rule.Line) int {
	for i := range lines {
		if lines[i].Known && lines[i].Key.Pages {
			return i
		}
	}
	return -1
}

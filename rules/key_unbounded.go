package rules

import (
	"fmt"
	"slices"

	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// KeyUnbounded reports keys that are new for each request or connection.
var KeyUnbounded = register(rule.Rule{
	Name:       "key-unbounded",
	Summary:    "a key that is new for each request or connection, so that nothing adds up",
	Group:      rule.GroupKeys,
	Severity:   rule.Error,
	Confidence: rule.High,
	Risk:       "5.3",
	Since:      "0.1.0",
	Why: "A limit counts how many requests come under one key. `$request_id` is another one for each request, so that each is the first of\n" +
		"its own bucket, and none is ever refused. `$connection` and `$remote_port` are new with each connection, and a client may open\n" +
		"one for each request; times (`$msec`, `$time_local`) begin anew all the time. Beside an address it is no better: what is new\n" +
		"makes the whole key new. The zone fills with buckets of one request each.\n",
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr$request_id zone=clients:10m rate=10r/s;
    limit_req_status 429;

    server {
        location /api/ {
            limit_req zone=clients burst=20 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Good: `events {}

http {
    limit_req_zone $binary_remote_addr zone=clients:10m rate=10r/s;
    limit_req_status 429;

    server {
        location /api/ {
            limit_req zone=clients burst=20 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Links: []string{
		"https://nginx.org/en/docs/http/ngx_http_core_module.html#variables",
		"https://nginx.org/en/docs/http/ngx_http_limit_req_module.html#limit_req_zone",
	},
	Check: checkKeyUnbounded,
})

func checkKeyUnbounded(p *rule.Pass) {
	for _, z := range p.Zones() {
		texts := p.Flow(z.Key).Texts
		i := slices.IndexFunc(texts, func(l rule.Leaf) bool { return rule.Fresh(l.Name) })
		if i < 0 || !p.Counts(z) {
			continue
		}
		f := z.Of(p.Facts)
		f.Evidence["variable"] = "$" + texts[i].Name
		f.Message = fmt.Sprintf("$%s is another one all the time, so that no two requests of a client add up in zone %q", texts[i].Name, z.Name)
		if !texts[i].Direct() {
			f.Confidence = rule.Medium // by another value of the map they may
			f.Related = []rule.Label{{Span: texts[i].Span, Message: "it comes in here"}}
		}
		p.Report(f)
	}
}

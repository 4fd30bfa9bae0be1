package rules

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// HealthCheckLimited reports health checks that share a bucket with visitors.
var HealthCheckLimited = register(rule.Rule{
	Name:       "health-check-limited",
	Summary:    "a health check is counted by a general limit",
	Group:      rule.GroupPlaces,
	Severity:   rule.Warning,
	Confidence: rule.Medium,
	Since:      "0.1.0",
	Why: "A balancer takes a server out of service when its health check fails two or three times. Where the check is counted by the limit of\n" +
		"the whole server, a busy minute does that: the bucket is full, the check gets 503 or 429, the balancer sends everybody to the\n" +
		"other servers, and their buckets fill next.\n\n" +
		"It is a warning where the bucket is one for all (a total for the server, or the address of a balancer that connects for everybody\n" +
		"and is not trusted by `set_real_ip_from`), and a note where each address has its own: who asks every few seconds needs little of it.\n" +
		"A location for checks can have `limit_req` of a zone whose key is always empty, which switches the outer limit off.\n\n" +
		"A request was followed through nginx's phases. Nothing is said of a check that nginx answers itself by `return`, that has a limit\n" +
		"of its own, or that the key exempts; nor of a dry run. Health checks are known by their names: /healthz, /ping, /readyz and the like.\n",
	Bad: `events {}

http {
    limit_req_zone $server_name zone=total:1m rate=300r/s;
    limit_req_status 429;

    server {
        server_name www.example.com;
        limit_req zone=total burst=500 nodelay;

        location = /healthz {
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Good: `events {}

http {
    map "" $never {
        default "";
    }

    limit_req_zone $server_name zone=total:1m rate=300r/s;
    limit_req_zone $never zone=off:32k rate=1r/s;
    limit_req_status 429;

    server {
        server_name www.example.com;
        limit_req zone=total burst=500 nodelay;

        location = /healthz {
            limit_req zone=off;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Links: []string{"https://nginx.org/en/docs/http/ngx_http_limit_req_module.html#limit_req"},
	Check: checkHealthCheckLimited,
})

func checkHealthCheckLimited(p *rule.Pass) {
	checkNamed(p, rule.IsHealthCheck, "GET", func(place rule.Place, limit *config.LimitReq, url string) (rule.Finding, bool) {
		f := rule.Of(config.Item{Directive: place.Location.Directive, Via: place.Location.Via}, place.Level)
		f.Message = fmt.Sprintf("the health check %s is counted by zone %s", url, limit.ZoneName)
		sign := p.FrontSign(place)
		switch key := p.Key(limit.Zone.Key); {
		case key.Constant:
			f.Message += ", one bucket for all: a busy minute makes the server look dead"
		case key.PerAddress && sign != nil && len(place.Settings.RealIPFrom.Value) == 0:
			f.Confidence = sign.Confidence
			f.Message += ", whose key is the address of a proxy (" + sign.Text + "): the visitors' requests spend the same bucket"
		default:
			f.Severity = rule.Note
			f.Message += ", as any request of that address"
		}
		return f, p.WholeAt(place.Level)
	})
}

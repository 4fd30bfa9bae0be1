package rules

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// LimitInAuthSubrequest reports limits whose refusal becomes an error.
var LimitInAuthSubrequest = register(rule.Rule{
	Name:       "limit-in-auth-subrequest",
	Summary:    "a limit refuses the subrequest of auth_request, and the client gets 500",
	Group:      rule.GroupPlaces,
	Severity:   rule.Warning,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: "`auth_request` sends each request to another location first, and takes only 2xx, 401 and 403 for an answer. If the protected\n" +
		"location has no limit and that one has, the limiter judges the subrequest; its 503 or 429 is none of these, nginx logs\n" +
		"`auth request unexpected status: 429`, and the client gets 500. Nobody sees that a limit was at work.\n\n" +
		"Put the limit into the protected location: the request is judged there, and the subrequest is then not counted again. Reported is\n" +
		"the limit that counted a request which was followed through nginx's phases. Nothing is said where the protected location has a\n" +
		"limit that runs, where `limit_req_status` is 401 or 403, and of a dry run.\n",
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr zone=auth:10m rate=10r/s;
    limit_req_status 429;

    server {
        location /wiki/ {
            auth_request /auth;
            proxy_pass http://127.0.0.1:8080;
        }

        location = /auth {
            internal;
            limit_req zone=auth burst=20 nodelay;
            proxy_pass http://127.0.0.1:8081;
        }
    }
}
`,
	Good: `events {}

http {
    limit_req_zone $binary_remote_addr zone=auth:10m rate=10r/s;
    limit_req_status 429;

    server {
        location /wiki/ {
            limit_req zone=auth burst=20 nodelay;
            auth_request /auth;
            proxy_pass http://127.0.0.1:8080;
        }

        location = /auth {
            internal;
            proxy_pass http://127.0.0.1:8081;
        }
    }
}
`,
	Links: []string{
		"https://nginx.org/en/docs/http/ngx_http_auth_request_module.html",
		"https://nginx.org/en/docs/http/ngx_http_limit_req_module.html#limit_req_status",
	},
	Check: checkLimitInAuthSubrequest,
})

func checkLimitInAuthSubrequest(p *rule.Pass) {
	var probe *rule.Probe
	told := make(map[*syntax.Directive]bool)
	for _, place := range p.Places() {
		if place.Location == nil || place.Kind != config.KindLocation {
			continue
		}
		auth, ok := place.Effective("auth_request")
		if !ok || auth.Arg(0) == "off" || place.Location.Internal {
			continue
		}
		if probe == nil {
			probe = p.Probe()
		}
		if to, known := probe.First(place.Server, auth.Arg(0)); !known || to == nil || !p.Limited(rule.PlaceOf(to)) {
			continue
		}
		for _, target := range rule.Samples(place.Location) {
			t, ok := probe.Get(place.Server, target)
			if !ok || t.Location != place.Location || !t.LimiterRan || t.LimitedLevel == nil || t.LimitedLevel == place.Level ||
				t.DryRun || t.RejectStatus == 401 || t.RejectStatus == 403 {
				continue
			}
			limit := firstCounted(&t)
			if limit == nil || told[limit.Directive] || !p.WholeIn(place.Server) {
				continue
			}
			told[limit.Directive] = true
			f := rule.Of(config.Item{Directive: limit.Directive, Via: limit.Via}, t.LimitedLevel.Settings.LimitReqs.At)
			url := probe.URL(place.Server, target)
			f.Message = fmt.Sprintf("this limit judges the subrequest of auth_request for %s: when it refuses with %d, the client gets 500", url, t.RejectStatus)
			f.Evidence = map[string]any{"url": url, "status": int64(t.RejectStatus), "client_status": int64(500)}
			f.Related = []rule.Label{{Span: auth.Head(), Message: "sends the subrequest"}}
			p.Report(f)
			break
		}
	}
}

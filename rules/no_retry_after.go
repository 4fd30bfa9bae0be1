package rules

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// NoRetryAfter reports refusals that do not say how long to wait.
var NoRetryAfter = register(rule.Rule{
	Name:       "no-retry-after",
	Summary:    "a refusal does not say when to come again",
	Group:      rule.GroupSeeing,
	Severity:   rule.Note,
	Confidence: rule.Low,
	Since:      "0.1.0",
	Why: "RFC 6585 lets a 429 carry `Retry-After`, and crawlers, package managers and many client libraries obey it; without it they guess, and some\n" +
		"try again at once. nginx sends none by itself. A map by `$status` sets it for refusals only, as an empty value adds no header:\n" +
		"\n" +
		"    map $status $retry_after { 429 1; default \"\"; }\n" +
		"    add_header Retry-After $retry_after always;\n" +
		"\n" +
		"It is told once, at the status that is written for refusals (429 or 503). Where that is nginx's default, the status itself is what\n" +
		"to look at first. `add_header` is inherited as a list: a level with headers of its own needs this one too.\n",
	Bad: `events {}

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
	Good: `events {}

http {
    map $status $retry_after {
        429     1;
        default "";
    }

    limit_req_zone $binary_remote_addr zone=api:10m rate=10r/s;
    limit_req_status 429;
    add_header Retry-After $retry_after always;

    server {
        location /api/ {
            limit_req zone=api burst=20 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Links: []string{
		"https://www.rfc-editor.org/rfc/rfc6585#section-4",
		"https://www.rfc-editor.org/rfc/rfc9110#name-retry-after",
		"https://nginx.org/en/docs/http/ngx_http_headers_module.html#add_header",
	},
	Check: checkNoRetryAfter,
})

func checkNoRetryAfter(p *rule.Pass) {
	places := int64(0)
	var first *rule.Finding
	for r, place := range p.Refusing() {
		status := r.Status(place.Settings)
		if status.Origin == nil || status.Value != 429 && status.Value != 503 {
			continue
		}
		a := p.Refused(place, status.Value)
		if _, upstream := a.Upstream(); upstream || a.Ends.Level == nil || a.Shown() != status.Value && a.Shown() != 0 {
			continue
		}
		if rule.Adds(a.Ends, "Retry-After") || !p.WholeIn(place.Server) {
			continue
		}
		if places++; first == nil {
			f := rule.Of(config.Item{Directive: status.Origin, Via: status.Via}, status.At)
			f.Message = fmt.Sprintf("no Retry-After is added to a refusal of %s (%d): who is refused is not told when to come again", r.Name, status.Value)
			f.About = "Retry-After"
			first = &f
		}
	}
	if first != nil {
		first.Evidence = map[string]any{"places": places}
		p.Report(*first)
	}
}

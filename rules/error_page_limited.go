package rules

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// ErrorPageLimited reports error pages that a limit counts although it does not count what led there.
var ErrorPageLimited = register(rule.Rule{
	Name:       "error-page-limited",
	Summary:    "the errors of places without a limit are counted by the limit of their error page",
	Group:      rule.GroupSeeing,
	Severity:   rule.Warning,
	Confidence: rule.Medium,
	Since:      "0.1.0",
	Why: "An `error_page` leads to another location within nginx, and a limiter that has not judged the request by then judges it there. If\n" +
		"`/static/` has no limit and `error_page 404 /404.html` lies in a limited `location /`, each missing picture of a page spends the\n" +
		"bucket of `/`, and when it is full a 404 becomes a 429. Give the page a location of its own without a limit\n" +
		"(`location = /404.html { internal; }`).\n" +
		"\n" +
		"A request that was judged already, at the place where the error happened, is not judged again; that is no finding. A location for\n" +
		"the page alone with a limit written in it is taken as meant: it slows down who looks for holes.\n",
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr zone=pages:10m rate=20r/s;
    limit_req_status 429;

    server {
        root /srv/www;
        error_page 404 /404.html;

        location / {
            limit_req zone=pages burst=60 nodelay;
        }

        location /static/ {
        }
    }
}
`,
	Good: `events {}

http {
    limit_req_zone $binary_remote_addr zone=pages:10m rate=20r/s;
    limit_req_status 429;

    server {
        root /srv/www;
        error_page 404 /404.html;

        location / {
            limit_req zone=pages burst=60 nodelay;
        }

        location /static/ {
        }

        location = /404.html {
            internal;
        }
    }
}
`,
	Links: []string{
		"https://nginx.org/en/docs/http/ngx_http_core_module.html#error_page",
		"https://nginx.org/en/docs/dev/development_guide.html#http_phases",
	},
	Check: checkErrorPageLimited,
})

func checkErrorPageLimited(p *rule.Pass) {
	seen := make(map[*syntax.Directive]bool)
	for _, place := range p.Places() {
		if place.Kind != config.KindLocation || place.Location.Internal || place.Location.Modifier == "@" || judgedAt(place) {
			continue
		}
		for _, page := range place.Settings.ErrorPages.Value {
			code := codeOf(place, page.Codes)
			if code == 0 || seen[page.Directive] {
				continue
			}
			to, redirect := p.ErrorPlace(place.Server, page)
			if redirect || to.Location == nil || to.Location == place.Location || !countsErrors(p, to) || !p.WholeIn(place.Server) {
				continue
			}
			seen[page.Directive] = true
			p.Report(errorPageFinding(place, page, to, code))
		}
	}
}

// countsErrors says whether a place that an error page leads to counts requests which it was not made to count: its limit
// is inherited, or it serves other things as well.
func countsErrors(p *rule.Pass, to rule.Place) bool {
	own := to.Settings.LimitReqs.At == to.Level
	if own && (to.Location.Modifier == "=" || to.Location.Modifier == "@") || to.Settings.LimitReqDryRun.Value {
		return false
	}
	if to.Returns() {
		return false
	}
	for _, l := range to.Settings.LimitReqs.Value {
		if l.Zone != nil && !p.Key(l.Zone.Key).Exempt {
			return true
		}
	}
	return false
}

func errorPageFinding(place rule.Place, page *config.ErrorPage, to rule.Place, code int) rule.Finding {
	f := rule.Of(config.Item{Directive: page.Directive, Via: page.Via}, place.Settings.ErrorPages.At)
	limit := to.Settings.LimitReqs.Value[0]
	f.Message = fmt.Sprintf("a %d of location %s, which has no limit, is counted by the limit of location %s on its way to %s: where that is full it becomes a %d",
		code, place.Location.Label(), to.Location.Label(), page.Target, to.Settings.LimitReqStatus.Value)
	f.Evidence = map[string]any{"code": int64(code), "status": int64(to.Settings.LimitReqStatus.Value), "zone": limit.ZoneName}
	f.Related = []rule.Label{{Span: limit.Span, Message: "counts it"}}
	return f
}

package rules

import (
	"fmt"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// PreflightCounted reports limits that count what browsers ask before they ask.
var PreflightCounted = register(rule.Rule{
	Name:       "preflight-counted",
	Summary:    "the preflight of a call from another site takes a place of its own",
	Group:      rule.GroupPlaces,
	Severity:   rule.Note,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: "Before a script calls another site with JSON or a token, the browser sends `OPTIONS` to the same address and asks whether it may.\n" +
		"Where that is counted, each first call takes two places: a page with 14 calls needs a burst of 27, and a refused preflight fails\n" +
		"the call without any status that the script could read.\n\n" +
		"`return 204` in an `if ($request_method = OPTIONS)` answers before the limiter; a `map` of `$request_method` to an empty key\n" +
		"exempts it; `Access-Control-Max-Age` lets browsers remember the answer for up to two hours. Reported is the first limit that counts a\n" +
		"preflight, once for each list, where nginx itself adds `Access-Control-Allow-Origin`. The preflight was followed through nginx's\n" +
		"phases. Nothing is said where nginx adds `Access-Control-Max-Age`, and of a dry run.\n",
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr zone=api:10m rate=10r/s;
    limit_req_status 429;

    server {
        location /api/ {
            limit_req zone=api burst=30 nodelay;
            add_header Access-Control-Allow-Origin "https://app.example.com" always;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Good: `events {}

http {
    limit_req_zone $binary_remote_addr zone=api:10m rate=10r/s;
    limit_req_status 429;

    server {
        location /api/ {
            if ($request_method = OPTIONS) {
                add_header Access-Control-Allow-Origin "https://app.example.com";
                add_header Access-Control-Allow-Headers "authorization, content-type";
                return 204;
            }

            limit_req zone=api burst=30 nodelay;
            add_header Access-Control-Allow-Origin "https://app.example.com" always;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Links: []string{
		"https://developer.mozilla.org/en-US/docs/Web/HTTP/Guides/CORS",
		"https://nginx.org/en/docs/http/ngx_http_rewrite_module.html#return",
		"https://nginx.org/en/docs/dev/development_guide.html#http_phases",
	},
	Check: checkPreflightCounted,
})

func checkPreflightCounted(p *rule.Pass) {
	var probe *rule.Probe
	for _, list := range p.LimitReqs() {
		for _, place := range list.Places {
			if !crossSite(place) || place.Settings.LimitReqDryRun.Value || !place.Judges() {
				continue
			}
			if probe == nil {
				probe = p.Probe()
			}
			if limit, url := countsPreflight(probe, place); limit != nil && p.WholeAt(place.Level) {
				f := rule.Of(config.Item{Directive: limit.Directive, Via: limit.Via}, list.At)
				f.Places = list.Levels
				f.Message = fmt.Sprintf("zone %s counts the preflight OPTIONS %s as well: each first call from another site takes two places", limit.ZoneName, url)
				f.Evidence = map[string]any{"url": url, "rate_milli": limit.Zone.Rate, "burst_milli": limit.Burst}
				p.Report(f)
				break
			}
		}
	}
}

// crossSite says whether nginx itself lets other sites call the place, and does not tell browsers to remember that.
func crossSite(place rule.Place) bool {
	if place.Location == nil || place.Kind != config.KindLocation {
		return false
	}
	origin := false
	for _, h := range place.Settings.AddHeaders.Value {
		switch strings.ToLower(h.Name) {
		case "access-control-allow-origin":
			origin = true
		case "access-control-max-age":
			return false
		}
	}
	return origin
}

// countsPreflight returns the limit that counts a browser's question, and what was asked.
func countsPreflight(probe *rule.Probe, place rule.Place) (*config.LimitReq, string) {
	for _, target := range rule.Samples(place.Location) {
		t, ok := probe.Ask(place.Server, "OPTIONS", target,
			request.Header{Name: "Origin", Value: "https://app.example.com"},
			request.Header{Name: "Access-Control-Request-Method", Value: "POST"},
			request.Header{Name: "Access-Control-Request-Headers", Value: "authorization,content-type"})
		if ok && t.LimiterRan && t.LimitedLevel == place.Level && t.EndsIn != pipeline.EndRequest {
			if limit := firstCounted(&t); limit != nil {
				return limit, probe.URL(place.Server, target)
			}
		}
	}
	return nil, ""
}

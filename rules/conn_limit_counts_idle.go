package rules

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// ConnLimitCountsIdle reports limits on connections that idle ones use up.
var ConnLimitCountsIdle = register(rule.Rule{
	Name:       "conn-limit-counts-idle",
	Summary:    "websockets and event streams that do nothing use up a limit on connections",
	Group:      rule.GroupPlaces,
	Severity:   rule.Note,
	Confidence: rule.Low,
	Since:      "0.1.0",
	Why: "`limit_conn` counts a connection while a request on it is answered. For a page that is some milliseconds, and a connection that\n" +
		"is merely kept alive is not counted; but a websocket, a stream of events or a long poll is one request that is answered as long as the\n" +
		"tab is open, be it silent for hours. With `limit_conn addr 10` the eleventh of 29 people behind one address is refused, and so is\n" +
		"everybody's next page if the pages share the limit.\n\n" +
		"Reported is a limit for each address that is smaller than the number of clients behind one, where `Upgrade` is handed on, or\n" +
		"where a path is called ws, sse, socket.io or the like. How many clients these are nginx cannot know: 29 is taken, the larger\n" +
		"office of the portal in docs/; `clients_per_address` in `.ngxlimit.yaml` settles it, and makes it a warning. Nothing is said of a\n" +
		"total for a server, and of a dry run.\n",
	Bad: `events {}

http {
    limit_conn_zone $binary_remote_addr zone=addr:10m;
    limit_conn_status 429;

    server {
        location /ws/ {
            limit_conn addr 10;
            proxy_http_version 1.1;
            proxy_set_header Upgrade $http_upgrade;
            proxy_set_header Connection upgrade;
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
        location /ws/ {
            limit_conn addr 100;
            proxy_http_version 1.1;
            proxy_set_header Upgrade $http_upgrade;
            proxy_set_header Connection upgrade;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Links: []string{
		"https://nginx.org/en/docs/http/ngx_http_limit_conn_module.html",
		"https://nginx.org/en/docs/http/websocket.html",
	},
	Settings: []string{"clients_per_address"},
	Check:    checkConnLimitCountsIdle,
})

func checkConnLimitCountsIdle(p *rule.Pass) {
	clients := int64(p.Settings.Clients())
	for _, list := range p.LimitConns() {
		place, ok := firstLasting(p, list.Places)
		if !ok {
			continue
		}
		for _, limit := range list.Limits {
			if limit.Zone == nil || !p.Key(limit.Zone.Key).PerAddress || int64(limit.Max) >= clients {
				continue
			}
			f := rule.Of(config.Item{Directive: limit.Directive, Via: limit.Via}, list.At)
			f.Places = list.Levels
			if p.Settings.ClientsPerAddress > 0 {
				f.Severity, f.Confidence = rule.Warning, rule.Medium
			}
			what := "an event stream"
			if place.HandsOnUpgrade() {
				what = "a websocket"
			}
			f.Message = fmt.Sprintf("%s in location %s holds one of %d places for as long as it is open: of %d clients behind one address %d find none",
				what, place.Location.Label(), limit.Max, clients, clients-int64(limit.Max))
			f.Evidence = map[string]any{"limit": int64(limit.Max), "clients_per_address": clients, "rejected": clients - int64(limit.Max)}
			p.Report(f)
			break
		}
	}
}

// firstLasting returns the first place whose requests last as long as a tab is open.
func firstLasting(p *rule.Pass, places []rule.Place) (rule.Place, bool) {
	for _, place := range places {
		if place.Kind != config.KindLocation || place.Settings.LimitConnDryRun.Value || !place.Judges() {
			continue
		}
		_, passes := place.Upstream()
		if passes && (place.HandsOnUpgrade() || rule.IsStream(place.Location.Pattern) || place.Streams()) && p.WholeAt(place.Level) {
			return place, true
		}
	}
	return rule.Place{}, false
}

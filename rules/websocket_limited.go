package rules

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// WebsocketLimited reports limits that refuse people who reconnect.
var WebsocketLimited = register(rule.Rule{
	Name:       "websocket-limited",
	Summary:    "a limit on websockets sees only their beginning, and refuses those who all reconnect at once",
	Group:      rule.GroupPlaces,
	Severity:   rule.Note,
	Confidence: rule.Low,
	Since:      "0.1.0",
	Why: "A websocket is one request to nginx: `limit_req` counts its handshake and none of its messages, so that it protects the upstream\n" +
		"from little. But when the upstream is restarted all sockets break at once, and all clients connect anew at once: of 29 people\n" +
		"behind one address, a limit with `burst=10` lets eleven in and refuses the others, whose scripts then try again and again.\n\n" +
		"Reported is a limit for each address, in a location that hands on `Upgrade`, whose burst has no room for everybody behind\n" +
		"one address. How many these are nginx cannot know: 29 is taken, the larger office of the portal in docs/; `clients_per_address`\n" +
		"in `.ngxlimit.yaml` settles it, and makes it a warning. Nothing is said of location /, where sockets are only part of what comes, of logins,\n" +
		"and of a dry run. For `limit_conn`, which a socket holds as long as it is open, see conn-limit-counts-idle.\n",
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr zone=ws:10m rate=5r/s;
    limit_req_status 429;

    server {
        location /ws/ {
            limit_req zone=ws burst=10 nodelay;
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
    limit_req_zone $binary_remote_addr zone=ws:10m rate=5r/s;
    limit_req_status 429;

    server {
        location /ws/ {
            limit_req zone=ws burst=60 nodelay;
            proxy_http_version 1.1;
            proxy_set_header Upgrade $http_upgrade;
            proxy_set_header Connection upgrade;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Links: []string{
		"https://nginx.org/en/docs/http/websocket.html",
		"https://nginx.org/en/docs/http/ngx_http_limit_req_module.html#limit_req",
	},
	Settings: []string{"clients_per_address"},
	Check:    checkWebsocketLimited,
})

func checkWebsocketLimited(p *rule.Pass) {
	clients := int64(p.Settings.Clients())
	for _, list := range p.LimitReqs() {
		place, ok := firstSocket(p, list.Places)
		if !ok {
			continue
		}
		for _, limit := range list.Limits {
			if limit.Zone == nil || !p.Key(limit.Zone.Key).PerAddress || limit.Burst/1000+1 >= clients {
				continue
			}
			f := rule.Of(config.Item{Directive: limit.Directive, Via: limit.Via}, list.At)
			f.Places = list.Levels
			if p.Settings.ClientsPerAddress > 0 {
				f.Severity, f.Confidence = rule.Warning, rule.Medium
			}
			refused := clients - 1 - limit.Burst/1000
			f.Message = fmt.Sprintf("when the upstream is restarted, %d of %d clients behind one address that connect their websockets to location %s again at once are refused",
				refused, clients, place.Location.Label())
			f.Evidence = map[string]any{"rate_milli": limit.Zone.Rate, "burst_milli": limit.Burst, "clients_per_address": clients, "rejected": refused}
			p.Report(f)
			break
		}
	}
}

// firstSocket returns the first place where websockets are limited apart from other requests.
func firstSocket(p *rule.Pass, places []rule.Place) (rule.Place, bool) {
	for _, place := range places {
		if place.Kind == config.KindLocation && !place.CatchesAll() && place.HandsOnUpgrade() && place.Judges() && p.Use(place) != rule.ForLogin &&
			!place.Settings.LimitReqDryRun.Value && p.WholeAt(place.Level) {
			return place, true
		}
	}
	return rule.Place{}, false
}

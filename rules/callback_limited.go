package rules

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// CallbackLimited reports callbacks of other systems under a limit that was made for visitors.
var CallbackLimited = register(rule.Rule{
	Name:       "callback-limited",
	Summary:    "callbacks of another system are counted by a limit that was made for visitors",
	Group:      rule.GroupPlaces,
	Severity:   rule.Warning,
	Confidence: rule.Low,
	Since:      "0.1.0",
	Why: "Payment providers, shops and code hosts deliver their events from a few addresses, and after a bulk change many at once: 30\n" +
		"at a time, 60 a second, are taken for ordinary here. A limit for each address that is right for people refuses most of them.\n" +
		"Some senders try again for hours, others switch the callback off after some failures.\n\n" +
		"Reported is a location that is called hook, webhook, callback, ipn or the like, has no limit of its own, and inherits one that\n" +
		"counts posts by their address and has no room for 30 at once. Give it a location with a limit made for it, or exempt the sender's\n" +
		"addresses by a `geo` and a `map`. Nothing is said of a location with limits of its own, of one total for the server, nor of a dry\n" +
		"run. If nothing is ever delivered there in bursts, switch the rule off in `.ngxlimit.yaml` (`rules: {callback-limited: off}`).\n",
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr zone=per_ip:10m rate=5r/s;
    limit_req_status 429;

    server {
        limit_req zone=per_ip burst=20 nodelay;

        location /webhooks/ {
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Good: `events {}

http {
    limit_req_zone $binary_remote_addr zone=per_ip:10m rate=20r/s;
    limit_req_zone $binary_remote_addr zone=hooks:10m rate=60r/s;
    limit_req_status 429;

    server {
        limit_req zone=per_ip burst=60 nodelay;

        location /webhooks/ {
            limit_req zone=hooks burst=120 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Links: []string{"https://nginx.org/en/docs/http/ngx_http_limit_req_module.html#limit_req"},
	Check: checkCallbackLimited,
})

// deliveries is the page load, as it were, of a sender of callbacks.
const deliveries = "webhook-burst"

func checkCallbackLimited(p *rule.Pass) {
	atOnce := int64(deliveriesAtOnce())
	checkNamed(p, rule.IsCallback, "POST", func(place rule.Place, limit *config.LimitReq, url string) (rule.Finding, bool) {
		refused := atOnce - 1 - limit.Burst/1000
		if refused <= 0 || !p.Key(limit.Zone.Key).PerAddress {
			return rule.Finding{}, false
		}
		f := rule.Of(config.Item{Directive: place.Location.Directive, Via: place.Location.Via}, place.Level)
		f.Evidence = map[string]any{"at_once": atOnce, "burst_milli": limit.Burst, "rejected": refused}
		f.Message = fmt.Sprintf("of %d callbacks that come to %s at once from one address, zone %s with burst=%s refuses %d",
			atOnce, url, limit.ZoneName, rule.Milli(limit.Burst), refused)
		return f, p.WholeAt(place.Level)
	})
}

// deliveriesAtOnce is how many callbacks a sender has under way at a time.
func deliveriesAtOnce() int {
	most := 0
	for _, s := range builtin(deliveries).Streams {
		most = max(most, s.AtOnce)
	}
	return most
}

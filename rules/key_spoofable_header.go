package rules

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// KeySpoofableHeader reports keys by an address that a header names.
var KeySpoofableHeader = register(rule.Rule{
	Name:       "key-spoofable-header",
	Summary:    "a key by an address that the client itself writes into a header",
	Group:      rule.GroupKeys,
	Severity:   rule.Warning,
	Confidence: rule.Medium,
	Risk:       "7.5",
	Since:      "0.1.0",
	Why: "`$http_x_forwarded_for` is the text of a header, and whoever sends the request writes it. A client that writes another address\n" +
		"each time has a new bucket for each request, which the limit lets in as it lets in every first request; with\n" +
		"`X-Forwarded-For: ` and the address of somebody else it uses up his. The same holds for `X-Real-IP`, `CF-Connecting-IP` and\n" +
		"their like where anybody but the proxy can connect, and for a map or geo that exempts by such a header: who knows an exempt\n" +
		"address writes it.\n\n" +
		"`set_real_ip_from` and `real_ip_header` make the address of such a header `$remote_addr`, but only for requests that come from a\n" +
		"trusted proxy; then `$binary_remote_addr` is the key.\n\n" +
		"It is a note where only a proxy can connect and the header holds one address, which a proxy writes anew (to a list like\n" +
		"X-Forwarded-For proxies add, and what the client wrote stays in it), and where a second limit beside it counts by an address\n" +
		"that cannot be chosen. `proxies: []` in the settings says that clients connect themselves, and makes the finding sure. A map by\n" +
		"which the header counts only for the proxy's own addresses is right, and nothing is said of it.\n",
	Bad: `events {}

http {
    limit_req_zone $http_x_forwarded_for zone=clients:10m rate=10r/s;
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
    set_real_ip_from 192.0.2.0/24;
    real_ip_header X-Forwarded-For;

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
		"https://nginx.org/en/docs/http/ngx_http_realip_module.html",
		"https://nginx.org/en/docs/http/ngx_http_limit_req_module.html#limit_req_zone",
	},
	Settings: []string{"proxies"},
	Check:    checkKeySpoofableHeader,
})

func checkKeySpoofableHeader(p *rule.Pass) {
	for _, z := range p.Zones() {
		if !p.Counts(z) {
			continue
		}
		leaf, message := spoofedBy(p.Flow(z.Key))
		if leaf == nil || !leaf.Direct() && (!p.Sways(z.Key) || !p.Whole()) {
			continue
		}
		p.Report(spoofableFinding(p, z, leaf, fmt.Sprintf("$%s is what the client writes"+message, leaf.Name, z.Name)))
	}
}

// spoofedBy finds an address header in a key, and says in words with a place for the zone's name what it does there.
func spoofedBy(flow *rule.Flow) (*rule.Leaf, string) {
	for i := range flow.Texts {
		if rule.AddressHeader(flow.Texts[i].Name) {
			return &flow.Texts[i], ": each new value is a bucket of its own in zone %q"
		}
	}
	for i := range flow.Chooses {
		if l := &flow.Chooses[i]; l.Exempts && rule.AddressHeader(l.Name) {
			return l, ", and decides whether zone %q counts it"
		}
	}
	return nil, ""
}

func spoofableFinding(p *rule.Pass, z *rule.Zone, leaf *rule.Leaf, message string) rule.Finding {
	f := z.Of(p.Facts)
	f.Message = message
	f.Evidence["variable"] = "$" + leaf.Name
	if !leaf.Direct() {
		f.Related = []rule.Label{{Span: leaf.Span, Message: "the header comes in here"}}
	}
	switch fronted := p.Fronted(z); {
	case fronted && !rule.Chain(leaf.Name):
		f.Severity, f.Confidence = rule.Note, rule.Low
		f.Message += ", unless the proxy in front writes the header anew"
	case p.Held(z):
		f.Severity = rule.Note
		f.Message += "; another limit beside it counts by an address that cannot be chosen"
	case fronted:
		f.Message += ": a proxy only adds to the list"
	case p.Settings.Front == rule.FrontNone:
		f.Confidence = rule.High
	}
	return f
}

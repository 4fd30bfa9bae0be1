package rules

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// KeyMayBeEmpty reports keys that are empty for whoever leaves something out.
var KeyMayBeEmpty = register(rule.Rule{
	Name:       "key-may-be-empty",
	Summary:    "a key that is empty, and so not counted, for whoever leaves something out",
	Group:      rule.GroupKeys,
	Severity:   rule.Warning,
	Confidence: rule.High,
	Risk:       "5.3",
	Since:      "0.1.0",
	Why: "nginx does not count a request whose key is empty: that limit does not exist for it. A key by a header, a cookie or an argument\n" +
		"is empty as soon as the client sends none, so whoever wants no limit leaves it out. `$remote_user` is empty without\n" +
		"credentials, `$ssl_client_s_dn` without a certificate.\n\n" +
		"A map gives those without one another key: with `default $http_x_api_key` and `\"\" $binary_remote_addr` they are counted by\n" +
		"their address.\n\n" +
		"An empty value that a map or `set` writes is an exemption, and meant. Nothing is reported either where another limit counts the\n" +
		"same requests, where an `if` with `return` sends away those without it, and of a forwarding header where only the proxy that\n" +
		"writes it can connect.\n",
	Bad: `events {}

http {
    limit_req_zone $http_x_api_key zone=customers:10m rate=10r/s;
    limit_req_status 429;

    server {
        location /api/ {
            limit_req zone=customers burst=20 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Good: `events {}

http {
    map $http_x_api_key $customer {
        default $http_x_api_key;
        ""      $binary_remote_addr;
    }

    limit_req_zone $customer zone=customers:10m rate=10r/s;
    limit_req_zone $binary_remote_addr zone=per_ip:10m rate=20r/s;
    limit_req_status 429;

    server {
        location /api/ {
            limit_req zone=customers burst=20 nodelay;
            limit_req zone=per_ip burst=40 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Links: []string{
		"https://nginx.org/en/docs/http/ngx_http_limit_req_module.html#limit_req_zone",
		"https://nginx.org/en/docs/http/ngx_http_map_module.html",
	},
	Settings: []string{"proxies"},
	Check:    checkKeyMayBeEmpty,
})

func checkKeyMayBeEmpty(p *rule.Pass) {
	for _, z := range p.Zones() {
		if !p.Counts(z) {
			continue
		}
		name := p.Omitted(z.Key)
		if name == "" || p.Held(z) || p.Guarded(z, name) || rule.AddressHeader(name) && p.Fronted(z) || !p.WholeFor(z) {
			continue
		}
		f := z.Of(p.Facts)
		f.Evidence["variable"] = "$" + name
		f.Message = fmt.Sprintf("zone %q does not count a request without $%s: its key is empty", z.Name, name)
		if name == "http_host" { // which HTTP/1.1 demands and HTTP/1.0 does not
			f.Severity = rule.Note
		}
		if rule.AddressHeader(name) && p.Settings.Front != rule.FrontNone {
			f.Confidence = rule.Medium
		}
		p.Report(f)
	}
}

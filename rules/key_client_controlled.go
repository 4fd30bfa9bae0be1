package rules

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// KeyClientControlled reports keys that hold text of the client's choice.
var KeyClientControlled = register(rule.Rule{
	Name:       "key-client-controlled",
	Summary:    "a key with text of the client's own choice, and so a new bucket whenever it likes",
	Group:      rule.GroupKeys,
	Severity:   rule.Warning,
	Confidence: rule.High,
	Risk:       "6.5",
	Since:      "0.1.0",
	Why: "A header, a cookie and an argument are what the client sends. With `$http_user_agent`, `$cookie_session` or `$http_x_api_key` in\n" +
		"the key, be it beside the address, whoever sends another text has a new and empty bucket: a program that numbers its user\n" +
		"agents is never limited. It fills the zone besides, until nginx forgets the buckets of others.\n\n" +
		"A key by API key or session is meant to count customers, and counts the honest ones. But the limiters run before anybody looks\n" +
		"whether the key is good, so that invented ones count as customers too. Either a map lists the keys that there are and gives\n" +
		"all others the address, or a second limit by address stands beside it; then nothing is reported, nor where an `if` with\n" +
		"`return` sends away what is not good. What a map makes of the text is a name of its own and no fault.\n\n" +
		"`$http_host` is a note: it is `$host` with the client's own letter case and port. `$host` itself is the client's choice where a\n" +
		"server takes requests for any name: with `default_server`, `server_name _` or none. It is a note for the server that takes\n" +
		"unknown names only because it is the first of its address, for one with `server_name *.example.com`, and for a key of `$host`\n" +
		"alone, which counts all visitors of a site together. A first server with `return 444` for what has no name of its own mends it.\n",
	Bad: `events {}

http {
    limit_req_zone "$binary_remote_addr$http_user_agent" zone=clients:10m rate=10r/s;
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
    map $http_x_api_key $customer {
        default $binary_remote_addr;
        k-8d1f  north;
        k-77a0  south;
    }

    limit_req_zone $customer zone=customers:10m rate=10r/s;
    limit_req_status 429;

    server {
        location /api/ {
            limit_req zone=customers burst=20 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Links: []string{
		"https://nginx.org/en/docs/http/ngx_http_limit_req_module.html#limit_req_zone",
		"https://nginx.org/en/docs/http/ngx_http_core_module.html#variables",
		"https://nginx.org/en/docs/http/ngx_http_map_module.html",
	},
	Check: checkKeyClientControlled,
})

func checkKeyClientControlled(p *rule.Pass) {
	for _, z := range p.Zones() {
		if !p.Counts(z) || p.Held(z) {
			continue
		}
		for _, leaf := range p.Flow(z.Key).Texts {
			if leaf.Name != "host" && !rule.Chosen(leaf.Name) || p.Guarded(z, leaf.Name) || !p.Sways(z.Key) || !p.WholeFor(z) {
				continue
			}
			f := z.Of(p.Facts)
			f.Evidence["variable"] = "$" + leaf.Name
			f.Message = fmt.Sprintf("$%s is of the client's own choice: each new value is a bucket of its own in zone %q", leaf.Name, z.Name)
			if !leaf.Direct() {
				f.Related = []rule.Label{{Span: leaf.Span, Message: "it comes in here"}}
			}
			switch {
			case leaf.Name == "host":
				if !hostFinding(p, z, &f) {
					continue
				}
			case leaf.Name == "http_host":
				f.Severity = rule.Note
				f.Message = fmt.Sprintf("$http_host is $host as the client writes it, and each spelling of it is a bucket of its own in zone %q", z.Name)
			case rule.Credential(leaf.Name):
				f.Confidence = rule.Medium
				f.Message += ", invented ones included"
			}
			p.Report(f)
			break
		}
	}
}

// hostFinding says of a key with $host what it is worth where a server takes more names than it has; false where each has its own.
func hostFinding(p *rule.Pass, z *rule.Zone, f *rule.Finding) bool {
	most := rule.HostsListed
	for i := range z.Uses {
		for _, place := range z.Uses[i].Places {
			if hosts := p.HostsOf(place.Server); hosts > most && place.Judges() && !rule.OnlyNear(place.Server) {
				most = hosts
				f.Related = []rule.Label{{Span: place.Server.Directive.Head(), Message: hostsWords(hosts)}}
			}
		}
	}
	if most == rule.HostsListed {
		return false
	}
	f.Confidence = rule.Medium
	if most != rule.HostsAny || !p.Key(z.Key).PerAddress {
		f.Severity = rule.Note
	}
	f.Message = fmt.Sprintf("$host is of the client's own choice where a server takes any name: each name is a bucket of its own in zone %q", z.Name)
	return true
}

func hostsWords(h rule.Hosts) string {
	switch h {
	case rule.HostsBelow:
		return "takes any name below its own"
	case rule.HostsUnclaimed:
		return "takes any name that no server has, as the first of its address and port"
	case rule.HostsListed, rule.HostsAny:
	}
	return "takes any name that no other server has"
}

package rules

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// RealipTooLate reports realip in a location that comes after the key was computed.
var RealipTooLate = register(rule.Rule{
	Name:       "realip-too-late",
	Summary:    "a location's set_real_ip_from takes effect after the key was read",
	Group:      rule.GroupAddress,
	Severity:   rule.Error,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: "nginx replaces the client's address twice: by the server's settings as soon as a request has come, and by the location's in front\n" +
		"of the limits. Between the two runs the rewrite phase, and a variable keeps for the whole request the value that it had when it\n" +
		"was first asked for. Where an `if` or a `set` reads `$binary_remote_addr`, or a map or geo by the address that the key is made of,\n" +
		"the key holds the proxy's address although `$remote_addr` in the log, asked for later, may show the client's: two clients share one\n" +
		"bucket. Put `set_real_ip_from`, `real_ip_header` and `real_ip_recursive` into the server or into `http`.\n\n" +
		"Each variable is kept by itself: an `if ($remote_addr ...)` does no harm to the key `$binary_remote_addr`.\n",
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr zone=api:10m rate=10r/s;
    limit_req_status 429;

    server {
        location /api/ {
            set_real_ip_from 10.0.0.0/22;
            set_real_ip_from 10.0.4.0/22;
            real_ip_header X-Forwarded-For;

            set $shard $binary_remote_addr;
            limit_req zone=api burst=20 nodelay;
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
        set_real_ip_from 10.0.0.0/22;
        set_real_ip_from 10.0.4.0/22;
        real_ip_header X-Forwarded-For;

        location /api/ {
            set $shard $binary_remote_addr;
            limit_req zone=api burst=20 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Links: []string{
		"https://nginx.org/en/docs/http/ngx_http_realip_module.html",
		"https://nginx.org/en/docs/dev/development_guide.html#http_phases",
	},
	Check: checkRealipTooLate,
})

func checkRealipTooLate(p *rule.Pass) {
	for _, t := range p.Trusts() {
		if t.Outer == nil || len(t.From.Value) == 0 || t.Outer.From == t.From {
			continue
		}
		for _, place := range t.Places {
			if early := earlyRead(p, place); early != nil {
				p.Report(realipTooLateFinding(t, place, early))
				break // the others of the same text have the same cause
			}
		}
	}
}

// earlyRead finds what reads a part of one of the keys of a place in the rewrite phase; nil where nothing does.
func earlyRead(p *rule.Pass, place rule.Place) *rule.Read {
	for _, r := range p.RewriteReads(place) {
		for _, l := range place.Settings.LimitReqs.Value {
			if l.Zone != nil && p.RestsOn(l.Zone.Key, r.Variable) {
				return &r
			}
		}
		for _, l := range place.Settings.LimitConns.Value {
			if l.Zone != nil && p.RestsOn(l.Zone.Key, r.Variable) {
				return &r
			}
		}
	}
	return nil
}

func realipTooLateFinding(t *rule.Trust, place rule.Place, early *rule.Read) rule.Finding {
	f := rule.Of(config.Item{Directive: t.From.Origin, Via: t.From.Via}, place.Level)
	f.Places = len(t.Servers)
	f.Message = fmt.Sprintf("a location's set_real_ip_from comes after the rewrite phase, in which $%s is read: it keeps the proxy's address, and zone %q counts all clients behind it as one", early.Variable, t.Bucket.Zone)
	f.Evidence = map[string]any{"variable": early.Variable, "zone": t.Bucket.Zone}
	f.Related = []rule.Label{{Span: early.Item.Head(), Message: "read here, before"}}
	return f
}

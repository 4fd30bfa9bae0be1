package rules

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// RealipHeaderWithoutTrust reports a real_ip_header that nginx never reads.
var RealipHeaderWithoutTrust = register(rule.Rule{
	Name:       "realip-header-without-trust",
	Summary:    "real_ip_header is set and nobody is trusted, so that it is never read",
	Group:      rule.GroupAddress,
	Severity:   rule.Error,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: "nginx reads `real_ip_header` on connections from `set_real_ip_from` only, and without a `set_real_ip_from` it reads it on none:\n" +
		"`$binary_remote_addr` stays the proxy's address, and all clients behind it share one bucket. Who writes the header's name has a\n" +
		"proxy in front; the list of its networks is what lacks. A `set_real_ip_from` in another server does not help.\n",
	Bad: `events {}

http {
    real_ip_header X-Forwarded-For;
    real_ip_recursive on;

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
    set_real_ip_from 10.0.0.0/22;
    set_real_ip_from 10.0.4.0/22;
    real_ip_header X-Forwarded-For;
    real_ip_recursive on;

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
	Links:    []string{"https://nginx.org/en/docs/http/ngx_http_realip_module.html"},
	Settings: []string{"proxies", "chain"},
	Fixable:  true,
	SafeFix:  true,
	Check:    checkRealipHeaderWithoutTrust,
})

func checkRealipHeaderWithoutTrust(p *rule.Pass) {
	for _, t := range p.Trusts() {
		if len(t.Listed()) > 0 || t.Header.From() == config.Default || !p.WholeAt(t.Places[0].Level) {
			continue
		}
		f := t.AtHeader()
		f.Message = fmt.Sprintf("%s is never read, because no set_real_ip_from is in effect: zone %q counts all clients behind a proxy as one address", t.Header.Value, t.Bucket.Zone)
		f.Evidence = map[string]any{"header": t.Header.Value, "zone": t.Bucket.Zone}
		f.Related = []rule.Label{{Span: t.Bucket.Key, Message: "the key"}}
		if len(p.Settings.Fronts) > 0 {
			f.Fix = realipHeaderFix(p, t)
		}
		if p.Settings.Front == rule.FrontNone {
			f.Severity = rule.Note
			f.Message = fmt.Sprintf("%s is never read, because no set_real_ip_from is in effect; nothing stands in front, as the settings say", t.Header.Value)
		}
		p.Report(f)
	}
}

// realipHeaderFix trusts what was said to stand in front, behind the header that is set.
func realipHeaderFix(p *rule.Pass, t *rule.Trust) *rule.Fix {
	r := reading{header: t.Header.Value, recursive: t.Recursive.Value, sure: true}
	if c := p.Settings.Chain; len(c) > 0 {
		r.header, r.recursive, r.sure = c.Sound(r.header, r.recursive)
	}
	lines := trustLines(p, t.Servers, r)
	if len(lines) == 0 {
		return nil
	}
	return &rule.Fix{Title: "trust what stands in front", Safe: r.sure, Edits: []source.Edit{t.Header.Origin.InsertLines(lines)}}
}

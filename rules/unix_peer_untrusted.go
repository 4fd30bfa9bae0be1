package rules

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// UnixPeerUntrusted reports unix sockets all of whose clients have one key.
var UnixPeerUntrusted = register(rule.Rule{
	Name:       "unix-peer-untrusted",
	Summary:    "who comes by a unix socket is not trusted, so that all its clients have the key unix:",
	Group:      rule.GroupAddress,
	Severity:   rule.Error,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: "The peer of a unix socket has no address: `$remote_addr` and `$binary_remote_addr` are the text `unix:` for everybody. Only\n" +
		"`set_real_ip_from unix:;` makes nginx read the client's address from the header there; trust in `127.0.0.1` does not cover it. All\n" +
		"that the proxy on the other end hands on shares one bucket else.\n\n" +
		"Where the server listens on addresses as well, the socket may be for programs of this machine, so that it is a warning.\n",
	Bad: `events {}

http {
    set_real_ip_from 127.0.0.1;
    real_ip_header X-Forwarded-For;

    limit_req_zone $binary_remote_addr zone=api:10m rate=10r/s;
    limit_req_status 429;

    server {
        listen unix:/run/site.sock;

        location /api/ {
            limit_req zone=api burst=20 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Good: `events {}

http {
    set_real_ip_from unix:;
    real_ip_header X-Forwarded-For;

    limit_req_zone $binary_remote_addr zone=api:10m rate=10r/s;
    limit_req_status 429;

    server {
        listen unix:/run/site.sock;

        location /api/ {
            limit_req zone=api burst=20 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Links: []string{
		"https://nginx.org/en/docs/http/ngx_http_realip_module.html#set_real_ip_from",
		"https://nginx.org/en/docs/http/ngx_http_core_module.html#listen",
	},
	Check: checkUnixPeerUntrusted,
})

func checkUnixPeerUntrusted(p *rule.Pass) {
	seen := make(map[*config.Listen]bool)
	for _, t := range p.Trusts() {
		if t.Unix() || len(t.Listed()) == 0 && t.Header.From() != config.Default {
			continue // the latter is realip-header-without-trust
		}
		for _, s := range t.Servers {
			for _, l := range s.Listens {
				if rule.IsUnix(l) && l.Directive != nil && !seen[l] && p.WholeAt(&s.Level) {
					seen[l] = true
					p.Report(unixPeerFinding(t, s, l))
				}
			}
		}
	}
}

func unixPeerFinding(t *rule.Trust, s *config.Server, l *config.Listen) rule.Finding {
	f := rule.Of(config.Item{Directive: l.Directive, Via: l.Via}, &s.Level)
	f.Message = fmt.Sprintf("no set_real_ip_from unix: is in effect, so zone %q counts all clients of %s under the one key unix:", t.Bucket.Zone, l.Text)
	f.Evidence = map[string]any{"listen": l.Text, "zone": t.Bucket.Zone}
	f.Related = []rule.Label{{Span: t.Bucket.Key, Message: "the key"}}
	if !rule.OnlyUnix(s) {
		f.Severity, f.Confidence = rule.Warning, rule.Medium
	}
	return f
}

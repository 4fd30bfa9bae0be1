package rules

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/model/realip"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// ProxyProtocolNotOnListen reports that the client's address shall come from a PROXY header on a socket that takes none.
var ProxyProtocolNotOnListen = register(rule.Rule{
	Name:       "proxy-protocol-not-on-listen",
	Summary:    "real_ip_header proxy_protocol on a socket that does not take the PROXY protocol",
	Group:      rule.GroupAddress,
	Severity:   rule.Error,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: "`real_ip_header proxy_protocol` takes the client's address from the line that a balancer sends before the request. nginx reads such\n" +
		"a line only on a `listen` with `proxy_protocol`; on any other socket there is no such address, nothing is replaced, and all clients\n" +
		"behind the balancer share its bucket. (A balancer that does send the line to such a socket gets 400 for every request.)\n\n" +
		"The parameter belongs to address and port: one server that names it speaks for all that share them. Where other sockets of the\n" +
		"server have it, the one without may be for something else, so that it is a warning; local sockets beside them are left alone.\n",
	Bad: `events {}

http {
    set_real_ip_from 10.0.0.0/22;
    real_ip_header proxy_protocol;

    limit_req_zone $binary_remote_addr zone=api:10m rate=10r/s;
    limit_req_status 429;

    server {
        listen 80;

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
    real_ip_header proxy_protocol;

    limit_req_zone $binary_remote_addr zone=api:10m rate=10r/s;
    limit_req_status 429;

    server {
        listen 80 proxy_protocol;

        location /api/ {
            limit_req zone=api burst=20 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Links: []string{
		"https://nginx.org/en/docs/http/ngx_http_realip_module.html#real_ip_header",
		"https://nginx.org/en/docs/http/ngx_http_core_module.html#listen",
	},
	Check: checkProxyProtocolNotOnListen,
})

func checkProxyProtocolNotOnListen(p *rule.Pass) {
	seen := make(map[*config.Server]bool)
	for _, t := range p.Trusts() {
		if t.Header.Value != realip.ProxyProtocol || len(t.From.Value) == 0 || t.Outer != nil && t.Outer.Header.Value != realip.ProxyProtocol {
			continue
		}
		for _, s := range t.Servers {
			if !seen[s] {
				seen[s] = true
				reportUnproxied(p, t, s)
			}
		}
	}
}

// reportUnproxied reports the sockets of a server that do not take the protocol.
func reportUnproxied(p *rule.Pass, t *rule.Trust, s *config.Server) {
	var without []*config.Listen
	some := false
	for _, l := range s.Listens {
		switch {
		case l.QUIC:
		case p.TakesProxyProtocol(l):
			some = true
		default:
			without = append(without, l)
		}
	}
	for _, l := range without {
		if some && rule.IsLocal(l) || !p.Whole() { // another server may have the parameter
			continue
		}
		f := t.AtHeader()
		if l.Directive != nil {
			f = rule.Of(config.Item{Directive: l.Directive, Via: l.Via}, &s.Level)
			f.Related = []rule.Label{{Span: t.Header.Origin.Head(), Message: "reads the address from the PROXY protocol"}}
		}
		f.Message = fmt.Sprintf("%s does not take the PROXY protocol, from which real_ip_header takes the address: zone %q counts all clients behind a balancer as one address", l.Text, t.Bucket.Zone)
		f.Evidence = map[string]any{"listen": l.Text, "zone": t.Bucket.Zone}
		if some {
			f.Severity, f.Confidence = rule.Warning, rule.Medium
		}
		p.Report(f)
		if !some {
			return // one cause
		}
	}
}

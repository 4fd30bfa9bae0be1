package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/model/realip"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// ProxyProtocolUnread reports sockets that take the PROXY protocol where it is not read, or where nobody speaks it.
var ProxyProtocolUnread = register(rule.Rule{
	Name:       "proxy-protocol-unread",
	Summary:    "the PROXY protocol names the client and a header is read instead, or sockets and proxies do not agree on it",
	Group:      rule.GroupAddress,
	Severity:   rule.Warning,
	Confidence: rule.Medium,
	Since:      "0.1.0",
	Why: "A balancer that speaks the PROXY protocol mostly copies bytes: it says in a line of its own who connected to it, and changes no\n" +
		"header. `X-Forwarded-For` and `X-Real-IP` are then what the client wrote, and `real_ip_header` with one of them lets each client\n" +
		"choose its bucket. `real_ip_header proxy_protocol` reads the balancer's line. Where a CDN stands in front of the balancer its header\n" +
		"is right, and the balancer's line names the CDN: `--chain cloudflare,nlb`, or `chain` in the settings, says so.\n\n" +
		"With a chain the sockets are compared, too: a proxy that speaks the protocol to a `listen` without `proxy_protocol` gets 400, and\n" +
		"one that does not gets no answer from a `listen` that has it.\n",
	Bad: `events {}

http {
    set_real_ip_from 10.0.0.0/22;
    set_real_ip_from 10.0.4.0/22;
    real_ip_header X-Forwarded-For;

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
	Good: `events {}

http {
    set_real_ip_from 10.0.0.0/22;
    set_real_ip_from 10.0.4.0/22;
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
		"https://docs.nginx.com/nginx/admin-guide/load-balancer/using-proxy-protocol/",
	},
	Settings: []string{"chain"},
	Check:    checkProxyProtocolUnread,
})

func checkProxyProtocolUnread(p *rule.Pass) {
	seen := make(map[*config.Server]bool)
	for _, t := range p.Trusts() {
		if _, chained := behindChain(p, t); !chained {
			reportProtocolUnread(p, t)
			continue
		}
		for _, s := range t.Servers {
			if !seen[s] {
				seen[s] = true
				reportDisagreement(p, s)
			}
		}
	}
}

// reportProtocolUnread is about a header that is read where every socket takes the protocol.
func reportProtocolUnread(p *rule.Pass, t *rule.Trust) {
	name := t.Header.Value
	if len(t.From.Value) == 0 || !strings.EqualFold(name, realip.XForwardedFor) && !strings.EqualFold(name, realip.XRealIP) || !p.Whole() {
		return
	}
	if front, _, _ := t.Front(p.Settings.Known()); front != nil {
		return // in front of the balancer, as its networks are trusted; it sets the header
	}
	var first *config.Listen
	for _, s := range t.Servers {
		for _, l := range s.Listens {
			if !p.TakesProxyProtocol(l) || l.Directive == nil {
				return
			}
			if first == nil {
				first = l
			}
		}
	}
	if first == nil {
		return
	}
	f := t.AtHeader()
	f.Message = fmt.Sprintf("listen takes the PROXY protocol, which names the client, and %s is read: a balancer that speaks it changes no header, so that each client of zone %q chooses its bucket unless something in front of the balancer sets it", name, t.Bucket.Zone)
	f.Evidence = map[string]any{"header": name, "zone": t.Bucket.Zone}
	f.Related = []rule.Label{{Span: first.Span, Message: "takes the PROXY protocol"}}
	p.Report(f)
}

// reportDisagreement is about the proxy that connects, as the chain describes it, and the sockets of a server.
func reportDisagreement(p *rule.Pass, s *config.Server) {
	last := p.Settings.Chain[len(p.Settings.Chain)-1]
	text := rule.ProxyMismatch(s, last.Speaks, p.TakesProxyProtocol)
	i := slices.IndexFunc(s.Listens, func(l *config.Listen) bool { return l.Directive != nil })
	if text == "" || i < 0 || !p.Whole() {
		return
	}
	l := s.Listens[i]
	f := rule.Of(config.Item{Directive: l.Directive, Via: l.Via}, &s.Level)
	f.Severity, f.Confidence = rule.Error, rule.High
	f.Message = fmt.Sprintf("%s connects, as the chain says; %s", last.Name, text)
	f.Evidence = map[string]any{"proxy": last.Name, "listen": l.Text}
	p.Report(f)
}

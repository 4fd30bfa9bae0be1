package rules

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// RealipTrustsEveryone reports trust in so many addresses that clients are among them.
var RealipTrustsEveryone = register(rule.Rule{
	Name:       "realip-trusts-everyone",
	Summary:    "whoever connects may say which address it has, and so choose its bucket",
	Group:      rule.GroupAddress,
	Severity:   rule.Error,
	Confidence: rule.Medium,
	Risk:       "7.5",
	Since:      "0.1.0",
	Why: "nginx takes the client's address from a header where the connection comes from `set_real_ip_from`. With `0.0.0.0/0` that is\n" +
		"everybody: who sends another address with each request has a new bucket each time, and no limit by address holds. With\n" +
		"`real_ip_recursive on` it does not help that a proxy in front adds the true address to `X-Forwarded-For`: all entries are\n" +
		"trusted, and then the first one is taken, which the client wrote. With `off` the last one is taken, so that a firewall which lets\n" +
		"nobody but the proxies connect makes it sound; list the proxies all the same.\n\n" +
		"Networks wider than /8 (IPv6: /16) outside the private ranges are counted as everybody. A server that only listens on a unix\n" +
		"socket or the loopback interface has local peers, so it is named only where recursion makes the first entry the key.\n" +
		"ingress-nginx writes `0.0.0.0/0` unless its ConfigMap says `proxy-real-ip-cidr`.\n",
	Bad: `events {}

http {
    set_real_ip_from 0.0.0.0/0;
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
	Links: []string{
		"https://nginx.org/en/docs/http/ngx_http_realip_module.html",
		"https://kubernetes.github.io/ingress-nginx/user-guide/nginx-configuration/configmap/#proxy-real-ip-cidr",
	},
	Check: checkRealipTrustsEveryone,
})

func checkRealipTrustsEveryone(p *rule.Pass) {
	for _, t := range p.Trusts() {
		wide := tooWide(t.From.Value)
		if len(wide) == 0 {
			continue
		}
		forged := t.Forwarded() && t.Recursive.Value // behind any proxy that adds to the header, too
		if !forged && allLocal(t.Servers) {
			continue
		}
		p.Report(realipTrustsEveryoneFinding(t, wide, forged))
	}
}

func realipTrustsEveryoneFinding(t *rule.Trust, wide []*config.Trusted, forged bool) rule.Finding {
	f := t.At(wide[0])
	f.Message = fmt.Sprintf("%s trusts whoever connects: the first address in X-Forwarded-For is taken, which the client writes, so each client of zone %q chooses its bucket",
		wide[0].Text, t.Bucket.Zone)
	f.Confidence = rule.High
	if !forged {
		f.Message = fmt.Sprintf("%s trusts whoever connects: unless a firewall lets only proxies connect, each client of zone %q chooses its bucket by %s",
			wide[0].Text, t.Bucket.Zone, t.Header.Value)
		f.Confidence = rule.Medium
	}
	f.Evidence = map[string]any{"trusted": wide[0].Text, "header": t.Header.Value, "zone": t.Bucket.Zone}
	for _, x := range wide[1:] {
		f.Related = append(f.Related, rule.Label{Span: x.Span, Message: "trusts everybody as well"})
	}
	return f
}

// tooWide returns the networks that hold clients for certain.
func tooWide(list []*config.Trusted) []*config.Trusted {
	var wide []*config.Trusted
	for _, x := range list {
		if !x.Prefix.IsValid() || rule.IsInner(x.Prefix.Addr()) {
			continue
		}
		if bits := x.Prefix.Bits(); x.Prefix.Addr().Is4() && bits < 8 || x.Prefix.Addr().Is6() && bits < 16 {
			wide = append(wide, x)
		}
	}
	return wide
}

func allLocal(servers []*config.Server) bool {
	for _, s := range servers {
		if !rule.OnlyLocal(s) {
			return false
		}
	}
	return true
}

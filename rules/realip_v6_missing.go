package rules

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/model/fronts"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// RealipV6Missing reports trust in the IPv4 networks of a front alone, where nginx takes connections by IPv6 too.
var RealipV6Missing = register(rule.Rule{
	Name:       "realip-v6-missing",
	Summary:    "nginx listens on IPv6, and only the front's IPv4 networks are trusted",
	Group:      rule.GroupAddress,
	Severity:   rule.Warning,
	Confidence: rule.Medium,
	Since:      "0.1.0",
	Why: "A CDN connects by IPv6 as soon as the origin's name has an AAAA record. `set_real_ip_from` with IPv4 networks never matches such\n" +
		"a connection: its header is not read, the edge's address is the key, and all people behind it share one bucket. Whether there is\n" +
		"such a record stands in no configuration; that nginx listens on IPv6 says that connections are expected.\n\n" +
		"Only public networks count as a front that has IPv6 addresses, too: a balancer in a private network connects by the family of its\n" +
		"target, and single hosts are not a CDN's list. An IPv6 socket of this machine or of a private network takes nobody from outside.\n" +
		"Where a server listens on IPv6 alone, IPv4 networks of any kind never match.\n",
	Bad: `events {}

http {
    set_real_ip_from 198.51.100.0/24;
    set_real_ip_from 192.0.2.128/25;
    real_ip_header CF-Connecting-IP;

    limit_req_zone $binary_remote_addr zone=api:10m rate=10r/s;
    limit_req_status 429;

    server {
        listen 80;
        listen [::]:80;

        location /api/ {
            limit_req zone=api burst=20 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Good: `events {}

http {
    set_real_ip_from 198.51.100.0/24;
    set_real_ip_from 192.0.2.128/25;
    set_real_ip_from 2001:db8:ed9e::/48;
    real_ip_header CF-Connecting-IP;

    limit_req_zone $binary_remote_addr zone=api:10m rate=10r/s;
    limit_req_status 429;

    server {
        listen 80;
        listen [::]:80;

        location /api/ {
            limit_req zone=api burst=20 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Links: []string{
		"https://nginx.org/en/docs/http/ngx_http_realip_module.html#set_real_ip_from",
		"https://www.cloudflare.com/ips/",
	},
	Settings: []string{"proxies"},
	Fixable:  true,
	Check:    checkRealipV6Missing,
})

func checkRealipV6Missing(p *rule.Pass) {
	for _, t := range p.Trusts() {
		list := t.Listed()
		if neverPeers(t, list) && p.WholeAt(t.Places[0].Level) {
			f := t.At(list[0])
			f.Message = fmt.Sprintf("the server listens on IPv6 alone, and only IPv4 networks are trusted: no proxy is ever believed, and each is the key of all its clients in zone %q", t.Bucket.Zone)
			f.Evidence = map[string]any{"zone": t.Bucket.Zone, "trusted": int64(len(list))}
			p.Report(f)
			continue
		}
		edge := public4(list)
		if edge == nil || len(p.Settings.Fronts) > 0 || len(tooWide(list)) > 0 || t.Unknown() || anyOuter6(list) {
			continue
		}
		if l := listensOn6(t.Servers); l != nil && p.WholeAt(t.Places[0].Level) {
			f := t.At(edge)
			f.Message = fmt.Sprintf("%s listens on IPv6, and no IPv6 network is trusted: a proxy that connects so is the key of all its clients in zone %q", l.Text, t.Bucket.Zone)
			f.Evidence = map[string]any{"listen": l.Text, "zone": t.Bucket.Zone, "trusted": int64(len(list))}
			f.Related = []rule.Label{{Span: l.Span, Message: "takes connections by IPv6"}}
			if front, _, _ := t.Front(p.Settings.Known()); front != nil {
				name6(&f, front, edge)
			}
			p.Report(f)
		}
	}
}

// name6 names the IPv6 networks of the front whose others are trusted, and adds them.
func name6(f *rule.Finding, front *fronts.Front, edge *config.Trusted) {
	var names, lines []string
	for _, n := range front.Networks {
		if n.Addr().Is6() {
			names = append(names, n.String())
			lines = append(lines, "set_real_ip_from "+n.String()+";")
		}
	}
	if len(lines) == 0 {
		return
	}
	f.Message += fmt.Sprintf("; %s has %s", front.Name, rule.Some(names))
	f.Evidence["missing"] = names
	f.Fix = &rule.Fix{Title: "trust the IPv6 networks of " + front.Name, Edits: []source.Edit{edge.Directive.InsertLines(lines)}}
}

package rules

import (
	"fmt"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// RealipIncomplete reports trust in proxies that leaves some of their requests with the proxy's own address.
var RealipIncomplete = register(rule.Rule{
	Name:       "realip-incomplete",
	Summary:    "only some of the proxies in front are trusted, or their header is not the one that is read",
	Group:      rule.GroupAddress,
	Severity:   rule.Warning,
	Confidence: rule.Medium,
	Since:      "0.1.0",
	Why: "Only requests from an address in `set_real_ip_from` get their client's address from the header. Those of a proxy that was\n" +
		"forgotten keep the proxy's address, and all people behind it share one bucket. At one site a balancer had nodes in the\n" +
		"subnets of three zones, 10.0.0.0/22, 10.0.4.0/22 and 10.0.8.0/22, and only the first was trusted: at 10r/s and burst 10 that\n" +
		"was 363,000 refusals in a day, ended by two more lines.\n\n" +
		"Reported are gaps in a row of trusted private subnets of one size; a single subnet, because a cloud balancer has nodes in one\n" +
		"for each zone; single private hosts, because a balancer's nodes change their addresses with every scaling; `real_ip_recursive\noff` where " +
		"private and public ranges are trusted, because that is a chain of proxies, and then the last entry of the header is\na proxy; and " +
		"a header that the trusted front does not send, `X-Real-IP` being what nginx reads if nothing is said.\n",
	Bad: `events {}

http {
    set_real_ip_from 10.0.0.0/22;
    set_real_ip_from 10.0.8.0/22;
    real_ip_header X-Forwarded-For;

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
    set_real_ip_from 10.0.8.0/22;
    real_ip_header X-Forwarded-For;

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
		"https://docs.aws.amazon.com/elasticloadbalancing/latest/application/application-load-balancers.html",
	},
	Check: checkRealipIncomplete,
})

func checkRealipIncomplete(p *rule.Pass) {
	seen := make(map[trust]bool)
	for _, place := range p.ByAddress() {
		s := place.Settings
		t := trust{s.RealIPFrom, s.RealIPHeader, s.RealIPRecursive}
		if len(s.RealIPFrom.Value) == 0 || seen[t] {
			continue
		}
		if !p.WholeAt(place.Level) {
			continue // the rest of the list may stand in what was not read
		}
		seen[t] = true
		t.report(p)
	}
}

// A trust is what realip goes by at some place.
type trust struct {
	from      *config.Setting[[]*config.Trusted]
	header    *config.Setting[string]
	recursive *config.Setting[bool]
}

func (t trust) report(p *rule.Pass) {
	trusted := t.from.Value
	rows := rowsOf(trusted)
	for _, r := range rows {
		for _, g := range r.gaps(trusted) {
			t.reportGap(p, r, g)
		}
	}
	if strings.EqualFold(t.header.Value, "X-Forwarded-For") {
		t.reportLone(p, rows)
		t.reportHosts(p)
		t.reportChain(p)
	}
	t.reportHeader(p)
}

// at starts a finding about one of the trusted addresses.
func (t trust) at(x *config.Trusted) rule.Finding {
	f := rule.Of(config.Item{Directive: x.Directive, Via: x.Via}, t.from.At)
	f.Primary = x.Span
	return f
}

func (t trust) reportGap(p *rule.Pass, r row, g gap) {
	names := make([]string, len(g.missing))
	for i, m := range g.missing {
		names[i] = m.String()
	}
	list := strings.Join(names, " and ")
	f := t.at(g.before.trusted)
	f.Message = fmt.Sprintf("of a row of /%d subnets, %d are trusted and %s among them is not: a proxy there would be the key of all its clients", r.bits, len(r.subnets), list)
	f.Evidence = map[string]any{"missing": names, "trusted_in_row": int64(len(r.subnets))}
	p.Report(f)
}

package rules

import (
	"fmt"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// RealipIncomplete reports trust in proxies that leaves some of their requests with the proxy's own address.
var RealipIncomplete = register(rule.Rule{
	Name:       "realip-incomplete",
	Summary:    "only some of the proxies in front are trusted",
	Group:      rule.GroupAddress,
	Severity:   rule.Warning,
	Confidence: rule.Medium,
	Since:      "0.1.0",
	Why: "Only requests from an address in `set_real_ip_from` get their client's address from the header. Those of a proxy that was\n" +
		"forgotten keep the proxy's address, and all people behind it share one bucket. At one site a balancer had nodes in the\n" +
		"subnets of three zones, 10.0.0.0/22, 10.0.4.0/22 and 10.0.8.0/22, and only the first was trusted: at 10r/s and burst 10 that\n" +
		"was 363,000 refusals in a day, ended by two more lines.\n\n" +
		"Best is to say what stands in front: `--proxies FILE` takes lists of networks from AWS, Google Cloud, Azure, Kubernetes and others,\n" +
		"or the name of a provider that publishes its own, and `proxies` in the settings does the same. Then exactly what is missing of them\n" +
		"is reported, with the lines to add, and as a note what is trusted beyond them.\n\n" +
		"With `--log FILE` it is told from access logs which proxies stand there in the place of their clients, with the requests and the\n" +
		"refusals of each, and which network would cover them.\n\n" +
		"Without that, reported are what is missing of a provider some of whose networks are trusted (`ngxlimit proxies` lists them, with\n" +
		"the day of each list); gaps in a row of trusted private subnets of one size; and, as a note, a single subnet, because a cloud\n" +
		"balancer has nodes in one for each zone. A list of more than 180 days is noted.\n",
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
	Settings: []string{"proxies"},
	Fixable:  true,
	SafeFix:  true,
	Check:    checkRealipIncomplete,
})

func checkRealipIncomplete(p *rule.Pass) {
	for _, t := range p.Trusts() {
		if len(t.From.Value) == 0 {
			continue
		}
		reportPeers(p, t)
		compareKnown(p, t)
		if len(p.Settings.Fronts) > 0 {
			compareGiven(p, t)
			continue // what was given is surer than what subnets in a row suggest
		}
		rows := rowsOf(t.Listed())
		for _, r := range rows {
			for _, g := range r.gaps(t.Set()) {
				if p.WholeAt(t.Places[0].Level) { // else the rest of the list may stand in what was not read
					p.Report(gapFinding(t, r, g))
				}
			}
		}
		if t.Forwarded() {
			reportLone(p, t, rows)
		}
	}
}

func gapFinding(t *rule.Trust, r row, g gap) rule.Finding {
	names := make([]string, len(g.missing))
	for i, m := range g.missing {
		names[i] = m.String()
	}
	list := strings.Join(names, " and ")
	f := t.At(g.before.trusted)
	f.Message = fmt.Sprintf("of a row of /%d subnets, %d are trusted and %s among them is not: a proxy there would be the key of all its clients", r.bits, len(r.subnets), list)
	f.Evidence = map[string]any{"missing": names, "trusted_in_row": int64(len(r.subnets))}
	lines := make([]string, len(names))
	for i, name := range names {
		lines[i] = "set_real_ip_from " + name + ";"
	}
	f.Fix = &rule.Fix{Title: "trust " + list, Edits: []source.Edit{g.before.trusted.Directive.InsertLines(lines)}}
	return f
}

// reportLone is about a subnet that stands alone.
func reportLone(p *rule.Pass, t *rule.Trust, rows []row) {
	if len(rows) != 1 || len(rows[0].subnets) != 1 || rows[0].v6 {
		return
	}
	for _, x := range t.Listed() {
		if x.Prefix.IsValid() && !x.Prefix.Addr().IsLoopback() && x != rows[0].subnets[0].trusted {
			return
		}
	}
	if !p.WholeAt(t.Places[0].Level) {
		return
	}
	f := t.At(rows[0].subnets[0].trusted)
	f.Severity, f.Confidence = rule.Note, rule.Low
	f.Message = fmt.Sprintf("%s is the only subnet that is trusted: an AWS balancer has nodes in a subnet for each availability zone, and those of another one would be the key of all their clients", f.Primary.Text())
	p.Report(f)
}

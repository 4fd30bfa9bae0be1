package rules

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// RealipLowBits reports trusted networks that are written with bits of a host.
var RealipLowBits = register(rule.Rule{
	Name:       "realip-low-bits",
	Summary:    "a trusted network is written with bits below its mask, which nginx drops",
	Group:      rule.GroupAddress,
	Severity:   rule.Note,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: "`set_real_ip_from 10.1.2.3/16` trusts all of `10.1.0.0/16`: nginx warns (`low address bits of 10.1.2.3/16 are meaningless`) and\n" +
		"clears them. Somebody who reads the line takes it for one host, or for a network that begins at 10.1.2.3. If the network is\n" +
		"meant, write it; if the host is, leave the mask away.\n",
	Bad: `events {}

http {
    set_real_ip_from 10.1.2.3/16;
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
    set_real_ip_from 10.1.0.0/16;
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
	Links:   []string{"https://nginx.org/en/docs/http/ngx_http_realip_module.html#set_real_ip_from"},
	Fixable: true,
	SafeFix: true,
	Check:   checkRealipLowBits,
})

func checkRealipLowBits(p *rule.Pass) {
	for i := range p.Tree.Refusals {
		r := &p.Tree.Refusals[i]
		if r.Kind != config.RealIPLowBits {
			continue
		}
		network, _, ok := request.ParseNetwork(r.Span.Text())
		f := refusalFinding(p, r)
		if ok {
			f.Message = fmt.Sprintf("%s, and %s is trusted", r.Text, network)
			f.Evidence = map[string]any{"written": r.Span.Text(), "trusted": network.String()}
			f.Fix = &rule.Fix{
				Title: "write " + network.String(), Safe: true,
				Edits: []source.Edit{{Span: r.Span, Text: network.String()}},
			}
		}
		p.Report(f)
	}
}

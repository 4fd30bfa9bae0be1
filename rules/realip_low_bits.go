package rules

import (
	"fmt"
	"net/netip"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
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
	twice := trustedTwice(p)
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
			if d := twice[r.Span]; d != nil {
				f.Fix = &rule.Fix{Title: "remove it, as " + network.String() + " is trusted besides", Safe: true, Edits: []source.Edit{rule.RemoveDirective(d)}}
			}
		}
		p.Report(f)
	}
}

// trustedTwice returns the directives of entries that a list does not need, by the entries' places: the same network stands in it
// without low bits, or stood in it before.
func trustedTwice(p *rule.Pass) map[source.Span]*syntax.Directive {
	twice := make(map[source.Span]*syntax.Directive)
	if p.Tree.HTTP == nil {
		return twice
	}
	look := func(list []*config.Trusted) {
		kept := make(map[netip.Prefix]bool)
		for _, x := range list {
			if x.Prefix.IsValid() && !x.LowBits {
				kept[x.Prefix.Masked()] = true
			}
		}
		for _, x := range list {
			if network := x.Prefix.Masked(); x.Prefix.IsValid() && x.LowBits {
				if kept[network] {
					twice[x.Span] = x.Directive
				}
				kept[network] = true
			}
		}
	}
	seen := map[*config.Setting[[]*config.Trusted]]bool{}
	visit := func(l *config.Level) {
		if from := l.Settings.RealIPFrom; from != nil && !seen[from] {
			seen[from] = true
			look(from.Value)
		}
	}
	visit(&p.Tree.HTTP.Level)
	for _, place := range p.Places() {
		visit(place.Level)
	}
	return twice
}

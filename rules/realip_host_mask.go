package rules

import (
	"fmt"
	"net/netip"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// RealipHostMask reports single hosts that are trusted where a network is meant.
var RealipHostMask = register(rule.Rule{
	Name:       "realip-host-mask",
	Summary:    "one address is trusted where a network seems to be meant",
	Group:      rule.GroupAddress,
	Severity:   rule.Warning,
	Confidence: rule.Medium,
	Since:      "0.1.0",
	Why: "`set_real_ip_from 10.0.4.0` without a mask trusts that one address, which is the network's own and hardly ever a host's: none of\n" +
		"the balancer's nodes is believed, and each is the key of all its clients. Write the mask, `10.0.4.0/22`.\n\n" +
		"Single private hosts that add to `X-Forwarded-For` are a note: the nodes of a managed balancer change their addresses with every\n" +
		"scaling, so its subnets are what to trust; a proxy of your own may keep its address for years, and a network's first address is\n" +
		"its gateway, which stays.\n",
	Bad: `events {}

http {
    set_real_ip_from 192.0.2.0;
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
    set_real_ip_from 192.0.2.0/24;
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
		"https://nginx.org/en/docs/http/ngx_http_realip_module.html#set_real_ip_from",
		"https://docs.aws.amazon.com/elasticloadbalancing/latest/application/application-load-balancers.html",
	},
	Settings: []string{"proxies"},
	Check:    checkRealipHostMask,
})

func checkRealipHostMask(p *rule.Pass) {
	for _, t := range p.Trusts() {
		var hosts []*config.Trusted
		for _, x := range t.From.Value {
			switch {
			case !x.Prefix.IsValid() || !x.Prefix.IsSingleIP() || inWider(t.From.Value, x):
			case isNetworkAddress(x.Prefix.Addr()):
				if !p.WholeAt(t.Places[0].Level) {
					continue // the network may stand in what was not read
				}
				f := t.At(x)
				f.Message = fmt.Sprintf("%s is trusted as one address, and it is a network's: the proxies in that network are not trusted, and each is the key of all its clients", x.Text)
				if x.Prefix.Addr().IsUnspecified() {
					f.Confidence = rule.High
					f.Message = fmt.Sprintf("%s is trusted as one address, from which nobody connects: each proxy is the key of all its clients", x.Text)
				}
				f.Evidence = map[string]any{"trusted": x.Prefix.String()}
				p.Report(f)
			case x.Prefix.Addr().IsPrivate() && !isGateway(x.Prefix.Addr()):
				hosts = append(hosts, x)
			}
		}
		if len(hosts) > 0 && t.Forwarded() && p.Settings.Front != rule.FrontProxy {
			p.Report(realipHostsFinding(t, hosts))
		}
	}
}

func realipHostsFinding(t *rule.Trust, hosts []*config.Trusted) rule.Finding {
	f := t.At(hosts[0])
	f.Severity, f.Confidence = rule.Note, rule.Low
	f.Message = fmt.Sprintf("%s trusted, not a subnet: the nodes of a managed balancer change their addresses, and a new one would be the key of all its clients",
		rule.Plural(int64(len(hosts)), "single host is", "single hosts are"))
	f.Evidence = map[string]any{"hosts": int64(len(hosts))}
	return f
}

// isNetworkAddress says whether an address is one that networks have and hosts do not: it ends in a zero byte, or, of IPv6,
// in 64 zero bits.
func isNetworkAddress(a netip.Addr) bool {
	if a.Is4() {
		return a.As4()[3] == 0
	}
	b := a.As16()
	for _, c := range b[8:] {
		if c != 0 {
			return false
		}
	}
	return true
}

// isGateway says whether an address is the first of a network, where routers and Docker's bridges are.
func isGateway(a netip.Addr) bool { return a.Is4() && a.As4()[3] == 1 }

// inWider says whether another entry of the list holds the address as well.
func inWider(list []*config.Trusted, x *config.Trusted) bool {
	for _, o := range list {
		if o.Prefix.IsValid() && o.Prefix.Bits() < x.Prefix.Bits() && o.Prefix.Addr().Is4() == x.Prefix.Addr().Is4() && o.Prefix.Contains(x.Prefix.Addr()) {
			return true
		}
	}
	return false
}

package rules

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// reportLone is about a subnet that stands alone.
func (t trust) reportLone(p *rule.Pass, rows []row) {
	if len(rows) != 1 || len(rows[0].subnets) != 1 || rows[0].v6 {
		return
	}
	for _, x := range t.from.Value {
		if x.Prefix.IsValid() && !x.Prefix.Addr().IsLoopback() && x != rows[0].subnets[0].trusted {
			return
		}
	}
	f := t.at(rows[0].subnets[0].trusted)
	f.Severity, f.Confidence = rule.Note, rule.Low
	f.Message = fmt.Sprintf("%s is the only subnet that is trusted: an AWS balancer has nodes in a subnet for each availability zone, and those of another one would be the key of all their clients", f.Primary.Text())
	p.Report(f)
}

// reportHosts is about single addresses of a private network; a network's first address is its gateway, which stays.
func (t trust) reportHosts(p *rule.Pass) {
	var hosts []*config.Trusted
	for _, x := range t.from.Value {
		a := x.Prefix.Addr()
		if x.Prefix.IsValid() && x.Prefix.IsSingleIP() && a.IsPrivate() && (!a.Is4() || a.As4()[3] != 1) {
			hosts = append(hosts, x)
		}
	}
	if len(hosts) == 0 {
		return
	}
	f := t.at(hosts[0])
	f.Severity, f.Confidence = rule.Note, rule.Low
	f.Message = fmt.Sprintf("%s trusted, not a subnet: the nodes of a managed balancer change their addresses, and a new one would be the key of all its clients",
		rule.Plural(int64(len(hosts)), "single host is", "single hosts are"))
	f.Evidence = map[string]any{"hosts": int64(len(hosts))}
	p.Report(f)
}

// reportChain is about recursive off where a private proxy and a public one are trusted: one stands behind the other, so
// the header's last entry is the outer proxy.
func (t trust) reportChain(p *rule.Pass) {
	if t.recursive.Value {
		return
	}
	var private, public *config.Trusted
	for _, x := range t.from.Value {
		switch {
		case !x.Prefix.IsValid() || x.Prefix.Bits() == 0 || x.Prefix.Addr().IsLoopback():
		case x.Prefix.Addr().IsPrivate():
			private = x
		default:
			public = x
		}
	}
	if private == nil || public == nil {
		return
	}
	f := t.at(public)
	if t.recursive.Origin != nil {
		f = rule.Of(config.Item{Directive: t.recursive.Origin, Via: t.recursive.Via}, t.recursive.At)
		f.Related = []rule.Label{{Span: public.Span, Message: "trusted as well"}}
	}
	f.Message = fmt.Sprintf("%s and %s are trusted with real_ip_recursive off: behind both, the header's last entry is the outer proxy, and it is the key of all its clients", private.Text, public.Text)
	f.Evidence = map[string]any{"trusted": int64(len(t.from.Value))}
	p.Report(f)
}

// cloudflare are networks of Cloudflare that a list of its addresses never lacks; see https://www.cloudflare.com/ips/.
var cloudflare = []netip.Prefix{
	netip.MustParsePrefix("173.245.48.0/20"),
	netip.MustParsePrefix("162.158.0.0/15"),
	netip.MustParsePrefix("2400:cb00::/32"),
}

// reportHeader is about X-Real-IP, which nginx reads unless something else is written, and which no large front sends.
func (t trust) reportHeader(p *rule.Pass) {
	if t.header.Value != "X-Real-IP" {
		return
	}
	edge := slices.IndexFunc(t.from.Value, func(x *config.Trusted) bool {
		return x.Prefix.IsValid() && slices.Contains(cloudflare, x.Prefix.Masked())
	})
	if edge < 0 && t.header.Origin != nil {
		return
	}
	f := t.at(t.from.Value[max(edge, 0)])
	if t.header.Origin != nil {
		f = rule.Of(config.Item{Directive: t.header.Origin, Via: t.header.Via}, t.header.At)
	}
	f.Evidence = map[string]any{"header": t.header.Value}
	if edge >= 0 {
		f.Confidence = rule.High
		f.Message = "Cloudflare is trusted, which sends CF-Connecting-IP and X-Forwarded-For, and X-Real-IP is read: its own addresses stay the key"
	} else {
		f.Severity, f.Confidence = rule.Note, rule.Low
		f.Message = "X-Real-IP is read, because no real_ip_header is in effect: balancers and CDNs send X-Forwarded-For"
	}
	p.Report(f)
}

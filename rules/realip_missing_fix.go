package rules

import (
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/model/chain"
	"github.com/ngxlimit/ngxlimit/model/fronts"
	"github.com/ngxlimit/ngxlimit/model/realip"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// realipMissingFix trusts what was said to stand in front, beside the zone; nil where nothing was.
func realipMissingFix(p *rule.Pass, b *rule.Bucket, servers []*config.Server) *rule.Fix {
	if len(p.Settings.Fronts) == 0 {
		return nil
	}
	r, ok := readingOf(p, servers)
	lines := trustLines(p, servers, r)
	if !ok || len(lines) == 0 {
		return nil
	}
	title := "trust what stands in front"
	if !r.sure {
		title += ", if it sends " + r.header
	}
	safe := r.sure
	if r.header == realip.XForwardedFor && ownUnknown(p) {
		title, safe = title+`, and the balancer's own address, which it adds behind the client's ("`+fronts.BalancerAddresses+`" tells it)`, false
	}
	lines = append(lines, "real_ip_header "+r.header+";")
	if r.recursive {
		lines = append(lines, "real_ip_recursive on;")
	}
	return &rule.Fix{Title: title, Safe: safe, Edits: []source.Edit{b.Item.InsertLines(lines)}}
}

// ownUnknown says whether some front adds an address of its own behind the client's that nobody said: as long as it is not
// trusted, it is taken for the client.
func ownUnknown(p *rule.Pass) bool {
	if c := p.Settings.Chain; len(c) > 0 {
		return slices.ContainsFunc(c, func(m chain.Proxy) bool { return m.OwnUnknown() })
	}
	said := slices.ContainsFunc(p.Settings.Fronts, func(l *fronts.List) bool { return l.Made == fronts.BalancerAddresses })
	return !said && slices.ContainsFunc(p.Settings.Fronts, func(l *fronts.List) bool {
		return l.Front != nil && slices.ContainsFunc(l.Front.Headers, func(h fronts.Header) bool { return h.Adds > 1 })
	})
}

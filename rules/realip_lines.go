package rules

import (
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/model/chain"
	"github.com/ngxlimit/ngxlimit/model/fronts"
	"github.com/ngxlimit/ngxlimit/model/realip"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// A reading is the header that has to be read of what stands in front, and how sure that is.
type reading struct {
	header    string
	recursive bool
	sure      bool // a front that is known sends it, or the chain says so
}

// readingOf finds the header to read behind what stands in front, where nobody is trusted yet; ok is false where there is
// none in which the client's address is for certain.
func readingOf(p *rule.Pass, servers []*config.Server) (r reading, ok bool) {
	lists := p.Settings.Fronts
	if c := p.Settings.Chain; len(c) > 0 {
		r.header, r.recursive, ok = c.Sound(realip.XRealIP, false)
		r.sure = ok && !slices.ContainsFunc(c, func(m chain.Proxy) bool { return !m.Known() })
		return r, ok
	}
	takes := func(s *config.Server) bool {
		return !slices.ContainsFunc(s.Listens, func(l *config.Listen) bool { return !p.TakesProxyProtocol(l) })
	}
	switch {
	case len(servers) > 0 && !slices.ContainsFunc(servers, func(s *config.Server) bool { return !takes(s) }):
		return reading{header: realip.ProxyProtocol}, true
	case len(lists) > 1:
		return reading{header: realip.XForwardedFor, recursive: true}, true // whichever stands behind the other
	case lists[0].Front != nil:
		h := lists[0].Front.Headers[0]
		return reading{header: h.Name, recursive: h.Adds > 1, sure: h.Adds < 2}, true // what it adds of its own is no network of its list
	}
	managed := slices.ContainsFunc([]string{"aws ", "gcloud ", "az "}, func(maker string) bool { return strings.HasPrefix(lists[0].Made, maker) })
	return reading{header: realip.XForwardedFor, sure: managed}, true
}

// trustLines are the lines that trust the lists that were given, as far as they have to be.
func trustLines(p *rule.Pass, servers []*config.Server, r reading) (lines []string) {
	six := slices.ContainsFunc(servers, rule.Any6)
	b := behind{chain: p.Settings.Chain, header: r.header, recursive: r.recursive, sound: true}
	for _, list := range p.Settings.Fronts {
		if len(b.chain) > 0 && !b.needs(list) {
			continue
		}
		for _, n := range list.Networks {
			if line := trustLine(n); (n.Prefix.Addr().Is4() || six) && !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// trustLine is the line that trusts a network.
func trustLine(n fronts.Network) string { return "set_real_ip_from " + textOf(n.Prefix) + ";" }

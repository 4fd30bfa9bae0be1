package rules

import (
	"fmt"
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/model/fronts"
	"github.com/ngxlimit/ngxlimit/model/peers"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// reportPeers tells of proxies that stand in logs in the place of their clients, and are not trusted.
func reportPeers(p *rule.Pass, t *rule.Trust) {
	if p.Settings.Peers == nil || !p.WholeAt(t.Places[0].Level) {
		return
	}
	for _, g := range p.Settings.Peers.Groups(sizesOf(t)) {
		untrusted := slices.ContainsFunc(g.Peers, func(x peers.Peer) bool { return !t.Set().Contains(x.Addr) })
		switch {
		case g.Last == g.Requests && !t.Recursive.Value && t.Forwarded():
			f := t.AtRecursive()
			f.Confidence = rule.High
			f.Message = fmt.Sprintf("logs show %s as the client, as the last entry of a header that holds others: real_ip_recursive off takes the last proxy (%s)", seenText(&g), seenCounts(p, &g))
			f.Evidence = seenEvidence(&g)
			p.Report(f)
		case untrusted && g.Last < g.Requests:
			f := t.At(t.From.Value[len(t.From.Value)-1])
			f.Confidence = rule.High
			f.Message = fmt.Sprintf("logs show %s as the client, which hands on others and is not trusted (%s): %s", seenText(&g), seenCounts(p, &g), coverText(&g))
			f.Evidence = seenEvidence(&g)
			f.Fix = &rule.Fix{
				Title: "trust " + g.Network.String(), Safe: false,
				Edits: []source.Edit{t.From.Value[len(t.From.Value)-1].Directive.InsertLines([]string{trustLine(fronts.Network{Prefix: g.Network})})},
			}
			if slices.ContainsFunc(p.Settings.Fronts, func(l *fronts.List) bool { return l.Set().ContainsPrefix(g.Network) }) {
				f.Fix = nil // the comparison with that list adds it
			}
			p.Report(f)
		}
	}
}

// sizesOf are the lengths of the private networks that are trusted.
func sizesOf(t *rule.Trust) (sizes []int) {
	for _, r := range rowsOf(t.Listed()) {
		if !r.v6 {
			sizes = append(sizes, r.bits)
		}
	}
	return sizes
}

func seenText(g *peers.Group) string {
	if n := len(g.Peers) - 1; n > 0 {
		return fmt.Sprintf("%s and %s of %s", g.Addr, rule.Plural(int64(n), "more", "more"), g.Network)
	}
	return g.Addr.String()
}

// seenCounts are the numbers of a group, as a clause.
func seenCounts(p *rule.Pass, g *peers.Group) string {
	text := fmt.Sprintf("%s of %s", rule.Plural(g.Requests, "request", "requests"), rule.Plural(g.Clients, "client", "clients"))
	switch c := p.Settings.Peers; {
	case c.Silent > 0 && g.Refused == 0:
		return text + "; the log does not say what was refused"
	case c.ByStatus > 0:
		return fmt.Sprintf("%s, %d of them with the status of a refusal", text, g.Refused)
	}
	return fmt.Sprintf("%s, %d refused", text, g.Refused)
}

// coverText names the network that would cover a group, and how sure that is.
func coverText(g *peers.Group) string {
	if g.Sure {
		return fmt.Sprintf("%s covers it (%s)", g.Network, g.Label)
	}
	return fmt.Sprintf("%s would cover what was seen; its true network may be larger, which --proxies FILE tells", g.Network)
}

func seenEvidence(g *peers.Group) map[string]any {
	addresses := make([]string, 0, len(g.Peers))
	for _, x := range g.Peers[:min(len(g.Peers), 50)] {
		addresses = append(addresses, x.Addr.String())
	}
	return map[string]any{
		"seen": addresses, "requests": g.Requests, "refused": g.Refused, "clients": g.Clients, "network": g.Network.String(),
	}
}

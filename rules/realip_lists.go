package rules

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/model/fronts"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// A comparison is between what is trusted and what stands in front by a list.
type comparison struct {
	*rule.Trust
	list    *fronts.List
	given   bool             // somebody said that it stands in front; else it is known by the networks that are trusted
	missing []fronts.Network // of the list
	of      int              // how many networks of the list matter
	anchor  *config.Trusted  // the entry behind which the others belong
}

// compare looks for networks of a list that are not trusted. Those of IPv6 matter where six is true.
func compare(t *rule.Trust, list *fronts.List, six bool) comparison {
	c := comparison{Trust: t, list: list, anchor: t.From.Value[0]}
	for _, x := range t.From.Value {
		if x.Prefix.IsValid() && list.Set().OverlapsPrefix(x.Prefix) {
			c.anchor = x
		}
	}
	for _, n := range list.Networks {
		if n.Prefix.Addr().Is6() && !six {
			continue
		}
		if c.of++; !t.Set().ContainsPrefix(n.Prefix) {
			c.missing = append(c.missing, n)
		}
	}
	return c
}

// compareGiven compares with the lists that were given, both ways.
func compareGiven(p *rule.Pass, t *rule.Trust) {
	six := slices.ContainsFunc(t.Servers, rule.Any6)
	b, chained := behindChain(p, t)
	for _, list := range p.Settings.Fronts {
		if chained && !b.needs(list) {
			continue
		}
		c := compare(t, list, six)
		c.given = true
		c.report(p)
	}
	reportBeyond(p, t)
}

// compareKnown compares with the fronts some of whose networks are trusted.
func compareKnown(p *rule.Pass, t *rule.Trust) {
	if len(tooWide(t.From.Value)) > 0 {
		return
	}
	for _, front := range p.Settings.Known().Fronts {
		if slices.ContainsFunc(p.Settings.Fronts, func(l *fronts.List) bool { return l.Front == front }) {
			continue
		}
		meant, six := false, false
		for _, x := range t.From.Value {
			if x.Prefix.IsValid() && !x.Prefix.IsSingleIP() && front.Set().OverlapsPrefix(x.Prefix) {
				meant, six = true, six || x.Prefix.Addr().Is6()
			}
			if slices.Contains(front.Former, x.Prefix) && p.WholeAt(t.Places[0].Level) {
				reportFormer(p, t, front, x)
			}
		}
		if meant {
			c := compare(t, front.List(), six) // where none of IPv6 is, realip-v6-missing tells
			c.report(p)
		}
	}
}

func (c *comparison) report(p *rule.Pass) {
	age := ageOf(c.list, p.Settings.Today)
	if len(c.missing) == 0 && age <= maxAge || !p.WholeAt(c.Places[0].Level) {
		return
	}
	f := c.At(c.anchor)
	f.Evidence = map[string]any{"list": c.list.Name, "trusted": int64(c.of - len(c.missing)), "of": int64(c.of)}
	if c.list.AsOf != "" {
		f.Evidence["as_of"] = c.list.AsOf
	}
	if len(c.missing) == 0 {
		f.Severity, f.Confidence = rule.Note, rule.Low
		f.Message = fmt.Sprintf("the list of %s is of %s, %d days old: what was added since is not known here", c.list.Name, c.list.AsOf, age)
		p.Report(f)
		return
	}
	names, lines, prefixes := c.words()
	verb := "are"
	if len(c.missing) == 1 {
		verb = "is"
	}
	f.Message = fmt.Sprintf("%d of the %d networks of %s%s %s not trusted, and a proxy there is the key of all its clients: %s",
		len(c.missing), c.of, c.list.Name, dated(c.list, age), verb, rule.Some(names))
	f.Evidence["missing"] = prefixes
	f.Confidence = rule.High
	if hosts := hostNames(c.Listed()); len(hosts) > 0 {
		f.Confidence = rule.Medium
		f.Message += fmt.Sprintf("; what %s stands for is not looked up", rule.Some(hosts))
	}
	f.Fix = &rule.Fix{
		Title: "trust " + rule.Plural(int64(len(lines)), "network more", "networks more"), Safe: c.given,
		Edits: []source.Edit{c.anchor.Directive.InsertLines(lines)},
	}
	p.Report(f)
}

// words are the missing networks for people, as lines to add, and bare.
func (c *comparison) words() (names, lines, prefixes []string) {
	for _, n := range c.missing {
		name := n.String()
		if host := hostIn(c.From.Value, n.Prefix); host != nil {
			name += ", of which " + host.Text + " alone is"
		}
		names = append(names, name)
		lines = append(lines, trustLine(n))
		prefixes = append(prefixes, n.Prefix.String())
	}
	return names, lines, prefixes
}

// hostIn returns a single host of a network that is trusted; nil where none is.
func hostIn(list []*config.Trusted, p netip.Prefix) *config.Trusted {
	for _, x := range list {
		if x.Prefix.IsValid() && x.Prefix.IsSingleIP() && !p.IsSingleIP() && p.Contains(x.Prefix.Addr()) {
			return x
		}
	}
	return nil
}

// textOf is a network as a configuration has it: a single host without its mask.
func textOf(p netip.Prefix) string {
	if p.IsSingleIP() {
		return p.Addr().String()
	}
	return p.String()
}

package mend

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
	"github.com/ngxlimit/ngxlimit/model/chain"
	"github.com/ngxlimit/ngxlimit/model/simulate"
)

// Trust compares whom nginx takes for the clients with whom it would take for them if all proxies that have to be were trusted,
// and the header and the recursion right. It returns nil where clients connect themselves. The options and the result are
// those of the run.
func Trust(tree *config.Tree, o simulate.Options, r *simulate.Result) (*simulate.Trusting, error) {
	if r.Seen == nil {
		return nil, nil
	}
	t := &simulate.Trusting{Before: *r.Seen, Figures: r.Figures()}
	s, err := newSearch(tree, o, r)
	if err != nil {
		return nil, fmt.Errorf("trust proxies: %w", err)
	}
	c := s.trust()
	if c.kind == "" {
		return t, nil
	}
	if s.o.Requests() > maxRequests {
		t.Note = fmt.Sprintf("what would be seen then was not tried: a run has %d requests", s.o.Requests())
		return t, nil
	}
	after, ok := s.run(c.edits, s.o)
	if !ok {
		return t, nil
	}
	t.After = after.Seen
	t.Change = &simulate.Change{
		Kind: c.kind, Title: c.title, Cost: c.cost, Mends: s.mends(after), After: after.Figures(), Feels: after.Feeling, Edits: tell(c.edits), Spans: c.edits,
	}
	return t, nil
}

// trust lets nginx take the clients' addresses from the proxies that they come through. Where a proxy is counted in place
// of its clients, no number of a limit means what it seems to.
func (s *search) trust() candidate {
	if len(s.o.Via) == 0 {
		return candidate{}
	}
	set := s.tree.HTTP.Servers[s.server].Settings
	header, recursive, sound := chain.Sound(s.o.Via, set.RealIPHeader.Value, set.RealIPRecursive.Value)
	if !sound {
		return candidate{} // nothing that the proxies send is the client's address for certain
	}
	missing := s.untrusted(set.RealIPFrom.Value, header, recursive)
	c := candidate{kind: "trust", title: "take clients' addresses from the proxies"}
	var lines []string
	for _, net := range missing {
		lines = append(lines, "set_real_ip_from "+net.String()+";")
	}
	if len(missing) > 0 {
		c.title = "trust the proxies in " + networks(missing)
	}
	if !strings.EqualFold(set.RealIPHeader.Value, header) {
		lines = write(&c, lines, set.RealIPHeader, "real_ip_header "+header)
	}
	if recursive != set.RealIPRecursive.Value {
		lines = write(&c, lines, set.RealIPRecursive, "real_ip_recursive "+onOff(recursive))
	}
	if len(lines) > 0 {
		at := s.placeFor(set)
		if at == nil {
			return candidate{} // a part of a configuration, of which the rest is elsewhere
		}
		c.cost += costTrust * len(lines)
		c.edits = append(c.edits, at.InsertBefore(strings.Join(lines, " ")))
	}
	return orNone(c)
}

// write replaces a setting where it is written, or adds the line that writes it.
func write[T any](c *candidate, lines []string, was *config.Setting[T], text string) []string {
	if was.Origin == nil {
		return append(lines, text+";")
	}
	c.cost += costTrust
	c.edits = append(c.edits, source.Edit{Span: was.Origin.Head(), Text: text})
	return lines
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// untrusted lists the networks of proxies that have to be trusted with the header that is read, and are not.
func (s *search) untrusted(from []*config.Trusted, header string, recursive bool) (missing []netip.Prefix) {
	for _, way := range s.o.Via {
		for _, i := range way.Judge(header, recursive).Needed {
			proxy := way[i].Node
			known := slices.ContainsFunc(from, func(t *config.Trusted) bool {
				return t.Prefix.IsValid() && t.Prefix.Masked().Contains(proxy.Addr())
			})
			if net := proxy.Masked(); !known && !slices.Contains(missing, net) {
				missing = append(missing, net)
			}
		}
	}
	return missing
}

// placeFor returns the directive before which lines about trust belong: where there are some already, they have to stand
// at that level, since an inner list takes the place of an outer one.
func (s *search) placeFor(set *config.Settings) *syntax.Directive {
	if from := set.RealIPFrom.Value; len(from) > 0 {
		return from[0].Directive
	}
	var first *syntax.Directive
	for _, item := range s.tree.HTTP.Items {
		if item.Name().Value == "limit_req_zone" || item.Name().Value == "limit_conn_zone" {
			first = item.Directive
			break
		}
	}
	return first
}

func networks(nets []netip.Prefix) string {
	texts := make([]string, len(nets))
	for i, net := range nets {
		texts[i] = net.String()
		if net.IsSingleIP() {
			texts[i] = net.Addr().String()
		}
	}
	return and(texts)
}

// and lists words as a sentence does.
func and(words []string) string {
	if n := len(words) - 1; n > 0 {
		return strings.Join(words[:n], ", ") + " and " + words[n]
	}
	return words[0]
}

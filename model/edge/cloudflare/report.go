package cloudflare

import (
	"fmt"
	"maps"
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/numeral"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/edge"
)

// Report tells what the rules did, and what was taken for granted.
func (l *Layer) Report() edge.Report {
	rep := edge.Report{Front: "Cloudflare", Window: string(l.window)}
	for _, z := range l.zones {
		for _, r := range z.rules {
			st := r.stat
			rep.Rules = append(rep.Rules, st)
			if st.Unknown > 0 {
				rep.Said = append(rep.Said, fmt.Sprintf("edge rule %q: for %s it cannot be known whether it acts, and it is taken not to: %s", st.Rule, numeral.Of(st.Unknown, "request"), st.Why))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(l.keysets)) {
		if k := l.keysets[name]; k.lost > 0 {
			rep.Said = append(rep.Said, fmt.Sprintf("edge rule %q: %s times a request was not counted, as %s combinations of its characteristics had counters at that time", k.rules[0].Name, numeral.Count(k.lost), numeral.Count(mostCombinations)))
		}
	}
	how := map[Window]string{
		Buckets: "counts as Cloudflare described it in 2017: two windows, the older one as far as it overlaps the last period (--edge-window sliding counts exactly)",
		Sliding: "counts exactly what came within the last period; Cloudflare estimates it (--edge-window buckets)",
		Fixed:   "begins anew with each window; Cloudflare lets the last one fade (--edge-window buckets)",
	}[l.window]
	rep.Said = append(
		rep.Said,
		"the edge "+how,
		"all requests come to one data centre of the edge, each of which counts for itself; its counters lag by up to seconds there, and under load it lets requests through",
		"while an edge rule's action goes on, requests do not count for it; requests that are acted on without such a time do. Cloudflare's documents leave both open",
	)
	return rep
}

// Counters returns the counters that belong to a request's combination, by rule; a rule without one is left out.
func (l *Layer) Counters(now clock.Msec, req *edge.Request) map[string]int64 {
	all := map[string]int64{}
	l.request++
	z := l.zoneOf(req)
	if z == nil {
		return all
	}
	for _, r := range z.rules {
		if r.keys == nil {
			continue
		}
		if c := l.find(r, now, req, false); c != nil {
			all[r.Name] = c.value(l.window, now, r.period)
		}
	}
	return all
}

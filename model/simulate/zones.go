package simulate

import (
	"cmp"
	"slices"

	"github.com/ngxlimit/ngxlimit/model/pipeline"
)

// zones tells what the zones of limit_req did.
func zones(p *pipeline.Pipeline, st *stats) []ZoneStat {
	used := p.Zones()
	list := make([]ZoneStat, 0, len(used))
	for _, z := range used {
		n := ZoneStat{
			Zone: z.Zone.Name, Key: z.Zone.Key.Text, RateMilli: z.Zone.Rate, Limits: st.limitsOf(z),
			Requests: int(z.Asked), Delayed: int(z.Delayed), Rejected: int(z.Rejected), Passed: int(z.Asked - z.Delayed - z.Rejected),
			PeakExcessMilli: z.Peak, PeakKey: z.PeakKey, PeakMs: int64(z.PeakAt - epoch), EmptyMs: int64(z.EmptyAt - epoch), Keys: z.Keys,
		}
		added := sample{zeros: int64(n.Passed)}
		if waits := st.zones[z.Zone]; waits != nil {
			added = *waits
			added.zeros += int64(n.Passed)
		}
		n.AddedMs = added.quantiles()
		list = append(list, n)
	}
	return list
}

// limitsOf lists the limits of a zone at the places where requests counted.
func (s *stats) limitsOf(z pipeline.ZoneUse) []ZoneLimit {
	list := []ZoneLimit{}
	for _, at := range s.ordered() {
		place := at.place
		if place.Level == nil {
			continue
		}
		for _, l := range place.Level.Settings.LimitReqs.Value {
			if l.Zone != z.Zone {
				continue
			}
			limit := ZoneLimit{
				Server: place.ServerName(), Location: place.Label(), BurstMilli: l.Burst, DelayMilli: min(l.Delay, l.Burst), NoDelay: l.NoDelay,
			}
			if l.NoDelay {
				limit.DelayMilli = l.Burst
			}
			if l.Directive != nil {
				limit.File, limit.Line = l.Directive.File.Path, l.Directive.Span().From().Line
			}
			list = append(list, limit)
		}
	}
	return list
}

// ordered returns the places in the order of the configuration.
func (s *stats) ordered() []*placeStats {
	list := make([]*placeStats, 0, s.places.Len())
	for at := range s.places.All() {
		list = append(list, at)
	}
	slices.SortFunc(list, func(a, b *placeStats) int { return a.place.Compare(b.place) })
	return list
}

func connZones(p *pipeline.Pipeline) []ConnZoneStat {
	used := p.ConnZones()
	list := make([]ConnZoneStat, 0, len(used))
	for _, z := range used {
		list = append(list, ConnZoneStat{
			Zone: z.Zone.Name, Key: z.Zone.Key.Text, Requests: int(z.Asked), Rejected: int(z.Rejected), Peak: z.Peak, PeakKey: z.PeakKey,
		})
	}
	slices.SortFunc(list, func(a, b ConnZoneStat) int { return cmp.Compare(a.Zone, b.Zone) })
	return list
}

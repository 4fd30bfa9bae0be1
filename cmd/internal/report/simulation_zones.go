package report

import (
	"fmt"
	"strings"

	"github.com/guptarohit/asciigraph"
	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/ngxlimit/ngxlimit/model/simulate"
)

func (t *simulationWriter) zones(zones []simulate.ZoneStat) {
	if len(zones) == 0 {
		return
	}
	t.print("\n")
	tab := newCounts("zone")
	for _, z := range zones {
		tab.AppendRow(countRow(snipText(clean(z.Zone), t.o.width()-71), z.Requests, z.Passed, z.Delayed, z.Rejected, z.AddedMs))
	}
	t.print(rendered(tab), "\n\n")
	tab = newTable()
	tab.AppendHeader(table.Row{"fullest bucket", "rate", "burst", "highest excess", "at", "empty at", "keys", "of key"})
	for _, z := range zones {
		tab.AppendRow(table.Row{
			snipText(clean(z.Zone), t.o.width()-71), milli(z.RateMilli) + "r/s", bursts(z.Limits), milli(z.PeakExcessMilli),
			duration(z.PeakMs), duration(z.EmptyMs), z.Keys, snipText(clean(z.PeakKey), 40),
		})
	}
	t.print(rendered(tab), "\n")
}

// bursts are the bursts of a zone's limits, from the smallest to the largest.
func bursts(limits []simulate.ZoneLimit) string {
	if len(limits) == 0 {
		return ""
	}
	low, high := limits[0].BurstMilli, limits[0].BurstMilli
	for _, l := range limits {
		low, high = min(low, l.BurstMilli), max(high, l.BurstMilli)
	}
	if low == high {
		return milli(low)
	}
	return milli(low) + " to " + milli(high)
}

func (t *simulationWriter) connZones(zones []simulate.ConnZoneStat) {
	if len(zones) == 0 {
		return
	}
	t.print("\n")
	tab := newTable()
	tab.AppendHeader(table.Row{"at once in zone", "requests", "refused", "most", "of key"})
	for _, z := range zones {
		tab.AppendRow(table.Row{snipText(clean(z.Zone), t.o.width()-60), z.Requests, z.Rejected, z.Peak, snipText(clean(z.PeakKey), 40)})
	}
	t.print(rendered(tab), "\n")
}

// Of the chart of excess over time, without its labels.
const (
	plotHeight = 8
	plotWidth  = 72
)

// chart draws the excess of the zone that refused most, or else was fullest, where its course was kept.
func (t *simulationWriter) chart(zones []simulate.ZoneStat) {
	var worst *simulate.ZoneStat
	for i := range zones {
		z := &zones[i]
		if z.Series == nil || len(z.Series.Points) < 2 || z.PeakExcessMilli == 0 {
			continue
		}
		if worst == nil || z.Rejected > worst.Rejected || z.Rejected == worst.Rejected && z.PeakExcessMilli > worst.PeakExcessMilli {
			worst = z
		}
	}
	if worst == nil {
		return
	}
	points := worst.Series.Points
	first, last := points[0].TMs, points[len(points)-1].TMs
	top := float64(worst.PeakExcessMilli) / 1000
	for _, l := range worst.Limits {
		top = max(top, float64(l.BurstMilli)/1000)
	}
	width := min(plotWidth, t.o.width()-10)
	lines := asciigraph.Plot(
		heights(points, first, last, width), asciigraph.Height(plotHeight), asciigraph.LowerBound(0), asciigraph.UpperBound(top), asciigraph.Precision(1),
	)
	t.print("\n", t.p.bold(fmt.Sprintf(
		"Excess of %s in zone %s from %s to %s; burst=%s", snipText(clean(worst.Series.Key), 40), clean(worst.Zone), duration(first), duration(last), bursts(worst.Limits),
	)), "\n")
	for line := range strings.SplitSeq(lines, "\n") {
		t.print(strings.TrimRight(line, " "), "\n")
	}
}

// heights are the highest excess in each of so many equal spans of time, in requests.
func heights(points []simulate.Point, first, last int64, width int) []float64 {
	list := make([]float64, width)
	at := func(ms int64) int { return int((ms - first) * int64(width-1) / max(last-first, 1)) }
	for i := 1; i < len(points); i++ {
		a, b := points[i-1], points[i]
		from, to := at(a.TMs), at(b.TMs)
		for x := from; x <= to; x++ {
			// Straight from point to point.
			share := 1.0
			if to > from {
				share = float64(x-from) / float64(to-from)
			}
			v := (float64(a.ExcessMilli) + share*float64(b.ExcessMilli-a.ExcessMilli)) / 1000
			list[x] = max(list[x], v)
		}
	}
	return list
}

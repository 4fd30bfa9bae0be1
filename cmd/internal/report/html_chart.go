package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ngxlimit/ngxlimit/model/simulate"
)

// The size of a chart's drawing, in its own units; it is stretched to the width of the page.
const (
	chartWidth  = 1000
	chartHeight = 300
)

// A chartView is the excess of a zone's fullest key over time.
type chartView struct {
	Side, Caption string
	Path          string // an SVG path; "" where nothing was counted
	Levels        []levelView
	Refused       []refusedView
	Ticks         []tickView
}

// A levelView is the burst or the delay of a limit.
type levelView struct {
	Class, Text string
	Y           int64
	Top         float64
}

// A refusedView is a line from the top: longer where more was refused.
type refusedView struct{ X, Y int64 }

// excessCharts shows every zone of each side over the same span of time. Each has a height of its own: beside a burst of
// hundreds one of ten could not be seen.
func excessCharts(sides []side) [][]chartView {
	var names []string
	bySide := make([]map[string]*simulate.ZoneStat, len(sides))
	seen := map[string]bool{}
	for i, s := range sides {
		bySide[i] = map[string]*simulate.ZoneStat{}
		for j := range s.result.Zones {
			z := &s.result.Zones[j]
			if z.Series == nil {
				continue
			}
			bySide[i][z.Zone] = z
			if !seen[z.Zone] {
				seen[z.Zone] = true
				names = append(names, z.Zone)
			}
		}
	}
	out := make([][]chartView, 0, len(names))
	for _, name := range names {
		var span int64
		for i := range sides {
			span = max(span, boundsOf(bySide[i][name]).span)
		}
		var row []chartView
		for i, s := range sides {
			if z := bySide[i][name]; z != nil {
				b := boundsOf(z)
				b.span = span
				row = append(row, b.chart(s.name, z))
			}
		}
		out = append(out, row)
	}
	return out
}

// bounds are what the chart of a zone has to show.
type bounds struct {
	span   int64 // milliseconds from the start
	excess int64 // thousandths
	most   int   // refused in one span of time
}

func boundsOf(z *simulate.ZoneStat) (b bounds) {
	if z == nil {
		return b
	}
	for _, p := range z.Series.Points {
		b.span, b.excess = max(b.span, p.TMs), max(b.excess, p.ExcessMilli)
	}
	for _, c := range z.Series.Refused {
		b.span, b.most = max(b.span, c.TMs), max(b.most, c.N)
	}
	for _, l := range z.Limits {
		b.excess = max(b.excess, l.BurstMilli)
	}
	return b
}

func (b *bounds) x(ms int64) int64 { return ms * chartWidth / max(b.span, 1) }

// y leaves a tenth free at the top for the label of the highest line.
func (b *bounds) y(milli int64) int64 {
	return chartHeight - milli*(chartHeight*9/10)/max(b.excess, 1)
}

func (b *bounds) chart(side string, z *simulate.ZoneStat) chartView {
	v := chartView{
		Side: side, Ticks: timeTicks(max(b.span, 1)),
		Caption: fmt.Sprintf("zone %s, key %s, highest excess %s", clean(z.Zone), strconv.Quote(clean(z.Series.Key)), milli(z.PeakExcessMilli)),
	}
	v.Path = b.path(z.Series.Points)
	v.Levels = b.levels(z.Limits)
	for _, c := range z.Series.Refused {
		v.Refused = append(v.Refused, refusedView{b.x(c.TMs), max(int64(c.N)*(chartHeight/5)/int64(max(b.most, 1)), 8)})
	}
	return v
}

// path draws the area under the line.
func (b *bounds) path(points []simulate.Point) string {
	if len(points) == 0 {
		return ""
	}
	var s strings.Builder
	fmt.Fprintf(&s, "M%d %d", b.x(points[0].TMs), chartHeight)
	for _, p := range points {
		fmt.Fprintf(&s, "L%d %d", b.x(p.TMs), b.y(p.ExcessMilli))
	}
	fmt.Fprintf(&s, "L%d %dZ", b.x(points[len(points)-1].TMs), chartHeight)
	return s.String()
}

// levels are the bursts and delays of the limits, each height once.
func (b *bounds) levels(limits []simulate.ZoneLimit) []levelView {
	var out []levelView
	drawn := map[string]bool{}
	level := func(class, text string, value int64) {
		if drawn[text] {
			return
		}
		drawn[text] = true
		y := b.y(value)
		out = append(out, levelView{class, text, y, percent(y, chartHeight)})
	}
	for _, l := range limits {
		mode := ""
		switch {
		case l.NoDelay:
			mode = " nodelay"
		case l.DelayMilli > 0:
			level("delay", "delay="+milli(l.DelayMilli), l.DelayMilli)
		}
		level("burst", "burst="+milli(l.BurstMilli)+mode, l.BurstMilli)
	}
	return out
}

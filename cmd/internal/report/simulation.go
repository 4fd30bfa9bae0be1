package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/ngxlimit/ngxlimit/analyzer/numeral"
	"github.com/ngxlimit/ngxlimit/model/simulate"
)

// A Simulation is what simulate ran, and what came of it.
type Simulation struct {
	Result  *simulate.Result
	Input   string // what was read, as the user named it
	Version string // of ngxlimit
}

// WriteSimulation writes a simulation for a person.
func WriteSimulation(w io.Writer, s Simulation, o Options) error {
	t := &simulationWriter{errWriter{w: &inertWriter{w: w}}, palette{o.Color}, o}
	r := s.Result
	t.print(t.p.bold(s.title()), "\n")
	t.locations(r.Locations, r.Edge != nil)
	t.edge(r)
	t.crowds(r.Crowds)
	t.zones(r.Zones)
	t.connZones(r.ConnZones)
	if p := r.Page; p != nil {
		t.print("\n")
		if !r.OnlyAttacks() {
			t.page(p)
		}
		t.print(t.p.bold(r.Feeling), "\n")
		t.attacks(r.Crowds)
	} else {
		t.requests(r.Requests)
	}
	t.trusting(r.Trusting)
	t.chart(r.Zones)
	t.tests(r.Tests)
	t.mend(r.Mend)
	if len(r.Assumptions) > 0 {
		t.print("\n")
	}
	for _, a := range r.Assumptions {
		t.print(wrap("assumed: "+clean(a), t.o.width()), "\n")
	}
	return t.err
}

type simulationWriter struct {
	errWriter
	p palette
	o Options
}

func (s Simulation) title() string {
	if len(s.Result.Crowds) == 0 {
		return count(len(s.Result.Requests), "request")
	}
	titles := make([]string, len(s.Result.Crowds))
	for i, c := range s.Result.Crowds {
		titles[i] = "\"" + clean(c.Fan) + "\", " + count(c.Clients, "client")
		if c.Addresses < c.Clients {
			titles[i] += " behind " + count(c.Addresses, "address")
		}
	}
	return strings.Join(titles, "; ")
}

func (t *simulationWriter) locations(locations []simulate.LocationStat, edge bool) {
	if len(locations) == 0 {
		t.print("no request reached a server\n")
		return
	}
	tab := newTable()
	head, left := countHead("location"), t.o.width()-71
	if edge {
		head, left = slices.Insert(head, 1, any("stopped at edge")), left-16
	}
	tab.AppendHeader(head)
	places := make([][2]string, len(locations))
	for i, l := range locations {
		places[i] = [2]string{l.Server, l.Location}
	}
	names := placeNames(places, left)
	for i, l := range locations {
		row := countRow(names[i], l.Requests, l.Passed, l.Delayed, l.Rejected, l.AddedMs)
		if edge {
			row = slices.Insert(row, 1, any(l.AtEdge))
		}
		tab.AppendRow(row)
	}
	t.print(rendered(tab), "\n")
	for _, l := range locations {
		name := placeName(l.Server, l.Location, t.o.width())
		if l.DryRun > 0 {
			t.print(fmt.Sprintf("%s: %s would have been held up or refused without the dry run\n", name, count(l.DryRun, "request")))
		}
		if l.NotIssued > 0 {
			t.print(fmt.Sprintf("%s: %s never sent, because what led there was refused\n", name, count(l.NotIssued, "request")))
		}
	}
}

// newCounts is a table of what requests suffered.
func newCounts(what string) table.Writer {
	tab := newTable()
	tab.AppendHeader(countHead(what))
	return tab
}

func countHead(what string) table.Row {
	return table.Row{what, "requests", "passed", "delayed", "refused", "added p50", "p95", "p99", "longest"}
}

func countRow(name string, requests, passed, delayed, rejected int, q simulate.Quantiles) table.Row {
	return table.Row{name, requests, passed, delayed, rejected, added(q.P50), added(q.P95), added(q.P99), added(q.Max)}
}

// crowds tells several crowds apart.
func (t *simulationWriter) crowds(crowds []simulate.CrowdStat) {
	if len(crowds) > 1 {
		t.print("\n")
		tab := newCounts("who")
		for _, c := range crowds {
			name := fmt.Sprintf("%s (%s)", snipText(clean(c.Fan), t.o.width()-71-len(c.Role)-3), c.Role)
			tab.AppendRow(countRow(name, c.Requests, c.Passed, c.Delayed, c.Rejected, c.AddedMs))
		}
		t.print(rendered(tab), "\n")
	}
	for _, c := range crowds {
		if c.Retries > 0 {
			t.print(fmt.Sprintf("%s: %s sent again after a refusal\n", clean(c.Fan), count(c.Retries, "request")))
		}
	}
}

// attacks says how much of each attack comes through; of one that comes alone the result says it.
func (t *simulationWriter) attacks(crowds []simulate.CrowdStat) {
	if len(crowds) == 1 {
		return
	}
	for _, c := range crowds {
		if through := c.Passed + c.Delayed; c.Role == "attack" {
			t.print(fmt.Sprintf("Of the requests of %q %s of %s come through (%s).\n", clean(c.Fan), numeral.Count(through), numeral.Count(c.Requests), share(through, c.Requests)))
		}
	}
}

// share is a part as a percentage.
func share(part, whole int) string {
	if whole == 0 {
		return "0 %"
	}
	return strconv.FormatFloat(percent(int64(part), int64(whole)), 'f', 1, 64) + " %"
}

func (t *simulationWriter) page(p *simulate.PageStat) {
	tab := newTable()
	tab.AppendHeader(table.Row{"whole page", "p50", "p95", "p99", "longest"})
	row := func(name string, q simulate.Quantiles) {
		tab.AppendRow(table.Row{name, duration(q.P50), duration(q.P95), duration(q.P99), duration(q.Max)})
	}
	row("without limits", p.UnlimitedMs)
	row("with limits", p.LimitedMs)
	t.print(rendered(tab), "\n")
	if p.BrokenPages > 0 {
		t.print(fmt.Sprintf("%s of %s broken by a refused request\n", numeral.Count(p.BrokenPages), count(p.Pages, "page")))
	}
}

package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

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
	t.print(t.p.bold(s.title()), "\n")
	t.locations(s.Result.Locations)
	t.zones(s.Result.Zones)
	if p := s.Result.Page; p != nil {
		t.print("\n")
		t.page(p)
		t.print(t.p.bold(s.Result.Feeling), "\n")
	} else {
		t.requests(s.Result.Requests)
	}
	if len(s.Result.Assumptions) > 0 {
		t.print("\n")
	}
	for _, a := range s.Result.Assumptions {
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
		titles[i] = fmt.Sprintf("%q, %s", clean(c.Fan), count(c.Clients, "client"))
		if c.Addresses < c.Clients {
			titles[i] += " behind " + count(c.Addresses, "address")
		}
	}
	return strings.Join(titles, "; ")
}

func (t *simulationWriter) locations(locations []simulate.LocationStat) {
	if len(locations) == 0 {
		t.print("no request reached a server\n")
		return
	}
	tab := newTable()
	tab.AppendHeader(table.Row{"location", "requests", "passed", "delayed", "refused", "added p50", "p95", "p99", "longest"})
	for _, l := range locations {
		name := placeName(l.Server, l.Location, t.o.width()-71)
		tab.AppendRow(table.Row{
			name, l.Requests, l.Passed, l.Delayed, l.Rejected,
			added(l.AddedMs.P50), added(l.AddedMs.P95), added(l.AddedMs.P99), added(l.AddedMs.Max),
		})
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

func (t *simulationWriter) zones(zones []simulate.ZoneStat) {
	if len(zones) == 0 {
		return
	}
	t.print("\n")
	tab := newTable()
	tab.AppendHeader(table.Row{"zone", "keys", "highest excess", "of key"})
	for _, z := range zones {
		tab.AppendRow(table.Row{clean(z.Zone), z.Keys, milli(z.PeakExcessMilli), snipText(clean(z.PeakKey), 40)})
	}
	t.print(rendered(tab), "\n")
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
		t.print(fmt.Sprintf("%d of %s broken by a refused request\n", p.BrokenPages, count(p.Pages, "page")))
	}
}

// requests lists single requests, at most a screenful.
func (t *simulationWriter) requests(rows []simulate.Row) {
	const most = 50
	if len(rows) == 0 {
		return
	}
	t.print("\n")
	tab := newTable()
	tab.AppendHeader(table.Row{"at", "client", "outcome", "excess", "delay", "status", "url"})
	for _, r := range rows[:min(len(rows), most)] {
		excess, status := "", "upstream"
		if r.ExcessMilli != nil {
			excess = milli(*r.ExcessMilli)
		}
		if r.Status != nil {
			status = strconv.Itoa(*r.Status)
		}
		tab.AppendRow(table.Row{duration(r.TMs), clean(r.ClientIP), r.Outcome, excess, added(r.DelayMs), status, snipText(clean(r.URL), t.o.width()-65)})
	}
	t.print(rendered(tab), "\n")
	if len(rows) > most {
		t.print(fmt.Sprintf("and %s more: --format csv or json lists all\n", count(len(rows)-most, "request")))
	}
}

// WriteSimulationCSV writes one line a request.
func WriteSimulationCSV(w io.Writer, s Simulation) error {
	c := csv.NewWriter(w)
	head := []string{"t_ms", "client_ip", "url", "location", "outcome", "zone", "excess_milli", "delay_ms", "status"}
	if err := c.Write(head); err != nil {
		return fmt.Errorf("write csv: %w", err)
	}
	for _, r := range s.Result.Requests {
		row := []string{
			strconv.FormatInt(r.TMs, 10), cellText(r.ClientIP), cellText(r.URL), cellText(optional(r.Location)), r.Outcome,
			cellText(optional(r.Zone)), optional(r.ExcessMilli), strconv.FormatInt(r.DelayMs, 10), optional(r.Status),
		}
		if err := c.Write(row); err != nil {
			return fmt.Errorf("write csv: %w", err)
		}
	}
	c.Flush()
	if err := c.Error(); err != nil {
		return fmt.Errorf("write csv: %w", err)
	}
	return nil
}

func optional[T any](v *T) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(*v)
}

// cellText keeps a spreadsheet from taking foreign text for a formula.
func cellText(s string) string {
	s = clean(s)
	if s != "" && strings.ContainsRune("=+-@", rune(s[0])) {
		return "'" + s
	}
	return s
}

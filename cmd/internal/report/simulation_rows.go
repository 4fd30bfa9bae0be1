package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/ngxlimit/ngxlimit/model/simulate"
)

// requests lists single requests, at most a screenful.
func (t *simulationWriter) requests(rows []simulate.Row) {
	const most = 50
	if len(rows) == 0 {
		return
	}
	t.print("\n")
	tab := newTable()
	head := table.Row{"at", "client", "outcome", "excess", "delay", "status", "url"}
	edge := slices.ContainsFunc(rows, func(r simulate.Row) bool { return r.Edge != nil })
	if edge {
		head = slices.Insert(head, 2, any("edge"))
	}
	tab.AppendHeader(head)
	for _, r := range rows[:min(len(rows), most)] {
		excess, status := "", "upstream"
		if r.ExcessMilli != nil {
			excess = milli(*r.ExcessMilli)
		}
		switch {
		case r.Status != nil:
			status = strconv.Itoa(*r.Status)
		case r.Outcome == simulate.Unknown:
			status = "unknown"
		}
		row := table.Row{duration(r.TMs), clean(r.ClientIP), r.Outcome, excess, added(r.DelayMs), status, snipText(clean(r.URL), t.o.width()-65)}
		if edge {
			row = slices.Insert(row, 2, any(edgeCell(r.Edge)))
		}
		tab.AppendRow(row)
	}
	t.print(rendered(tab), "\n")
	if len(rows) > most {
		t.print(fmt.Sprintf("and %s more: --format csv or json lists all\n", count(len(rows)-most, "request")))
	}
}

// WriteSimulationCSV writes one line a request, with what its JSON has; what is null there is empty here.
func WriteSimulationCSV(w io.Writer, s Simulation) error {
	c := csv.NewWriter(w)
	head := []string{"t_ms", "client_ip", "url", "location", "outcome", "zone", "excess_milli", "delay_ms", "status", "fan", "retry", "conn_outcome", "conn_zone", "no_room_in"}
	if s.Result.Edge != nil {
		head = append(head, "edge_rule", "edge_action", "edge_counter")
	}
	if err := c.Write(head); err != nil {
		return fmt.Errorf("write csv: %w", err)
	}
	for _, r := range s.Result.Requests {
		row := []string{
			strconv.FormatInt(r.TMs, 10), cellText(r.ClientIP), cellText(r.URL), cellText(optional(r.Location)), r.Outcome,
			cellText(optional(r.Zone)), optional(r.ExcessMilli), strconv.FormatInt(r.DelayMs, 10), optional(r.Status),
			cellText(r.Fan), strconv.Itoa(r.Retry), r.ConnOutcome, cellText(optional(r.ConnZone)), cellText(r.NoRoomIn),
		}
		switch e := r.Edge; {
		case e != nil:
			row = append(row, cellText(e.Rule), e.Action, strconv.FormatInt(e.Counter, 10))
		case s.Result.Edge != nil:
			row = append(row, "", "", "")
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

// edgeCell is what the edge did with a request.
func edgeCell(e *simulate.Edge) string {
	if e == nil {
		return ""
	}
	action := e.Action
	if e.Kind != "" {
		action = e.Kind
	}
	return fmt.Sprintf("%s %s (%d)", action, snipText(clean(e.Rule), 20), e.Counter)
}

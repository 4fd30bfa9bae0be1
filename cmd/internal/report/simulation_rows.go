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
	head := []string{"t_ms", "client_ip", "url", "location", "outcome", "zone", "excess_milli", "delay_ms", "status", "fan", "retry"}
	if err := c.Write(head); err != nil {
		return fmt.Errorf("write csv: %w", err)
	}
	for _, r := range s.Result.Requests {
		row := []string{
			strconv.FormatInt(r.TMs, 10), cellText(r.ClientIP), cellText(r.URL), cellText(optional(r.Location)), r.Outcome,
			cellText(optional(r.Zone)), optional(r.ExcessMilli), strconv.FormatInt(r.DelayMs, 10), optional(r.Status),
			cellText(r.Fan), strconv.Itoa(r.Retry),
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

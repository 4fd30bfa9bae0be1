package report

import (
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/ngxlimit/ngxlimit/model/simulate"
)

// maxPageRows is how many locations the table of page loads shows; more would bury the findings above it.
const maxPageRows = 20

// pages writes the table of what a page load suffers at each limited location. The worst stay where not all fit.
func (t *textWriter) pages(r *Report) {
	all := pageRows(r)
	if len(all) == 0 {
		return
	}
	p := all[0].page
	t.print("\n", t.p.bold(fmt.Sprintf("What a page load suffers (%q: %s)", p.Fan, count(p.One.Requests, "request"))), "\n")
	rows, unreached := reached(all)
	left := 0
	if len(rows) > maxPageRows {
		rows, left = worstRows(rows, maxPageRows), len(rows)-maxPageRows
	}
	if len(rows) > 0 {
		t.pageTable(rows)
	}
	if left > 0 {
		t.print(fmt.Sprintf("and %s more, none of them worse\n", count(left, "limited location")))
	}
	if len(unreached) > 0 {
		t.print(wrap("limited, but none of the page's requests come there: "+list(unreached), t.o.width()), "\n")
	}
	for _, s := range pageNotes(r, rows) {
		t.print(wrap(s, t.o.width()), "\n")
	}
}

// pageTable writes the rows of each location: one client, then the many behind one address.
func (t *textWriter) pageTable(rows []pageRow) {
	tab := newTable()
	tab.AppendHeader(table.Row{"location", "clients", "requests", "delayed", "refused", "added p95", "longest"})
	for _, row := range rows {
		tab.AppendRow(t.statRow(row.name(t.o.width()-60), 1, row.loc.One))
		if row.page.Clients > 1 {
			tab.AppendRow(t.statRow("", row.page.Clients, row.loc.Office))
		}
	}
	t.print(rendered(tab), "\n")
}

// reached parts the locations that some request comes to from the names of the others.
func reached(all []pageRow) (rows []pageRow, unreached []string) {
	for _, row := range all {
		if row.loc.One.Requests == 0 && row.loc.Office.Requests == 0 {
			unreached = append(unreached, row.name(60))
			continue
		}
		rows = append(rows, row)
	}
	return rows, unreached
}

func (t *textWriter) statRow(name string, clients int, s simulate.LocationStat) table.Row {
	return table.Row{name, clients, s.Requests, s.Delayed, s.Rejected, added(s.AddedMs.P95), added(s.AddedMs.Max)}
}

// added words a delay that the limiter made; nothing is worth no number.
func added(ms int64) string {
	if ms == 0 {
		return "-"
	}
	return duration(ms)
}

// A pageRow is one limited location of one page.
type pageRow struct {
	page Page
	loc  simulate.PageLocation
}

// name is the location for people, cut to width columns.
func (r pageRow) name(width int) string {
	server := r.loc.One.Server
	if server == "" {
		server = r.page.Server
	}
	return placeName(server, r.loc.One.Location, width)
}

// placeName names a location and its server, cut to width columns.
func placeName(server, label string, width int) string {
	if label == "" {
		label = "(the server itself)"
	}
	return snipText(strings.TrimSpace(clean(server)+" "+clean(label)), max(width, 24))
}

// snipText cuts text to width columns.
func snipText(s string, width int) string { return text.Snip(s, max(width, 8), "...") }

// pageRows lists the limited locations of all pages, in the order of the configuration.
func pageRows(r *Report) []pageRow {
	var rows []pageRow
	for _, p := range r.Pages {
		for _, l := range p.Locations {
			if l.One.Limited || l.Office.Limited {
				rows = append(rows, pageRow{p, l})
			}
		}
	}
	return rows
}

// worstRows returns the n rows with most refusals, then the longest delays, in their first order.
func worstRows(rows []pageRow, n int) []pageRow {
	keep := make(map[int]bool, n)
	for len(keep) < n {
		best := -1
		for i := range rows {
			if !keep[i] && (best < 0 || worse(rows[i].loc, rows[best].loc)) {
				best = i
			}
		}
		keep[best] = true
	}
	var out []pageRow
	for i := range rows {
		if keep[i] {
			out = append(out, rows[i])
		}
	}
	return out
}

func worse(a, b simulate.PageLocation) bool {
	if x, y := a.One.Rejected+a.Office.Rejected, b.One.Rejected+b.Office.Rejected; x != y {
		return x > y
	}
	if a.Office.AddedMs.Max != b.Office.AddedMs.Max {
		return a.Office.AddedMs.Max > b.Office.AddedMs.Max
	}
	return a.Office.Requests > b.Office.Requests
}

// pageNotes says in words what the whole page takes, for each server that has a row.
func pageNotes(r *Report, rows []pageRow) []string {
	var notes []string
	seen := map[string]bool{}
	for _, row := range rows {
		p := row.page
		key := p.Input + "\x00" + p.Server
		if seen[key] {
			continue
		}
		seen[key] = true
		notes = append(notes, pageNote(p, len(r.Pages) > 1))
	}
	return notes
}

func pageNote(p Page, named bool) string {
	var b strings.Builder
	if named {
		fmt.Fprintf(&b, "%s: ", clean(p.Server))
	}
	fmt.Fprintf(&b, "the page takes %s without limits", duration(p.One.Stat.UnlimitedMs.P50))
	switch one := p.One; {
	case one.Stat.BrokenPages > 0:
		fmt.Fprintf(&b, "; alone, it breaks (%s refused)", count(one.Rejected, "request"))
	case one.Stat.LimitedMs.P50 > one.Stat.UnlimitedMs.P50:
		fmt.Fprintf(&b, ", %s with them", duration(one.Stat.LimitedMs.P50))
	default:
		b.WriteString(", and no longer with them")
	}
	if p.Clients > 1 {
		fmt.Fprintf(&b, "; of %s behind one address, %s", count(p.Clients, "client"), officeNote(p.Office))
	}
	return b.String()
}

func officeNote(o simulate.PageRun) string {
	switch {
	case o.Stat.BrokenPages > 0:
		return fmt.Sprintf("%d see a broken page", o.Stat.BrokenPages)
	case o.MaxAddedMs > 0:
		return fmt.Sprintf("the slowest waits %s longer", duration(o.MaxAddedMs))
	}
	return "nobody waits"
}

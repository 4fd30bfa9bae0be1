package report

import (
	"fmt"
	"slices"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/ngxlimit/ngxlimit/model/simulate"
)

// pageHead are the columns of the table of page loads.
var pageHead = []string{"location", "clients", "requests", "delayed", "refused", "added p95", "longest"}

// pageColumns is the room that the columns behind the first take.
const pageColumns = 58

// pages writes the tables of what page loads suffer at each limited location.
func (t *textWriter) pages(r *Report) {
	for _, p := range pageTables(r) {
		t.page(p)
	}
}

func (t *textWriter) page(p *pageTable) {
	t.print("\n", t.p.bold(p.title()), "\n")
	if len(p.rows) > 0 {
		tab := newTable()
		head := make(table.Row, 0, len(pageHead))
		for _, h := range pageHead {
			head = append(head, h)
		}
		tab.AppendHeader(head)
		for _, row := range p.rows {
			for _, cells := range row.cells(t.o.width() - pageColumns) {
				tab.AppendRow(cells)
			}
		}
		t.print(rendered(tab), "\n")
	}
	for _, s := range p.words() {
		t.print(wrap(s, t.o.width()), "\n")
	}
}

func (p *pageTable) title() string {
	return fmt.Sprintf("What a page load suffers (%q, %s)", p.fan, count(p.requests, "request"))
}

// words are the sentences below the table.
func (p *pageTable) words() []string {
	var out []string
	if p.left > 0 {
		out = append(out, fmt.Sprintf("and %s more, none of them worse", count(p.left, "limited location")))
	}
	out = append(out, p.unknown()...)
	if len(p.unreached) > 0 {
		out = append(out, "limited, but none of the page's requests come there: "+list(p.unreached))
	}
	return append(out, p.notes...)
}

// cells are the lines of one location: one client, then the many behind one address.
func (r pageRow) cells(width int) []table.Row {
	rows := []table.Row{statCells(r.name(width), 1, r.loc.One)}
	if r.page.Clients > 1 {
		rows = append(rows, statCells("", r.page.Clients, r.loc.Office))
	}
	return rows
}

func statCells(name string, clients int, s simulate.LocationStat) table.Row {
	return table.Row{name, clients, s.Requests, s.Delayed, s.Rejected, added(s.AddedMs.P95), added(s.AddedMs.Max)}
}

// unknown says which limits have no zone, by input where there are several: another one may define it without being
// part of the same configuration.
func (p *pageTable) unknown() []string {
	zones := map[string][]string{}
	var inputs []string
	for _, u := range p.undefined {
		in := u.input
		if !p.several {
			in = ""
		}
		if zones[in] == nil {
			inputs = append(inputs, in)
		}
		if !slices.Contains(zones[in], u.zone) {
			zones[in] = append(zones[in], u.zone)
		}
	}
	const most = 8
	var out []string
	for i, in := range inputs {
		if i == most {
			out = append(out, fmt.Sprintf("nor in %s more", count(len(inputs)-most, "configuration")))
			break
		}
		of, reader := "", "was read"
		if in != "" {
			of, reader = " in "+clean(in), "it includes"
		}
		object := "them"
		if len(zones[in]) == 1 {
			object = "it"
		}
		out = append(out, fmt.Sprintf("what limits by %s do%s cannot be known: nothing that %s defines %s",
			list(quoted(zones[in])), of, reader, object))
	}
	return out
}

func quoted(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = "zone \"" + clean(n) + "\""
	}
	return out
}

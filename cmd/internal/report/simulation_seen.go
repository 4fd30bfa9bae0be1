package report

import (
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/ngxlimit/ngxlimit/analyzer/numeral"
	"github.com/ngxlimit/ngxlimit/model/simulate"
)

// trusting shows whom nginx takes for the clients that come through proxies, and whom it would take for them if the proxies
// were trusted.
func (t *simulationWriter) trusting(s *simulate.Trusting) {
	if s == nil {
		return
	}
	t.print("\n")
	tab := newTable()
	tab.AppendHeader(table.Row{"seen by nginx", "addresses", "of proxies", "clients", "requests as a proxy's", "refused"})
	tab.AppendRow(seenRow("as it is", &s.Before))
	if s.After != nil {
		tab.AppendRow(seenRow("with the proxies trusted", s.After))
	}
	t.print(rendered(tab), "\n")
	t.busiest("as it is", &s.Before)
	if c := s.Change; c != nil && s.After != nil {
		t.busiest("with the proxies trusted", s.After)
		t.print(wrap("To "+clean(c.Title)+":", t.o.width()), "\n")
		for _, e := range c.Edits {
			t.print(wrap(fmt.Sprintf("  %s:%d  %s", clean(e.File), e.Line, edit(e)), t.o.width()), "\n")
		}
	} else if note := trustingNote(s); note != "" {
		t.print(wrap(note, t.o.width()), "\n")
	}
}

// trustingNote says why no change is shown; "" where one is, or nothing is missing.
func trustingNote(s *simulate.Trusting) string {
	switch {
	case s.Change != nil && s.After != nil:
		return ""
	case s.Note != "":
		return clean(s.Note)
	case s.Before.Mistaken > 0:
		return "No header that the proxies send tells the client for certain."
	}
	return ""
}

func seenRow(name string, s *simulate.Seen) table.Row {
	return table.Row{name, s.Addresses, s.OfProxies, s.Clients, s.Mistaken, s.Rejected}
}

// busiest lists the addresses that stand for several clients each.
func (t *simulationWriter) busiest(name string, s *simulate.Seen) {
	if parts := busiest(s); len(parts) > 0 {
		t.print(wrap(name+", one address stands for many: "+strings.Join(parts, "; "), t.o.width()), "\n")
	}
}

func busiest(s *simulate.Seen) (parts []string) {
	const most = 4
	for _, row := range s.Busiest {
		if row.Clients > 1 && len(parts) < most {
			parts = append(parts, fmt.Sprintf(
				"%s (%s) for %s addresses of clients, %s of %s refused",
				row.Addr, whom(row.Of), numeral.Count(row.Clients), numeral.Count(row.Rejected), numeral.Of(row.Requests, "request"),
			))
		}
	}
	return parts
}

package report

import (
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/ngxlimit/ngxlimit/analyzer/numeral"
	"github.com/ngxlimit/ngxlimit/model/simulate"
)

// tests lists the tests that were asked for.
func (t *simulationWriter) tests(tests []simulate.Test) {
	if len(tests) > 0 {
		t.print("\n")
	}
	for i := range tests {
		word := t.p.help("pass")
		if !tests[i].Passed {
			word = t.p.bold("FAIL")
		}
		t.print(wrap(word+"  "+tests[i].Name+": "+clean(tests[i].Message), t.o.width()), "\n")
	}
}

// mend shows the changes that were tried, and the smallest that mends.
func (t *simulationWriter) mend(m *simulate.Mend) {
	if m == nil {
		return
	}
	t.print("\n")
	if len(m.Tried) > 0 {
		tab := newTable()
		head := table.Row{"change tried", "mends", "delayed", "refused", "broken", "page p95"}
		if m.Before.AttackAll > 0 {
			head = append(head, "of the attack")
		}
		tab.AppendHeader(head)
		tab.AppendRow(t.figures("as it is", "", &m.Before))
		for i := range m.Tried {
			c := &m.Tried[i]
			word := "no"
			if c.Mends {
				word = "yes"
			}
			tab.AppendRow(t.figures(c.Title, word, &c.After))
		}
		t.print(rendered(tab), "\n")
	}
	switch c := m.Change; {
	case c != nil:
		t.print(wrap(t.p.help("The smallest change that mends it: ")+clean(c.Title), t.o.width()), "\n")
		for _, e := range c.Edits {
			t.print(wrap(fmt.Sprintf("  %s:%d  %s", clean(e.File), e.Line, edit(e)), t.o.width()), "\n")
		}
	case m.Note == "":
		t.print("None of the changes that were tried mends it.\n")
	}
	if m.Note != "" {
		t.print(wrap(clean(m.Note), t.o.width()), "\n")
	}
}

func (t *simulationWriter) figures(name, mends string, f *simulate.Figures) table.Row {
	width := t.o.width() - 46
	row := table.Row{"", mends, f.Delayed, f.Rejected, numeral.Count(f.BrokenPages) + "/" + numeral.Count(f.Pages), duration(f.PageP95Ms)}
	if f.AttackAll > 0 {
		row = append(row, share(f.AttackThrough, f.AttackAll))
		width -= 14
	}
	// What tells changes apart often stands at the end of their titles: it is wrapped, not cut.
	row[0] = text.WrapSoft(snipText(clean(name), 5*width), max(width, 8))
	return row
}

// edit tells an edit in a line.
func edit(e simulate.Edit) string {
	if e.Length == 0 {
		return "add " + clean(strings.TrimSpace(e.Text))
	}
	return clean(e.Old) + " -> " + clean(e.Text)
}

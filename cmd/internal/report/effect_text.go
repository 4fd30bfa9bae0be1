package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// maxChangeRows is how many rows the table of pages shows.
const maxChangeRows = 20

// WriteChange writes a diff in a format.
func WriteChange(w io.Writer, format string, c *Change, o Options) error {
	switch format {
	case "json":
		return writeChangeJSON(w, c, o)
	case "markdown":
		return writeChangeMarkdown(w, c, o)
	case "text":
		return writeChangeText(w, c, o)
	}
	return fmt.Errorf("unknown format %q: want %s", format, strings.Join(DiffFormats, ", "))
}

func writeChangeText(w io.Writer, c *Change, o Options) error {
	t := &textWriter{errWriter: errWriter{w: &inertWriter{w: w}}, o: o, p: palette{o.Color}}
	for i := range c.Steps {
		if i > 0 {
			t.print("\n")
		}
		t.step(&c.Steps[i], len(c.Steps) > 1)
	}
	return t.err
}

func (t *textWriter) step(s *Step, named bool) {
	if named {
		t.print(t.p.bold(t.o.shown(s.pairName())), "\n")
	}
	for _, l := range s.lines() {
		t.changeLine(s, &l)
	}
	t.changePages(s)
	for _, l := range s.foundLines() {
		t.changeLine(s, &l)
	}
	if names := s.mended(); names != "" {
		t.print(wrap("mended: "+names, t.o.width()), "\n")
	}
	t.print(t.p.bold(s.summary()), "\n")
}

func (t *textWriter) changeLine(s *Step, l *changeLine) {
	head := t.p.faint(l.kind)
	if l.severity != "" {
		head = t.p.severity(l.severity, l.kind)
	}
	t.print(wrap(head+": "+clean(l.text), t.o.width()), "\n")
	if l.url != "" {
		t.print("  ", t.p.gutter("="), " ", t.p.faint("for example "+clean(l.url)), "\n")
	}
	if at := s.spots(l, t.o); at != "" {
		t.print("  ", t.p.gutter("-->"), " ", t.p.faint(t.o.shown(at)), "\n")
	}
}

func (t *textWriter) changePages(s *Step) {
	if len(s.Pages) == 0 {
		return
	}
	t.print("\n", t.p.bold("Pages that fare otherwise"), "\n")
	tab := newTable()
	head := make(table.Row, 0, len(changeHead))
	for _, h := range changeHead {
		head = append(head, h)
	}
	tab.AppendHeader(head)
	for i := range s.Pages {
		if i == maxChangeRows {
			break
		}
		p := &s.Pages[i]
		cells := changeCells(p, max(t.o.width()-60, 24))
		if p.Severity.AtLeast(rule.Warning) && p.Severity != "" {
			cells[3] = t.p.severity(p.Severity, cells[3])
		}
		row := make(table.Row, len(cells))
		for n, c := range cells {
			row[n] = c
		}
		tab.AppendRow(row)
	}
	t.print(rendered(tab), "\n")
	if left := len(s.Pages) - maxChangeRows; left > 0 {
		t.print("and ", count(left, "more row"), "\n")
	}
	if note := s.pageNote(); note != "" {
		t.print(wrap(note, t.o.width()), "\n")
	}
	t.print("\n")
}

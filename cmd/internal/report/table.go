package report

import (
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// newTable returns a plain table: blanks between the columns, a line below the header, numbers to the right.
func newTable() table.Writer {
	tab := table.NewWriter()
	style := table.StyleDefault
	style.Format.Header = text.FormatDefault
	style.Options = table.Options{SeparateHeader: true, SeparateColumns: true}
	style.Box.MiddleVertical = " "
	style.Box.MiddleSeparator = " "
	style.Box.PaddingLeft = ""
	style.Box.PaddingRight = " "
	tab.SetStyle(style)
	// Every column but the first holds numbers, or words that stand for one.
	columns := []table.ColumnConfig{{Number: 1, Align: text.AlignLeft}}
	for n := 2; n <= 12; n++ {
		columns = append(columns, table.ColumnConfig{Number: n, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	tab.SetColumnConfigs(columns)
	return tab
}

// rendered is the table without blanks at the ends of lines.
func rendered(tab table.Writer) string {
	lines := strings.Split(tab.Render(), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.Join(lines, "\n")
}

// wrap breaks text at blanks into lines of at most width columns, the later ones indented.
func wrap(s string, width int) string {
	var b strings.Builder
	col := 0
	for i, word := range strings.Split(s, " ") {
		w := text.StringWidthWithoutEscSequences(word)
		switch {
		case i == 0:
		case col+1+w > width && col > 0:
			b.WriteString("\n  ")
			col = 2
		default:
			b.WriteString(" ")
			col++
		}
		b.WriteString(word)
		col += w
	}
	return b.String()
}

package report

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/ngxlimit/ngxlimit/analyzer/numeral"
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
		columns = append(columns, table.ColumnConfig{Number: n, Align: text.AlignRight, AlignHeader: text.AlignRight, Transformer: shown})
	}
	tab.SetColumnConfigs(columns)
	return tab
}

// shown is what stands in a cell: numbers are counts, and written as such. What is no count (a status, a burst) comes as text.
func shown(value any) string {
	switch n := value.(type) {
	case int:
		return numeral.Count(n)
	case int64:
		return numeral.Count(n)
	}
	return fmt.Sprint(value)
}

// rendered is the table without blanks at the ends of lines.
func rendered(tab table.Writer) string {
	lines := strings.Split(tab.Render(), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.Join(lines, "\n")
}

// wrap breaks text at blanks into lines of at most width columns, the later ones indented more than the first. A number and its
// unit stay together.
func wrap(s string, width int) string {
	var b strings.Builder
	line := strings.TrimLeft(s, " ")
	indent := len(s) - len(line)
	b.WriteString(s[:indent])
	col := indent
	for i, word := range words(line) {
		w := text.StringWidthWithoutEscSequences(word)
		switch {
		case i == 0:
		case col+1+w > width && col > 0:
			b.WriteString("\n  " + s[:indent])
			col = 2 + indent
		default:
			b.WriteString(" ")
			col++
		}
		b.WriteString(word)
		col += w
	}
	return b.String()
}

// unit is what stays on one line with the number in front of it.
var unit = regexp.MustCompile(`^(ms|s|min|h|%)[,.;:)]*$`)

// words cuts a text at its spaces, but for those between a number and its unit.
func words(s string) []string {
	var list []string
	for word := range strings.SplitSeq(s, " ") {
		n := len(list)
		if n > 0 && list[n-1] != "" && isDigit(list[n-1][len(list[n-1])-1]) && unit.MatchString(word) {
			list[n-1] += " " + word
			continue
		}
		list = append(list, word)
	}
	return list
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

package report

import (
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/table"
)

// Numbers in tables are counts and have their thousands apart; what is to be copied into a configuration comes as text and stays.
func TestTableCounts(t *testing.T) {
	tab := newTable()
	tab.AppendHeader(table.Row{"what", "requests", "bytes", "burst"})
	tab.AppendRow(table.Row{"a", 1234567, int64(-4096), "2297"})
	out := rendered(tab)
	for _, want := range []string{"1,234,567", "-4,096", "2297"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
}

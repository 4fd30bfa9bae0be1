package report

import (
	"fmt"

	"github.com/aymanbagabas/go-udiff"

	"github.com/ngxlimit/ngxlimit/analyzer/numeral"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/model/simulate"
)

// A changeView is the smallest change that mends the page, or that none was found.
type changeView struct {
	Title string
	Hunks []hunkView
	Note  string
	Tried []triedView // from the least to the most invasive
}

// A hunkView is a few lines of a file that change.
type hunkView struct {
	Place string
	Lines []lineView
}

// A lineView is one line; Class is "" for one that stays.
type lineView struct{ Class, Text string }

// A triedView is one change that was tried, and what people would notice.
type triedView struct {
	Title, Mends string
	Cells        []string
}

// changeOf shows what was found; nil where nobody suffers.
func changeOf(m *simulate.Mend) *changeView {
	if m == nil {
		return nil
	}
	v := &changeView{Title: "None of the changes that were tried mends it", Note: clean(m.Note)}
	if m.Change != nil {
		v.Title = "The smallest change that mends it: " + clean(m.Change.Title)
		v.Hunks = hunksOf(m.Change.Spans)
	}
	for i := range m.Tried {
		c := &m.Tried[i]
		t := triedView{Title: clean(c.Title), Mends: "no"}
		if c.Mends {
			t.Mends = "yes"
		}
		attack := "-"
		if c.After.AttackAll > 0 {
			attack = numeral.Count(c.After.AttackThrough) + " of " + numeral.Count(c.After.AttackAll)
		}
		t.Cells = []string{
			numeral.Count(c.After.BrokenPages) + " of " + numeral.Count(c.After.Pages), duration(c.After.PageP95Ms),
			numeral.Count(c.After.Delayed), numeral.Count(c.After.Rejected), attack,
		}
		v.Tried = append(v.Tried, t)
	}
	return v
}

// hunksOf shows edits as the lines before and after, file by file in the order in which they come.
func hunksOf(edits []source.Edit) []hunkView {
	var files []*source.File
	byFile := map[*source.File][]udiff.Edit{}
	for _, e := range edits {
		if byFile[e.Span.File] == nil {
			files = append(files, e.Span.File)
		}
		byFile[e.Span.File] = append(byFile[e.Span.File], udiff.Edit{Start: int(e.Span.Start), End: int(e.Span.End), New: e.Text})
	}
	var out []hunkView
	for _, f := range files {
		diff, err := udiff.ToUnifiedDiff(f.Path, f.Path, f.Text, byFile[f], 1)
		if err != nil { // edits that overlap are none that were tried
			continue
		}
		for _, h := range diff.Hunks {
			line := h.FromLine
			for _, l := range h.Lines {
				if l.Kind != udiff.Equal {
					break
				}
				line++
			}
			hunk := hunkView{Place: fmt.Sprintf("%s:%d", clean(f.Path), line)}
			for _, l := range h.Lines {
				class := map[udiff.OpKind]string{udiff.Delete: "del", udiff.Insert: "ins"}[l.Kind]
				hunk.Lines = append(hunk.Lines, lineView{class, cleanAll([]string{l.Content})[0]})
			}
			out = append(out, hunk)
		}
	}
	return out
}

package rollout

import (
	"cmp"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
)

// Diff is the stage as a unified diff; names gives the names of a file before and after.
func (s *Stage) Diff(names func(*source.File) (before, after string)) string {
	byFile := make(map[*source.File][]source.Edit)
	var files []*source.File
	for _, e := range s.Edits {
		f := e.Span.File
		if byFile[f] == nil {
			files = append(files, f)
		}
		byFile[f] = append(byFile[f], e)
	}
	slices.SortFunc(files, func(a, b *source.File) int { return cmp.Compare(a.Path, b.Path) })
	var out strings.Builder
	for _, f := range files {
		before, after := names(f)
		out.WriteString(udiff.Unified(before, after, f.Text, edited(f.Text, byFile[f])))
	}
	return out.String()
}

// edited makes edits in a text; they do not overlap.
func edited(text string, edits []source.Edit) string {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b source.Edit) int { return cmp.Compare(a.Span.Start, b.Span.Start) })
	var out strings.Builder
	at := uint32(0)
	for _, e := range edits {
		out.WriteString(text[at:e.Span.Start])
		out.WriteString(e.Text)
		at = e.Span.End
	}
	out.WriteString(text[at:])
	return out.String()
}

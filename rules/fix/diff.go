package fix

import (
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
)

// contextLines are shown before and behind what is different.
const contextLines = 3

// Diff writes the change as a unified diff with these names of the file; the same bytes as patch(1) takes them. Lines that
// stay as they are stand in it as context alone.
func (c *Change) Diff(oldName, newName string) (string, error) {
	text, err := udiff.ToUnified(oldName, newName, c.File.Text, lineEdits(c.File.Text, c.edits), contextLines)
	if err != nil {
		return "", fmt.Errorf("compare %s: %w", c.File.Path, err)
	}
	return text, nil
}

// lineEdits are the same change in whole lines: of each run of lines that edits touch, those that differ.
func lineEdits(text string, edits []edit) []udiff.Edit {
	var all []udiff.Edit
	for i := 0; i < len(edits); {
		start := strings.LastIndexByte(text[:edits[i].start], '\n') + 1
		end := lineEnd(text, edits[i].end)
		next := i + 1
		for ; next < len(edits) && (edits[next].start < end || end == len(text)); next++ {
			end = max(end, lineEnd(text, edits[next].end))
		}
		var after strings.Builder
		at := start
		for _, e := range edits[i:next] {
			after.WriteString(text[at:e.start] + e.text)
			at = e.end
		}
		after.WriteString(text[at:end])
		for _, e := range udiff.Lines(text[start:end], after.String()) {
			all = append(all, udiff.Edit{Start: start + e.Start, End: start + e.End, New: e.New})
		}
		i = next
	}
	return all
}

// lineEnd is where the line ends that a place lies in.
func lineEnd(text string, at int) int {
	if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
		return at + n + 1
	}
	return len(text)
}

// Edits returns the change as edits of the file, in order; none of them touches another one.
func (c *Change) Edits() []source.Edit {
	edits := make([]source.Edit, len(c.edits))
	for i, e := range c.edits {
		edits[i] = source.Edit{Span: source.Span{File: c.File, Start: uint32(e.start), End: uint32(e.end)}, Text: e.text}
	}
	return edits
}

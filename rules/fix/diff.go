package fix

import (
	"fmt"

	"github.com/aymanbagabas/go-udiff"
)

// contextLines are shown before and behind what is different.
const contextLines = 3

// Diff writes the change as a unified diff with these names of the file; the same bytes as patch(1) takes them.
func (c *Change) Diff(oldName, newName string) (string, error) {
	edits := make([]udiff.Edit, len(c.edits))
	for i, e := range c.edits {
		edits[i] = udiff.Edit{Start: e.start, End: e.end, New: e.text}
	}
	text, err := udiff.ToUnified(oldName, newName, c.File.Text, edits, contextLines)
	if err != nil {
		return "", fmt.Errorf("compare %s: %w", c.File.Path, err)
	}
	return text, nil
}

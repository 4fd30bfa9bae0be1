package fix

import (
	"testing"

	"pgregory.net/rapid"
)

// drawEdits draws edits of a text of some length, in order and not overlapping.
func drawEdits(t *rapid.T, length int) []edit {
	var edits []edit
	at := 0
	for range rapid.IntRange(0, 6).Draw(t, "n") {
		start := at + rapid.IntRange(0, 5).Draw(t, "gap")
		end := start + rapid.IntRange(0, 4).Draw(t, "length")
		if end > length {
			break
		}
		if len(edits) > 0 && start == at && start == end {
			start, end = start+1, end+1 // two insertions at one place have no order
		}
		if end > length {
			break
		}
		edits = append(edits, edit{start: start, end: end, text: rapid.StringMatching(`[A-C]{0,3}`).Draw(t, "text")})
		at = end
	}
	return edits
}

// TestPieces holds that pieces tell the same text as edits made one round after the other do.
func TestPieces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		original := rapid.StringMatching(`[a-z]{0,40}`).Draw(t, "original")
		p, text := newPieces(original), original
		for range rapid.IntRange(0, 4).Draw(t, "rounds") {
			edits := drawEdits(t, len(text))
			p.apply(edits)
			text = applyTo(text, edits)
		}
		difference := p.within(0, len(original))
		if got := applyTo(original, difference); got != text {
			t.Fatalf("%q, want %q; pieces %v, difference %v", got, text, p.list, difference)
		}
		for i := 1; i < len(difference); i++ {
			if difference[i].start < difference[i-1].end {
				t.Fatalf("out of order: %v", difference)
			}
		}
	})
}

// TestMoved holds that a place moves with the byte that stands there.
func TestMoved(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		original := rapid.StringMatching(`[a-z]{1,40}`).Draw(t, "original")
		edits := drawEdits(t, len(original))
		text := applyTo(original, edits)
		at := rapid.IntRange(0, len(original)-1).Draw(t, "at")
		for _, e := range edits {
			if e.start <= at && at < e.end {
				return // the byte is gone
			}
		}
		now := moved(edits, at)
		if now >= len(text) || text[now] != original[at] {
			t.Fatalf("%q at %d is %d of %q after %v", original, at, now, text, edits)
		}
	})
}

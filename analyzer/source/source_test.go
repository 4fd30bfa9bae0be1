package source

import (
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

func TestPosition(t *testing.T) {
	f := &File{Text: "a\r\nbc\n\nd"}
	for _, c := range []struct {
		offset uint32
		want   Position
	}{
		{0, Position{1, 1}},
		{1, Position{1, 2}},
		{2, Position{1, 3}}, // the line end belongs to its line
		{3, Position{2, 1}},
		{5, Position{2, 3}},
		{6, Position{3, 1}},
		{7, Position{4, 1}},
		{8, Position{4, 2}},
		{9, Position{4, 2}}, // behind the end
		{1 << 31, Position{4, 2}},
	} {
		if got := f.Position(c.offset); got != c.want {
			t.Errorf("offset %d: %v, expected %v", c.offset, got, c.want)
		}
	}
	for n, want := range []string{"", "a", "bc", "", "d", ""} {
		if got := f.Line(n); got != want {
			t.Errorf("line %d: %q, expected %q", n, got, want)
		}
	}
	if f.Lines() != 4 {
		t.Errorf("%d lines", f.Lines())
	}
}

func TestEmptyText(t *testing.T) {
	f := &File{}
	if f.Lines() != 1 || f.Line(1) != "" || f.Position(0) != (Position{1, 1}) {
		t.Errorf("%d lines, %q, %v", f.Lines(), f.Line(1), f.Position(0))
	}
}

func TestSpan(t *testing.T) {
	f := &File{Text: "one\ntwo three\n"}
	s := Span{File: f, Start: 4, End: 13}
	if s.Text() != "two three" || s.From() != (Position{2, 1}) || s.To() != (Position{2, 10}) {
		t.Errorf("%q from %v to %v", s.Text(), s.From(), s.To())
	}
}

// TestPositionCounts compares with counting the line ends before a place, and lines with splitting the text at them.
func TestPositionCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := &File{Text: rapid.StringOf(rapid.SampledFrom([]rune("a\n\r\u00e9"))).Draw(t, "text")}
		if rapid.Bool().Draw(t, "large") {
			f.Text += strings.Repeat("b", smallText)
		}
		offset := rapid.IntRange(0, len(f.Text)).Draw(t, "offset")
		before := f.Text[:offset]
		want := Position{Line: strings.Count(before, "\n") + 1, Column: offset - strings.LastIndexByte(before, '\n')}
		if got := f.Position(uint32(offset)); got != want {
			t.Errorf("%v, expected %v", got, want)
		}
		lines := strings.Split(f.Text, "\n")
		if f.Lines() != len(lines) {
			t.Errorf("%d lines, expected %d", f.Lines(), len(lines))
		}
		for i, line := range lines {
			if got := f.Line(i + 1); got != strings.TrimSuffix(line, "\r") {
				t.Errorf("line %d: %q, expected %q", i+1, got, line)
			}
		}
	})
}

// TestPositionAtOnce asks from several goroutines: rules run at the same time over one file.
func TestPositionAtOnce(t *testing.T) {
	f := &File{Text: strings.Repeat("line\n", 1000)}
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			if got := f.Position(uint32(5 * i)); got != (Position{i + 1, 1}) {
				t.Errorf("line %d: %v", i+1, got)
			}
		})
	}
	wait.Wait()
}

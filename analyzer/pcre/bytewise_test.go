package pcre

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestBytewiseTwin: where it tells, it answers as regexp does, to the last capture.
func TestBytewiseTwin(t *testing.T) {
	told := 0
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{
			"a", "k", "/", `\.`, "(a|/)", "[ak]", "[^a/]", "a?", "a*", "a*?", "(a*)*", "(a|ab)+", "(?:a?)+?", ".*", ".*?", "(.*)", "(/[a-z]+)", "(?i)",
			"(?i:k)", "^", "$", "|", "(k$)", "(^a)", `\b`, `\B`, "(?:a|k|)", "(x{2,3})", "()", "(((a)|k)/)*", "s",
		})
		pattern := strings.Join(rapid.SliceOfN(piece, 1, 7).Draw(t, "pattern"), "")
		fast, err := regexp.Compile(pattern)
		if err != nil {
			t.Skip(pattern)
		}
		b := newBytewise(pattern)
		if b == nil {
			t.Fatalf("%q is not run", pattern)
		}
		for range 20 {
			s := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "A", "k", "K", "/", ".", "x", "ab", "s"}), 0, 9).Draw(t, "subject"), "")
			m, ok := b.find(s, fast.NumSubexp())
			if !ok {
				continue
			}
			told++
			want := fast.FindStringSubmatchIndex(s)
			if fast.NumSubexp() == 0 && m != nil {
				m, want = nil, want[2:2]
			}
			if len(m) != len(want) || !slices.Equal(m, want) {
				t.Fatalf("%q on %q: %v, regexp %v", pattern, s, m, want)
			}
		}
	})
	if told == 0 {
		t.Error("no match was told")
	}
}

// TestBytewiseGivesUp: ways that multiply are left to regexp.
func TestBytewiseGivesUp(t *testing.T) {
	b := newBytewise(`^(a|aa|aaa)+$`)
	if _, told := b.find(strings.Repeat("a", 40)+"b", 1); told {
		t.Error("ways that multiply 40 times were tried in a bounded number of steps")
	}
	re := New(`^(a|aa|aaa)+$`, false)
	if m, err := re.Find(strings.Repeat("a", 40) + "b"); m != nil || err != nil && !Exceeded(err) {
		t.Errorf("%v, %v", m, err)
	}
}

func BenchmarkFind(b *testing.B) {
	re := New(`^/media/(?<kind>[a-z]+)/.*\.(?:jpe?g|png|webp)$`, true)
	b.ReportAllocs()
	for b.Loop() {
		if m, err := re.Find("/media/pics/a.png"); m == nil || err != nil {
			b.Fatal(m, err)
		}
	}
}

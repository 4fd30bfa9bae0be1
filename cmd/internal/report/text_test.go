package report

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/text"
	"pgregory.net/rapid"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"plain":            "plain",
		"портал 😀":         "портал 😀",
		"\x1b[31mred":      `\x1b[31mred`,
		"a\tb\nc\rd":       `a\tb\nc\rd`,
		"\xff\xfe":         `\xff\xfe`,
		"\u0085\u009b":     `\x85\x9b`,
		"\u202eevil\u2066": `\u202eevil\u2066`,
		"\u2028":           `\u2028`,
		"\x7f\x00":         `\x7f\x00`,
		"\U000e0001":       `\U000e0001`,
		"�":                "�", // written by somebody, not a broken byte
	} {
		if got := clean(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add("\x1b]0;x\x07")
	f.Fuzz(func(t *testing.T, s string) {
		out := clean(s)
		if !utf8.ValidString(out) {
			t.Errorf("%q became %q, which is no UTF-8", s, out)
		}
		if again := clean(out); again != out {
			t.Errorf("%q became %q and then %q", s, out, again)
		}
	})
}

func TestSnip(t *testing.T) {
	tests := []struct {
		name, line, span string
		width            int
		want             string // the line, a newline, and the mark
	}{
		{"plain", "  limit_req zone=a;", "zone=a", 80, "  limit_req zone=a;\n            ^^^^^^"},
		{"a tab is four columns", "\tlimit_req zone=a;", "zone=a", 80, "    limit_req zone=a;\n              ^^^^^^"},
		{"a tab goes to the next stop", "ab\tzone=a;", "zone=a", 80, "ab  zone=a;\n    ^^^^^^"},
		{"wide characters", "# 漢字 zone=a", "zone=a", 80, "# 漢字 zone=a\n       ^^^^^^"},
		{"what is escaped is wider", "\x1bzone=a", "zone=a", 80, "\\x1bzone=a\n    ^^^^^^"},
		{"nothing to mark", "zone=a", "", 80, "zone=a\n^"},
		{"cut on the right", "zone=a " + strings.Repeat("x", 100), "zone=a", 40, "zone=a xxxxxxxxxxxxxxxxxxxxxxxxxxx...\n^^^^^^"},
		{"cut on the left", strings.Repeat("x", 100) + " zone=a", "zone=a", 40, "...xxxxxxxxxxxxxxxxxxxxxxxxxxx zone=a\n                               ^^^^^^"},
		{"a span wider than the line", strings.Repeat("x", 200), strings.Repeat("x", 200), 40, strings.Repeat("x", 34) + "...\n" + strings.Repeat("^", 34)},
		{"CRLF", "zone=a;\r", "zone=a;", 80, "zone=a;\n^^^^^^^"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := &source.File{Text: "before\n" + tt.line + "\nafter\n"}
			s := spanOf(t, f, tt.span)
			if tt.span == "" {
				s = source.Span{File: f, Start: 7, End: 7}
			}
			cut := new(snipper).snip(s, tt.width)
			got := cut.line + "\n" + strings.Repeat(" ", cut.start) + strings.Repeat("^", cut.end-cut.start)
			if got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// Whatever the line, the cut fits, the mark stands within it, and nothing of it is a control character.
func TestSnipFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.StringMatching(`[ -~\t漢é\x{1b}]{0,300}`).Draw(t, "line") + rapid.SampledFrom([]string{"", "\xff", "\r"}).Draw(t, "end")
		f := &source.File{Text: line + "\nnext\n"}
		start := rapid.IntRange(0, len(line)).Draw(t, "start")
		end := rapid.IntRange(start, len(f.Text)).Draw(t, "end of span")
		width := rapid.IntRange(40, 120).Draw(t, "width")
		cut := new(snipper).snip(source.Span{File: f, Start: uint32(start), End: uint32(end)}, width)
		if w := text.StringWidth(cut.line); w > width {
			t.Fatalf("%d columns in %d: %q", w, width, cut.line)
		}
		if cut.start < 0 || cut.end <= cut.start || cut.end > width+1 {
			t.Fatalf("mark %d to %d in %d columns", cut.start, cut.end, width)
		}
		if clean(cut.line) != cut.line {
			t.Fatalf("not clean: %q", cut.line)
		}
	})
}

// A line of a hundred megabytes costs no more than a short one.
func BenchmarkSnipLongLine(b *testing.B) {
	f := &source.File{Text: strings.Repeat("x ", 50<<20)}
	f.Lines()
	for b.Loop() {
		new(snipper).snip(source.Span{File: f, Start: 50 << 20, End: 50<<20 + 10}, 100)
	}
}

func TestDuration(t *testing.T) {
	for ms, want := range map[int64]string{
		0: "0 ms", 200: "200 ms", 999: "999 ms", 1000: "1 s", 1999: "1.99 s", 2500: "2.5 s", 62500: "62.5 s", 120000: "2 min",
		123000: "2 min 3 s", 3600000: "1 h", -5: "-5 ms",
	} {
		if got := duration(ms); got != want {
			t.Errorf("%d: got %q, want %q", ms, got, want)
		}
	}
}

// Evidence is told where the message does not say it already.
func TestEvidence(t *testing.T) {
	f := &rule.Finding{
		Message: "the last of 10 requests waits 2 s in zone per_ip of 8,095 states",
		Evidence: map[string]any{
			"burst": int64(10), "delay_ms_max": int64(2000), "zone": "per_ip", "rate_milli": int64(1), "requests": int64(1),
			"networks": []string{"10.0.0.0/8", "b", "c", "d", "e", "f", "g", "h", "i", "j"}, "recursive": false, "size_bytes": 32768,
			"page_delayed": int64(0), "states": int64(8095), "burst_needed": int64(22),
		},
		Fix: &rule.Fix{Title: "raise burst to 22"},
	}
	want := []string{
		"networks: 10.0.0.0/8, b, c, d, e, f, g, h and 2 more", "rate: 0.001r/s", "recursive: no", "requests: 1", "size: 32768 bytes",
	}
	got := evidence(f)
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestMentions(t *testing.T) {
	for _, tt := range []struct {
		text, value string
		want        bool
	}{
		{"burst 10, then", "10", true},
		{"at 10.", "10", true},
		{"10.0.0.5 is", "10", false},
		{"100 and 10", "10", true},
		{"2.5 s", "5 s", false},
		{"1,200", "200", false},
		{"", "1", false},
	} {
		if got := mentions(tt.text, tt.value); got != tt.want {
			t.Errorf("%q in %q: got %v", tt.value, tt.text, got)
		}
	}
}

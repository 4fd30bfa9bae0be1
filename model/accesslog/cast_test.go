package accesslog

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// castReaders return parsers of a format, one that reads plain lines by its mould and one that looks for the end of every value.
// They are nil for a format that cannot be read.
func castReaders(f Format) (by, without *Parser) {
	o := Options{Headers: []string{"http_x"}}
	r, err := NewReader(f, o)
	if err != nil {
		return nil, nil
	}
	slow, _ := NewReader(f, o)
	slow.main.mould = nil
	for _, t := range slow.others {
		t.mould = nil
	}
	return r.Parser(), slow.Parser()
}

// readCast reads lines in both ways, which must say the same, and returns how many had the mould.
func readCast(t interface{ Fatalf(string, ...any) }, f Format, lines []string) int {
	p, q := castReaders(f)
	if p == nil {
		return 0
	}
	known := 0
	for _, s := range lines {
		if s == "" {
			continue
		}
		var cast, plain Record
		got, want := p.read(s+"\n"+lines[0], len(s), &cast), q.read(s, len(s), &plain)
		if got != want {
			t.Fatalf("%q by %q: %v, want %v", s, f.Text, got, want)
		}
		if diff := cmp.Diff(cast, plain); !got.Skips() && diff != "" {
			t.Fatalf("%q by %q: %s", s, f.Text, diff)
		}
		if h := p.r.main.mould; h != nil {
			p.line.begin(&cast)
			if h.read(s, len(s), &p.line, 1) {
				known++
			}
		}
	}
	return known
}

func TestCast(t *testing.T) {
	const line = `203.0.113.7 - - [02/Mar/2026:08:00:00 +0000] "GET /a HTTP/1.1" 200 12 "-" "x (y; z)"`
	replaced := func(old, with string) string { return strings.Replace(line, old, with, 1) }
	for s, known := range map[string]int{
		line:                              1,
		replaced("GET /a", `GET /\x22`):   0,
		replaced("GET /a", `GET /"`):      0,
		replaced("203.0.113.7", "a b"):    0,
		replaced("200", ""):               1,
		replaced("200", "twohundred"):     1,
		replaced("] ", "]"):               0,
		line + `"`:                        0,
		line[:len(line)-1]:                0,
		line[:30]:                         0,
		replaced("- - [", "- a - [b ["):   0,
		replaced(" +0000", " +0000] \"a"): 0,
		replaced(`"-" "x`, `"-"  "x`):     0,
		replaced("(y; z)", "(y; z) é"):    1,
	} {
		if got := readCast(t, combined, []string{s}); got != known {
			t.Errorf("%s: known %d, want %d", s, got, known)
		}
	}
}

// TestCasts mixes formats of any kind with lines of them and others.
func TestCasts(t *testing.T) {
	variables := []string{"$remote_addr", "$msec", "$time_iso8601", "$time_local", "$request", "$status", "$request_time", "$upstream_response_time", "$limit_req_status", "$http_x", "$upstream_addr", "$bytes_sent", "$http_user_agent", "$http_x_forwarded_for"}
	literals := []string{" ", `" "`, `"`, "]", " [", ", ", " : ", ":", "|", "", "0", ".", "-", `\`, "E", `,"a":`, `,"a":"`, `" - "`}
	values := []string{
		"1772438400.123", "198.51.100.1", "2026-03-02T08:00:00+00:00", "02/Mar/2026:08:00:00 +0000", "GET / HTTP/1.1", "200", "0.063", "PASSED", "",
		"-", "0.001, 0.002 : 0.003", "0.001,", "a b", `\x22`, `\"`, `"`, "[::1]:80", "longer than one word", "17724x8400.123", "9.9999", "é",
	}
	known := 0
	rapid.Check(t, func(t *rapid.T) {
		f := Format{Name: "f", Escape: rapid.SampledFrom([]string{"default", "json", "none"}).Draw(t, "escape")}
		ordinary := rapid.Bool().Draw(t, "ordinary")
		lines := make([]string, rapid.IntRange(1, 3).Draw(t, "lines"))
		add := func(text string) {
			f.Text += text
			for i := range lines {
				lines[i] += text
			}
		}
		add(rapid.SampledFrom([]string{"", `{"a":"`, "["}).Draw(t, "lead"))
		own := rapid.Permutation(variables).Draw(t, "variables")
		for n, v := range append([]string{"$remote_addr", "$msec"}, own[:rapid.IntRange(0, 6).Draw(t, "n")]...) {
			f.Text += "${" + v[1:] + "}"
			for i := range lines {
				if value := values[0]; ordinary && v == "$msec" {
					lines[i] += value
				} else {
					lines[i] += rapid.SampledFrom(values).Draw(t, "value")
				}
			}
			if ordinary && n == 0 {
				add("|")
			} else {
				add(rapid.SampledFrom(literals).Draw(t, "literal"))
			}
		}
		known += readCast(t, f, lines)
	})
	t.Log("known lines:", known)
	if known == 0 {
		t.Error("no line had a mould")
	}
}

func FuzzCast(f *testing.F) {
	f.Add(combined.Text, "default", `1.2.3.4 - - [02/Mar/2026:08:00:00 +0000] "GET / HTTP/1.1" 200 12 "-" "x"`, `1.2.3.4 - - [02/Mar/2026:08:00:00 +0000] "GET /\x22 HTTP/1.1" 200 12 "-" "x"`)
	f.Add(limits.Text, "json", jsonAt(1), jsonAt(2))
	f.Add("$remote_addr $time_local $time_iso8601 $msec", "none", "1.2.3.4 02/Mar/2026:08:00:00 +0000 x 1772438400.123", "a 02/Mar/2026:08:00:00 +0000 02/Mar/2026:08:00:00 +0000 1")
	f.Fuzz(func(t *testing.T, format, escape, first, second string) {
		if format != "" && !strings.Contains(first+second, "\n") {
			readCast(t, Format{"f", format, escape}, []string{first, second})
		}
	})
}

package pcre

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"
)

// TestSteps: RE2 answers every one of these at once. PCRE 10.42 with its usual limits ends with MATCHLIMIT where exceeds is
// set, as was measured, and with an answer of its own elsewhere.
func TestSteps(t *testing.T) {
	a := func(n int) string { return "/" + strings.Repeat("a", n) + "!" }
	for _, c := range []struct {
		pattern, subject string
		exceeds          bool
	}{
		{`^/(a|a)+$`, a(60), true},
		{`^/(a|a)+$`, a(10), false},
		{`^/(a+)+$`, a(60), true},
		{`^/(a+)+$`, a(15), false},
		{`^/(?:a|aa)+$`, a(60), true},
		{`^/(?:[a-z]|[a-c])+$`, a(60), true},
		{`^/(?:(?:a)|(?:a))+$`, a(60), true},
		{`^/(a|a)*?$`, a(60), true},
		{`(a|a|b)+$`, a(60), true},
		{`^/(.*a){20}$`, a(60), true},
		{`^/(\w+\s?)+$`, a(60), true},
		{`^/([a-z]+/)+$`, a(400), false},                       // nothing to give back
		{`^/([a-z]+)*!$`, a(400), false},                       // matches at once
		{`^/(a|b|ab)*c$`, a(400), false},                       // PCRE looks for the "c" first
		{`^/.*.*.*.*.*.*z$`, a(400), false},                    // likewise
		{`^/.*.*.*.*.*.*a$`, a(400), true},                     // 400 over 6 ways
		{`^/(.*)/(.*)/(.*)$`, strings.Repeat("/a", 90), false}, // matches
		{`^(?:/[\w-]+)+/?$`, strings.Repeat("/a-b", 90), false},
	} {
		start := time.Now()
		m, err := New(c.pattern, false).Find(c.subject)
		if got := errors.Is(err, ErrSteps); got != c.exceeds || got != Exceeded(err) || err != nil && m != nil {
			t.Errorf("%q on %d bytes: %v, %v", c.pattern, len(c.subject), m, err)
		}
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%q took %v", c.pattern, took)
		}
	}
}

// TestStepsRepeated: a pattern that was found out costs little from then on, and still answers what it can.
func TestStepsRepeated(t *testing.T) {
	re := New(`^/(a|a)+$`, false)
	subject := "/" + strings.Repeat("a", 60) + "!"
	for range timeoutsMax {
		if _, err := re.Find(subject); !errors.Is(err, ErrSteps) {
			t.Fatal(err)
		}
	}
	start := time.Now()
	for range 20 {
		if _, err := re.Find(subject); !errors.Is(err, ErrSteps) {
			t.Fatal(err)
		}
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("20 matches took %v", took)
	}
	if m, err := re.Find(strings.TrimSuffix(subject, "!")); m == nil || err != nil {
		t.Errorf("%v, %v", m, err)
	}
}

// TestStepsMeasured compares counts with what PCRE2 10.42 took for random patterns with every kind of group: the least match
// limit at which it came to an answer, up to a million.
func TestStepsMeasured(t *testing.T) {
	const most, far = 1_000_000, 5
	file, err := os.Open("testdata/steps.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	all, off := 0, 0
	for scanner := bufio.NewScanner(file); scanner.Scan(); all++ {
		var c struct {
			P, S string
			N    int
		}
		if err := json.Unmarshal(scanner.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		re := New(bytesOf(c.P), false)
		if err := re.Err(); err != nil {
			t.Errorf("%q: %v", c.P, err)
			continue
		}
		s := newStepperFor(re.program.root)
		if s == nil {
			t.Errorf("%q: its steps are not counted", c.P)
			continue
		}
		n := s.count(bytesOf(c.S), most)
		if n.exceeds != (c.N > most) || n.most > far*c.N || c.N > far*n.most {
			off++
			t.Logf("%q on %q: %d steps, PCRE2 %d", c.P, c.S, n.most, c.N)
		}
	}
	t.Logf("%d of %d are far off", off, all)
	if all < 200 || off > all/50 {
		t.Error("the counts are not PCRE's")
	}
}

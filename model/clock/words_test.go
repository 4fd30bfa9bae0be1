package clock

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestWords(t *testing.T) {
	for ms, want := range map[int64]string{
		0: "0 ms", 999: "999 ms", 1000: "1 s", 2100: "2.1 s", 12_349: "12.3 s", 99_960: "100 s", 119_400: "119 s", 120_481: "2 min", 1_234_000: "20 min 34 s",
		3_599_999: "59 min 59 s", 12_000_000: "3 h 20 min", 1 << 45: "9773436 h 41 min",
	} {
		if got := Words(ms); got != want {
			t.Errorf("%d: %s, want %s", ms, got, want)
		}
	}
}

func TestAtMost(t *testing.T) {
	for ms, want := range map[int64]string{
		0: "0 ms", 999: "999 ms", 1000: "1 s", 1001: "1.01 s", 12_049: "12.1 s", 99_951: "100 s", 119_001: "2 min", 120_481: "2 min 1 s", 1_200_001: "20 min 1 s",
		3_599_001: "1 h", 3_600_001: "1 h 1 min",
	} {
		if got := AtMost(ms); got != want {
			t.Errorf("%d: %s, want %s", ms, got, want)
		}
	}
}

// said is what a text says, in milliseconds.
func said(t *rapid.T, text string) float64 {
	sum := 0.0
	words := strings.Fields(text)
	if len(words)%2 != 0 || len(words) == 0 {
		t.Fatalf("%q is no time", text)
	}
	for i := 0; i < len(words); i += 2 {
		n, err := strconv.ParseFloat(words[i], 64)
		unit := map[string]float64{"ms": 1, "s": 1000, "min": minute, "h": hour}[words[i+1]]
		if err != nil || unit == 0 || !plain.MatchString(words[i]) {
			t.Fatalf("%q is no plain number and unit", text)
		}
		sum += n * unit
	}
	return sum
}

var plain = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?$`)

// No time is written in powers of ten, none is told more than a fiftieth wrong, and no bound is passed.
func TestWordsOfAnyTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ms := rapid.Int64Range(0, 1<<rapid.IntRange(1, 52).Draw(t, "bits")).Draw(t, "ms")
		if got := said(t, Words(ms)); math.Abs(got-float64(ms)) > float64(ms)/50 {
			t.Errorf("%d: %s", ms, Words(ms))
		}
		if got := said(t, AtMost(ms)); got < float64(ms)-0.01 || got > float64(ms)*1.02 {
			t.Errorf("%d: at most %s", ms, AtMost(ms))
		}
	})
}

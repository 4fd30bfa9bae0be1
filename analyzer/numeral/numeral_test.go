package numeral_test

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ngxlimit/ngxlimit/analyzer/numeral"
)

func TestCount(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", 7: "7", 999: "999", 1000: "1,000", 12345: "12,345", 123456: "123,456", 1234567: "1,234,567",
		-1: "-1", -999: "-999", -1000: "-1,000", -123456: "-123,456", math.MinInt64: "-9,223,372,036,854,775,808",
	} {
		if got := numeral.Count(n); got != want {
			t.Errorf("Count(%d) = %s, want %s", n, got, want)
		}
	}
}

// Without its commas a count is the number, and no group but the first has other than three digits.
func TestCountIsTheNumber(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64().Draw(t, "n")
		text := numeral.Count(n)
		if back, err := strconv.ParseInt(strings.ReplaceAll(text, ",", ""), 10, 64); err != nil || back != n {
			t.Fatalf("Count(%d) = %s", n, text)
		}
		for i, group := range strings.Split(strings.TrimPrefix(text, "-"), ",") {
			if len(group) != 3 && (i > 0 || len(group) == 0 || len(group) > 3) {
				t.Fatalf("Count(%d) = %s", n, text)
			}
		}
	})
}

func TestNouns(t *testing.T) {
	for _, c := range [][2]string{
		{numeral.Of(1, "request"), "1 request"},
		{numeral.Of(0, "request"), "0 requests"},
		{numeral.Of(4246, "request"), "4,246 requests"},
		{numeral.Of(2, "address"), "2 addresses"},
		{numeral.Plural(1, "person", "people"), "1 person"},
		{numeral.Plural(1200, "person", "people"), "1,200 people"},
	} {
		if c[0] != c[1] {
			t.Errorf("%s, want %s", c[0], c[1])
		}
	}
}

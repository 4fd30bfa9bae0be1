package spelling

import (
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	words := []string{"missing-nodelay", "missing-burst", "limit-on-root", "zone-too-small"}
	for word, want := range map[string]string{
		"missing-nodelya":                      "missing-nodelay",
		"Missing-Burst":                        "missing-burst",
		"nodelay":                              "missing-nodelay",
		"zone-to-small":                        "zone-too-small",
		"quux":                                 "",
		"":                                     "",
		strings.Repeat("missing-nodelay", 100): "",
	} {
		if got := Nearest(word, words); got != want {
			t.Errorf("%q: got %q, want %q", word, got, want)
		}
	}
}

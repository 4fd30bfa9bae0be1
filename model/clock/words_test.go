package clock

import "testing"

func TestAtMost(t *testing.T) {
	for ms, want := range map[int64]string{0: "0 ms", 999: "999 ms", 1000: "1 s", 1001: "1.01 s", 12_049: "12.1 s", 99_951: "100 s", 120_481: "121 s"} {
		if got := AtMost(ms); got != want {
			t.Errorf("%d: %s, want %s", ms, got, want)
		}
	}
}

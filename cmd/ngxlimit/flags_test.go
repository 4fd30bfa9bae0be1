package main

import "testing"

func TestShare(t *testing.T) {
	for text, want := range map[string]float64{
		"0.05": 0.05, "5%": 0.05, "5 %": 0.05, "99.9%": 0.999, "0.1%": 0.001, "100%": 1, "1": 1, "1e-3": 0.001,
	} {
		var got float64
		if err := (share{&got}).Set(text); err != nil || got != want {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "%", "5%%", "nan", "NaN%", "inf", "1e999", "half", "5 percent", "0,5"} {
		got := 0.25
		if err := (share{&got}).Set(text); err == nil || got != 0.25 {
			t.Errorf("%q: %v, %v, want an error and no change", text, got, err)
		}
	}
}

package accesslog

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A stop stands where its text does, however much follows.
func TestStop(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		letters := rapid.StringOfN(rapid.RuneFrom([]rune(`a",`)), 0, 20, -1)
		text, before, behind := letters.Draw(t, "text"), letters.Draw(t, "before"), letters.Draw(t, "behind")
		p := stopOf(text)
		for s, want := range map[string]bool{
			before + text + behind: true,
			before + behind:        strings.HasPrefix(behind, text),
		} {
			if got := p.at(s, len(before)); got != want {
				t.Fatalf("%q in %q at %d: %v", text, s, len(before), got)
			}
		}
	})
}

func TestDigits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 99_999_999).Draw(t, "n")
		text := fmt.Sprintf("%08d", n)
		w, all := wordOf(text)
		if got := eightDigits(w); !areDigits(w, all) || got != int64(n) {
			t.Fatalf("%s: %d, digits %v", text, got, areDigits(w, all))
		}
		at, c := rapid.IntRange(0, 7).Draw(t, "at"), rapid.Byte().Draw(t, "byte")
		other := []byte(text)
		other[at] = c
		w, _ = wordOf(string(other))
		if want := '0' <= c && c <= '9'; areDigits(w, all) != want || !areDigits(w, all&^(0xff<<(8*at))) {
			t.Fatalf("%q: %v", other, areDigits(w, all))
		}
	})
}

// TestUsual reads lines whose values have the usual form or nearly so by what was learned, and by nothing.
func TestUsual(t *testing.T) {
	const form = `{"time":%q,"msec":%s,"ip":"x","status":%s,"rt":%s,"urt":%q,"limit":%q}`
	r := jsonReader(t)
	learned := fmt.Sprintf(form, "2026-03-02T08:00:00+00:00", "1772438400.123", "200", "0.063", "0.063", "PASSED")
	rapid.Check(t, func(t *rapid.T) {
		number := func(name, usual string) string {
			b := []byte(usual)
			for i := range b {
				if b[i] != '.' {
					b[i] = rapid.ByteRange('0', '9').Draw(t, name)
				}
			}
			if rapid.IntRange(0, 3).Draw(t, "odd") == 0 {
				b[rapid.IntRange(0, len(b)-1).Draw(t, "at")] = rapid.SampledFrom([]byte("./:-e0")).Draw(t, "byte")
			}
			return string(b)
		}
		time := rapid.SampledFrom([]string{"2026-03-02T08:00:00+00:00", "2026-03-02T08:00:01+00:00", "2026-03-02T08:00:00+00:0", ""}).Draw(t, "time")
		line := fmt.Sprintf(form, time, "1"+number("msec", "772438400.123"), number("status", "200"), number("rt", "0.063"), number("urt", "0.063"),
			rapid.SampledFrom([]string{"", "PASSED", "PASSE", "PASSEDX", "DELAYED", "-"}).Draw(t, "limit"))
		readBoth(t, r, []string{learned}, line)
	})
}

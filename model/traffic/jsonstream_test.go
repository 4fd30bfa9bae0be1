package traffic

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/iotest"
)

// passesOver reads one value and nothing behind it.
func passesOver(s *jsonStream) error {
	if err := s.skip(); err != nil {
		return err
	}
	if s.peek(); s.pos < s.end {
		return s.unexpected("the end")
	}
	return nil
}

// What is passed over is as valid as encoding/json finds it, in whatever pieces it comes, and errors have a place.
func FuzzSkip(f *testing.F) {
	for _, text := range []string{
		`{"a": [1, -2.5e+3, true, false, null, "x\n\"\u00e9\ud83d"], "b": {}, "c": []}`, ` [ ] `, `"`, `"\`, `"\u12`, `"\x"`, `01`, `1.`, `-`, `1e`, `tru`, `nul`,
		`{"a" 1}`, `{"a":}`, `{,}`, `[1,]`, `[1}`, `{"a":1]`, `1 2`, "\"\x00\"", "\ufeff1", `{1:2}`, strings.Repeat("[", 300) + strings.Repeat("]", 300), "1.2.3", "[1]]",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<16 || strings.Count(text, "[")+strings.Count(text, "{") > 9000 {
			return
		}
		err := passesOver(newJSONStream(strings.NewReader(text)))
		if want := json.Valid([]byte(text)); (err == nil) != want && !longNumber(text) {
			t.Fatalf("%v, valid %v", err, want)
		}
		again := passesOver(newJSONStream(iotest.OneByteReader(strings.NewReader(text))))
		if (err == nil) != (again == nil) || err != nil && locateStream(err).Error() != locateStream(again).Error() {
			t.Fatalf("whole: %v; byte by byte: %v", err, again)
		}
	})
}

// longNumber says whether a text may hold a number that is longer than any that is read.
func longNumber(text string) bool {
	run := 0
	for _, c := range []byte(text) {
		if run++; !strings.ContainsRune("0123456789+-.eE", rune(c)) {
			run = 0
		}
		if run > longestNumber {
			return true
		}
	}
	return false
}

package report

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

// JSON shows no character that steers a terminal or the direction of text, and still says the same.
func TestJSONIsVisible(t *testing.T) {
	steering := rapid.SampledFrom([]rune("\u009b\u0085\u007f\u202e\u2066\u200f\u061c\ufeff\u200b\U000e0041é語\"\\a<"))
	rapid.Check(t, func(t *rapid.T) {
		want := map[string]string{
			string(rapid.SliceOf(steering).Draw(t, "key")): string(rapid.SliceOf(rapid.OneOf(steering, rapid.Rune())).Draw(t, "value")),
		}
		var b strings.Builder
		if err := EncodeJSON(&b, want); err != nil {
			t.Fatal(err)
		}
		for _, r := range b.String() {
			if r != '\n' && unicode.In(r, unicode.Cc, unicode.Cf) {
				t.Fatalf("%q holds %U", b.String(), r)
			}
		}
		var got map[string]string
		if err := json.Unmarshal([]byte(b.String()), &got); err != nil {
			t.Fatal(err)
		}
		for key, value := range want {
			if got[key] != value {
				t.Fatalf("%q became %q", want, got)
			}
		}
	})
}

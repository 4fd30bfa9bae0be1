package report

import (
	"encoding/json"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// As many results as code scanning takes.
func BenchmarkSARIFLarge(b *testing.B) {
	r := testReport(b)
	var all []rule.Finding
	for len(all) < sarifMaxResults {
		all = append(all, r.Findings...)
	}
	r.Findings = all[:sarifMaxResults]
	b.ReportAllocs()
	for b.Loop() {
		if err := Write(io.Discard, "sarif", r, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// What says something comes through whole, whatever it is, and what says nothing is left out.
func TestTidied(t *testing.T) {
	in := map[string]any{
		"a": []any{}, "results": []any{}, "n": nil, "id": -1, "rank": -1.5, "x": -1, "properties": map[string]any{"tags": []any{}, "n": nil},
		"deep": []any{map[string]any{"properties": map[string]any{}, "s": `"}],\\`}, 0, true, "<&>", map[string]any{"e": []any{}}},
	}
	want := `{"deep":[{"s":"\"}],\\\\"},0,true,"<&>",{}],"properties":{"n":null,"tags":[]},"results":[],"x":-1}`
	got, err := tidied(in)
	if err != nil || string(got) != want {
		t.Errorf("got  %s (%v)\nwant %s", got, err, want)
	}
}

func TestTidiedKeepsText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := map[string]any{"text": rapid.String().Draw(t, "text"), "list": []any{rapid.String().Draw(t, "element"), "x"}}
		raw, err := tidied(in)
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		if err := json.Unmarshal(raw, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(in, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

package report

import (
	"bytes"
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// TestFindingsJSON compares the writer of findings with encoding/json: whatever stands in them, the bytes are the same.
func TestFindingsJSON(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "zone a", `"\\`, "<&>", "\x7f\x1b[1m", "\u202e\u2028", "\xff\xfe", "caf\u00e9"}))
	value := rapid.OneOf(rapid.Int64().AsAny(), text.AsAny(), rapid.Bool().AsAny(), rapid.SliceOfN(text, 0, 3).AsAny(), rapid.Int().AsAny())
	rapid.Check(t, func(t *rapid.T) {
		file := &source.File{Path: text.Draw(t, "path"), Text: "limit_req zone=a;\nlimit_req zone=b;\n"}
		span := func(label string) source.Span {
			start := rapid.Uint32Range(0, uint32(len(file.Text))).Draw(t, label)
			return source.Span{File: file, Start: start, End: rapid.Uint32Range(start, uint32(len(file.Text))).Draw(t, label)}
		}
		var found []rule.Finding
		for range rapid.IntRange(0, 3).Draw(t, "findings") {
			f := rule.Finding{
				Rule: &rule.Rule{Name: text.Draw(t, "rule")}, Severity: rule.Note, Confidence: rule.Low,
				Message: text.Draw(t, "message"), Primary: span("primary"), Context: rapid.SliceOfN(text, 0, 3).Draw(t, "context"),
				Places: rapid.Int().Draw(t, "places"), Hosts: rapid.SliceOfN(text, 0, 2).Draw(t, "hosts"),
				Evidence: rapid.MapOfN(text, value, 0, 3).Draw(t, "evidence"), Fingerprint: text.Draw(t, "fingerprint"),
			}
			for range rapid.IntRange(0, 2).Draw(t, "related") {
				f.Related = append(f.Related, rule.Label{Span: span("related"), Message: text.Draw(t, "label")})
			}
			if rapid.Bool().Draw(t, "fix") {
				f.Fix = &rule.Fix{Title: text.Draw(t, "title"), Safe: rapid.Bool().Draw(t, "safe")}
				for range rapid.IntRange(0, 2).Draw(t, "edits") {
					f.Fix.Edits = append(f.Fix.Edits, source.Edit{Span: span("edit"), Text: text.Draw(t, "inserted")})
				}
			}
			found = append(found, f)
		}
		var got, want bytes.Buffer
		(&objectWriter{errWriter: errWriter{w: &got}}).findings(found)
		reference := &objectWriter{errWriter: errWriter{w: &want}}
		reference.list("findings", len(found), func(i int) any { return toJSONFinding(&found[i]) })
		if got.String() != want.String() {
			t.Fatalf("findings as %s\nencoding/json has %s", got.Bytes(), want.Bytes())
		}
		if one := "{" + got.String() + "}"; !json.Valid([]byte(one)) {
			t.Fatalf("no JSON: %s", one)
		}
	})
}

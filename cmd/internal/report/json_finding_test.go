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

// What encoding/json is to make of a finding, field by field.
type jsonFinding struct {
	Rule        string         `json:"rule"`
	Severity    string         `json:"severity"`
	Confidence  string         `json:"confidence"`
	Message     string         `json:"message"`
	File        string         `json:"file"`
	Line        int            `json:"line"`
	Column      int            `json:"column"`
	EndLine     int            `json:"end_line"`
	EndColumn   int            `json:"end_column"`
	Context     []string       `json:"context"`
	Places      int            `json:"places"`
	Hosts       []string       `json:"hosts,omitempty"` // the inputs that have it, of several machines
	Evidence    map[string]any `json:"evidence"`
	Related     []jsonLabel    `json:"related"`
	Fix         *jsonFix       `json:"fix"`
	Settle      string         `json:"settle,omitempty"` // the line of the settings file that settles what it rests on
	Fingerprint string         `json:"fingerprint"`
}

type jsonLabel struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
}

type jsonFix struct {
	Title string     `json:"title"`
	Safe  bool       `json:"safe"`
	Edits []jsonEdit `json:"edits"`
}

type jsonEdit struct {
	File   string `json:"file"`
	Offset uint32 `json:"offset"`
	Length uint32 `json:"length"`
	Text   string `json:"text"`
}

func toJSONFinding(f *rule.Finding) jsonFinding {
	from, to := f.Primary.From(), f.Primary.To()
	out := jsonFinding{
		Rule: f.Rule.Name, Severity: string(f.Severity), Confidence: string(f.Confidence), Message: f.Message,
		File: f.Primary.File.Path, Line: from.Line, Column: from.Column, EndLine: to.Line, EndColumn: to.Column,
		Context: append([]string{}, f.Context...), Places: f.Places, Hosts: f.Hosts, Evidence: f.Evidence,
		Related: make([]jsonLabel, len(f.Related)), Settle: f.Settle(), Fingerprint: f.Fingerprint,
	}
	if out.Evidence == nil {
		out.Evidence = map[string]any{}
	}
	for i, l := range f.Related {
		at := l.Span.From()
		out.Related[i] = jsonLabel{l.Span.File.Path, at.Line, at.Column, l.Message}
	}
	if f.Fix != nil {
		out.Fix = &jsonFix{Title: f.Fix.Title, Safe: f.Fix.Safe, Edits: toJSONEdits(f.Fix.Edits)}
	}
	return out
}

func toJSONEdits(edits []source.Edit) []jsonEdit {
	out := make([]jsonEdit, len(edits))
	for i, e := range edits {
		out[i] = jsonEdit{e.Span.File.Path, e.Span.Start, e.Span.End - e.Span.Start, e.Text}
	}
	return out
}

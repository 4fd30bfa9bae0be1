package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/rules/rule"
	"github.com/ngxlimit/ngxlimit/rules/run"
)

// sarifSchemaOf compiles the official schema, without a network.
func sarifSchemaOf(t *testing.T) *jsonschema.Schema {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "sarif-schema-2.1.0.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // read only
	doc, err := jsonschema.UnmarshalJSON(f)
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("sarif.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("sarif.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func TestSARIFSchema(t *testing.T) {
	schema := sarifSchemaOf(t)
	many := testReport(t)
	for range 3 {
		many.Findings = append(many.Findings, many.Findings...)
	}
	twice := testReport(t) // two related places that say the same
	twice.Findings[0].Related = append(twice.Findings[0].Related, twice.Findings[0].Related...)
	for name, r := range map[string]*Report{
		"suppressed": suppressedReport(t),
		"full":       testReport(t), "empty": {Version: "0.1.0-dev"}, "many": many, "twice": twice,
		"defect": {Version: "0.1.0", Rules: testRules, Defects: []string{"rule x stopped: {boom}"}},
	} {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(render(t, "sarif", r, testOptions)))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(doc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// suppressedReport holds one of its findings back.
func suppressedReport(t *testing.T) *Report {
	r := testReport(t)
	f := r.Findings[0]
	r.Findings = r.Findings[1:]
	r.Held = []run.Held{{Finding: f, Comment: source.Span{File: f.Primary.File, Start: 0, End: 1}, Reason: "known [to](1) \x1b all", Until: "2027-01-31"}}
	return r
}

// Of results some of which are suppressed, each says whether it is.
func TestSARIFSuppressions(t *testing.T) {
	var doc struct {
		Runs []struct {
			Results []struct {
				RuleID       string
				Suppressions *[]struct{ Kind, Status, Justification string }
			}
		}
	}
	if err := json.Unmarshal([]byte(render(t, "sarif", suppressedReport(t), testOptions)), &doc); err != nil {
		t.Fatal(err)
	}
	results := doc.Runs[0].Results
	for i, r := range results {
		last := i == len(results)-1
		if r.Suppressions == nil || (len(*r.Suppressions) == 1) != last {
			t.Fatalf("result %d of %s: suppressions %v", i, r.RuleID, r.Suppressions)
		}
		if !last {
			continue
		}
		if s := (*r.Suppressions)[0]; s.Kind != "inSource" || s.Status != "accepted" || s.Justification != `known [to](1) \x1b all (until 2027-01-31)` {
			t.Errorf("%+v", s)
		}
	}
	if text := render(t, "sarif", testReport(t), testOptions); strings.Contains(text, "suppressions") {
		t.Error("suppressions are told where there are none")
	}
}

// The schema is one that can fail: a level that does not exist must not pass.
func TestSARIFSchemaRefuses(t *testing.T) {
	schema := sarifSchemaOf(t)
	out := strings.Replace(render(t, "sarif", testReport(t), testOptions), `"level": "warning"`, `"level": "high"`, 1)
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	if schema.Validate(doc) == nil {
		t.Error("the level high was taken")
	}
}

type sarifDoc struct {
	Runs []struct {
		ColumnKind string
		Tool       struct {
			Driver struct {
				Rules []struct {
					ID      string
					HelpURI string `json:"helpUri"`
					Help    struct{ Text, Markdown string }
					Default struct{ Level string } `json:"defaultConfiguration"`
				}
			}
		}
		Invocations []struct {
			ExecutionSuccessful        bool
			ToolExecutionNotifications []struct {
				Level   string
				Message struct{ Text string }
			}
		}
		Results []struct {
			RuleID       string
			RuleIndex    int
			Level        string
			Message      struct{ Text string }
			Locations    []sarifLocation
			Related      []sarifLocation   `json:"relatedLocations"`
			Fingerprints map[string]string `json:"partialFingerprints"`
			Fixes        []struct {
				ArtifactChanges []struct {
					Replacements []struct {
						DeletedRegion   sarifRegion
						InsertedContent struct{ Text string }
					}
				}
			}
		}
	}
}

type sarifRegion struct{ StartLine, StartColumn, EndLine, EndColumn int }

type sarifLocation struct {
	ID       *int
	Physical struct {
		Artifact struct{ URI, URIBaseID string } `json:"artifactLocation"`
		Region   sarifRegion
	} `json:"physicalLocation"`
}

func readSARIF(t *testing.T, text string) sarifDoc {
	t.Helper()
	var doc sarifDoc
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestSARIFContent(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the report's files lie at paths of unix")
	}
	run := readSARIF(t, render(t, "sarif", testReport(t), testOptions)).Runs[0]
	if run.ColumnKind != "utf16CodeUnits" {
		t.Errorf("columnKind %q", run.ColumnKind)
	}
	if n := len(run.Tool.Driver.Rules); n != len(testRules) {
		t.Fatalf("%d rules", n)
	}
	for i, r := range run.Tool.Driver.Rules {
		if r.ID != testRules[i].Name || r.HelpURI == "" || r.Help.Markdown == "" || r.Help.Text == "" || r.Default.Level != string(testRules[i].Severity) {
			t.Errorf("rule %+v", r)
		}
		if !strings.Contains(r.Help.Markdown, r.HelpURI) {
			t.Errorf("%s: its page is not linked where it is shown", r.ID)
		}
	}
	first, evil, note := run.Results[0], run.Results[1], run.Results[2]
	if got := first.Locations[0].Physical; got.Artifact.URI != "conf.d/portal.conf" || got.Artifact.URIBaseID != sourceRoot || got.Region != (sarifRegion{6, 25, 6, 33}) {
		t.Errorf("first at %+v", got)
	}
	if got := first.Message.Text; got != "the last of 10 queued requests waits 2 s\n\n[5 requests a second](1)" {
		t.Errorf("message %q", got)
	}
	if id := first.Related[0].ID; id == nil || *id != 1 {
		t.Errorf("related location's id %v", id)
	}
	if got := first.Fixes[0].ArtifactChanges[0].Replacements[0]; got.InsertedContent.Text != " nodelay" || got.DeletedRegion != (sarifRegion{6, 33, 6, 33}) {
		t.Errorf("fix %+v", got)
	}
	if got := first.Fingerprints["ngxlimit/v1"]; got != "f1" {
		t.Errorf("fingerprint %q", got)
	}
	if want := `unexpected "}}" in \[0-9\](1)\x1b[2J`; evil.Message.Text != want {
		t.Errorf("message %q, want %q", evil.Message.Text, want)
	}
	if got := evil.Locations[0].Physical.Artifact; got.URI != "conf/evil%1B%5B31m.conf" {
		t.Errorf("uri %q", got.URI)
	}
	// "# портал 😀" is 19 bytes, 10 code points, 11 UTF-16 units.
	if got := note.Locations[0].Physical.Region; got != (sarifRegion{4, 31, 4, 42}) {
		t.Errorf("note at %+v", got)
	}
	inv := run.Invocations[0]
	if !inv.ExecutionSuccessful || len(inv.ToolExecutionNotifications) != 1 || !strings.Contains(inv.ToolExecutionNotifications[0].Message.Text, "conf.d") {
		t.Errorf("invocation %+v", inv)
	}
}

// The values by which the format says "absent" are left out: code scanning takes no location id below zero.
func TestSARIFTidy(t *testing.T) {
	out := render(t, "sarif", testReport(t), testOptions)
	for _, bad := range []string{": -1", ": []", ": null"} {
		if strings.Contains(out, bad) {
			t.Errorf("%q in the output", bad)
		}
	}
	empty := render(t, "sarif", &Report{Version: "1"}, testOptions)
	if !strings.Contains(empty, `"results": []`) {
		t.Error("an empty run has no results array, which says that nothing was looked at")
	}
}

// More findings than code scanning takes: the gravest stay, and the run says what is missing.
func TestSARIFMany(t *testing.T) {
	f := &source.File{Path: "a.conf", Text: "limit_req zone=a;\n"}
	r := &Report{Version: "1", Rules: testRules, Inputs: []Input{{"a.conf", "tree", 1, true, false}}}
	for i := range sarifMaxResults + 10 {
		severity := rule.Note
		if i > sarifMaxResults {
			severity = rule.Error
		}
		r.Findings = append(r.Findings, rule.Finding{Rule: testRules[0], Severity: severity, Message: fmt.Sprint(i), Primary: source.Span{File: f, End: 9}})
	}
	run := readSARIF(t, render(t, "sarif", r, Options{})).Runs[0]
	if len(run.Results) != sarifMaxResults || run.Results[0].Level != "error" {
		t.Errorf("%d results, the first %s", len(run.Results), run.Results[0].Level)
	}
	if n := run.Invocations[0].ToolExecutionNotifications; len(n) != 1 || !strings.HasPrefix(n[0].Message.Text, "10 findings") {
		t.Errorf("notifications %+v", n)
	}
}

// The vectors were computed from the published description of the hash and agree with its own tests.
func TestLineHashes(t *testing.T) {
	eight := strings.Repeat("limit_req zone=a;\n", 8)
	tests := []struct {
		text string
		want []string
	}{
		{"", []string{"c129715d7a2bc9a3:1"}},
		{"server {\n    listen 80;\n}\n", []string{"5360e4dbe5407ba6:1", "4e886defbcc05eae:1", "32dce9ccfdbc9d3e:1", "c129715d7a2bc9a3:1"}},
		{"a\r\nb\rc\n", []string{"52668e89249e7477:1", "9ed7939040abc6c0:1", "3791504be0bd17cc:1", "c129715d7a2bc9a3:1"}},
		{"# комментарий\nlimit_req zone=a burst=5;\n", []string{"48456c801ee195d8:1", "793609fb7e88518e:1", "c129715d7a2bc9a3:1"}},
		{"# 😀\n", []string{"9ced88242fd88449:1", "c129715d7a2bc9a3:1"}},
		{eight, []string{
			"7eb0282aa752def1:1", "7eb0282aa752def1:2", "7eb0282aa752def1:3", "3276cd287c6a1bbc:1", "2a63a22c47e7b03f:1",
			"52b21ae48fbd616e:1", "16389b3111011879:1", "50af9df80e91ed50:1", "c129715d7a2bc9a3:1",
		}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, lineHashes(tt.text)); diff != "" {
			t.Errorf("%q:\n%s", tt.text, diff)
		}
	}
}

func FuzzSARIF(f *testing.F) {
	f.Add("limit_req zone=a;\n", "message {0} [x](1)", uint32(3), uint32(9))
	f.Fuzz(func(t *testing.T, text, message string, start, end uint32) {
		n := uint32(len(text))
		end = min(end, n)
		start = min(start, end)
		file := &source.File{Path: text, Text: text}
		r := &Report{Rules: testRules, Findings: []rule.Finding{{Rule: testRules[0], Message: message, Primary: source.Span{File: file, Start: start, End: end}}}}
		for _, format := range Formats() {
			var b bytes.Buffer
			if err := Write(&b, format, r, Options{}); err != nil {
				t.Errorf("%s: %v", format, err)
			}
			if (format == "sarif" || format == "json") && !json.Valid(b.Bytes()) {
				t.Errorf("%s is no JSON", format)
			}
		}
	})
}

package baseline

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/rules/rule"
	"github.com/ngxlimit/ngxlimit/rules/run"
)

func finding(name, text string, context ...string) rule.Finding {
	f := &source.File{Path: "a.conf", Text: text}
	return rule.Finding{Rule: &rule.Rule{Name: name}, Primary: source.Span{File: f, End: uint32(len(text))}, Context: context}
}

// TestRoundTrip holds that what is written is read as the same, and knows just the findings that it was made of.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var found []rule.Finding
		for range rapid.IntRange(0, 8).Draw(t, "n") {
			found = append(found, finding(
				rapid.SampledFrom([]string{"a-rule", "b-rule"}).Draw(t, "rule"), rapid.SampledFrom([]string{"x 1", "x  1", "y\xff", `"<&>"`, ""}).Draw(t, "text"),
				rapid.SliceOfN(rapid.SampledFrom([]string{"http", "server ü"}), 0, 2).Draw(t, "context")...,
			))
		}
		var first, second bytes.Buffer
		b := Of(found)
		if err := b.Write(&first); err != nil {
			t.Fatal(err)
		}
		perm := rapid.Permutation(found).Draw(t, "order")
		if err := Of(perm).Write(&second); err != nil || first.String() != second.String() {
			t.Fatalf("another order gives other bytes: %v", cmp.Diff(first.String(), second.String()))
		}
		read, err := Read("known.json", &first)
		if err != nil {
			t.Fatal(err)
		}
		tally := read.Tally()
		now := run.Tally{}
		now.Add(found)
		if diff := cmp.Diff(now, tally, cmpopts.EquateEmpty()); diff != "" {
			t.Fatal(diff)
		}
		if stale := read.Stale(tally); len(stale) != len(read.Entries) {
			t.Fatalf("%d of %d entries are stale where nothing was found", len(stale), len(read.Entries))
		}
	})
}

func TestRefusals(t *testing.T) {
	const print = `"fingerprint": "cc61ccba766d8726fe6506cb140019f6"`
	tests := []struct{ text, want string }{
		{"", "b:1:1: damaged baseline: unexpected end of JSON input"},
		{"[]", "b:1:1: damaged baseline: want an object"},
		{"{}", `b:1:1: damaged baseline: there is no "schema"`},
		{`{"schema": 2}`, "b:1:2: damaged baseline: schema 2 is not known: want 1"},
		{`{"schema": "1"}`, `b:1:12: damaged baseline: want a number, not a string`},
		{"{\"schema\": 1,\n \"finding\": []}", `b:2:2: damaged baseline: unknown key "finding": want schema, findings`},
		{`{"schema": 1, "findings": {}}`, "b:1:27: damaged baseline: want a list"},
		{`{"schema": 1, "findings": [5]}`, "b:1:28: damaged baseline: want an entry, not a number"},
		{`{"schema": 1, "findings": [{"rule": 5}]}`, `b:1:28: damaged baseline: "rule" is a number`},
		{`{"schema": 1, "findings": [{` + print + `, "count": 1}]}`, `b:1:28: damaged baseline: an entry without a "rule"`},
		{`{"schema": 1, "findings": [{"rule": "a", ` + print + `}]}`, "b:1:28: damaged baseline: a count of 0: want 1 at least"},
		{`{"schema": 1, "findings": [{"rule": "a", "fingerprint": "cc", "count": 1}]}`, `b:1:28: damaged baseline: "cc" is no fingerprint`},
		{`{"schema": 1} x`, "b:1:15: damaged baseline: invalid character 'x' after top-level value"},
		{"{\"schema\": 1,\r\n\"findings\": [\r\n{,", "b:3:2: damaged baseline: invalid character ','"},
	}
	for _, tt := range tests {
		_, err := Read("b", strings.NewReader(tt.text))
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: got  %v\nwant %s", tt.text, err, tt.want)
		}
	}
}

// Keys within an entry that a later version may add are passed over.
func TestFurtherKeys(t *testing.T) {
	b, err := Read("b", strings.NewReader(`{"findings": [{"rule": "a", "since": 1, "fingerprint": "cc61ccba766d8726fe6506cb140019f6", "count": 2}], "schema": 1}`))
	if err != nil || len(b.Entries) != 1 || b.Entries[0].Count != 2 || b.Entries[0].Line != 1 {
		t.Errorf("read as %+v, %v", b, err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(`{"schema": 1, "findings": [{"rule": "a", "fingerprint": "cc61ccba766d8726fe6506cb140019f6", "count": 1}]}`)
	f.Add(`{"schema": 1, "findings": [`)
	f.Add("{\"\n\x00")
	f.Fuzz(func(t *testing.T, text string) {
		b, err := Read("b", strings.NewReader(text))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "b:") {
				t.Errorf("no place: %v", err)
			}
			return
		}
		b.Tally()
	})
}

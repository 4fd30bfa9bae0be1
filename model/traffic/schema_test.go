package traffic

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
)

// The schema is kept by hand beside the reader; these tests hold the two together.

func fanSchema(t testing.TB) (*jsonschema.Schema, map[string]any) {
	t.Helper()
	path := filepath.Join(nginxtest.Root(t), "docs", "fan.schema.json")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var raw map[string]any
	if err := json.Unmarshal(data, &raw); err != nil {
		t.Fatal(err)
	}
	s, err := jsonschema.NewCompiler().Compile(path)
	if err != nil {
		t.Fatal(err)
	}
	return s, raw
}

func valid(t interface{ Fatal(args ...any) }, s *jsonschema.Schema, text string) error {
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(v)
}

func TestSchemaTakesBuiltins(t *testing.T) {
	s, _ := fanSchema(t)
	for _, name := range Names() {
		data, err := fanFiles.ReadFile("fans/" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		fan, err := Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		written, err := json.Marshal(fan)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{string(data), string(written)} {
			if err := valid(t, s, text); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if err := valid(t, s, everyField); err != nil {
		t.Error(err)
	}
}

func TestSchemaRefuses(t *testing.T) {
	s, _ := fanSchema(t)
	for _, tt := range refusedBySchema {
		if valid(t, s, tt.text) == nil {
			t.Errorf("the schema takes what the reader refuses with %s:\n%s", tt.want, tt.text)
		}
	}
	for _, tt := range refusedByReader {
		if !json.Valid([]byte(tt.text)) || len(tt.text) > 10_000 || strings.Contains(tt.want, "twice") {
			continue
		}
		if err := valid(t, s, tt.text); err != nil {
			t.Errorf("the schema refuses what was thought to be the reader's part, %s: %v", tt.want, err)
		}
	}
}

// Every fan that the reader takes is one by the schema.
func TestSchemaTakesWhatTheReaderTakes(t *testing.T) {
	s, _ := fanSchema(t)
	rapid.Check(t, func(t *rapid.T) {
		f := anyFan(t)
		if err := f.check(); err != nil {
			t.Skip(err)
		}
		text, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		if err := valid(t, s, string(text)); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	})
}

// The reader and the schema know the same fields and words.
func TestSchemaFields(t *testing.T) {
	_, raw := fanSchema(t)
	defs := raw["$defs"].(map[string]any)
	properties := func(of any) []string {
		return slices.Sorted(maps.Keys(of.(map[string]any)["properties"].(map[string]any)))
	}
	items := func(of any, name string) any {
		return of.(map[string]any)["properties"].(map[string]any)[name].(map[string]any)["items"]
	}
	all := names(fanFields)
	for _, f := range fanFields {
		if f.read == nil {
			all = append(all, f.name)
		}
	}
	slices.Sort(all)
	for _, tt := range []struct {
		what         string
		schema, code []string
	}{
		{"fan", properties(raw), all},
		{"request", properties(defs["request"]), slices.Sorted(slices.Values(names(requestFields)))},
		{"stream", properties(defs["stream"]), slices.Sorted(slices.Values(names(streamFields)))},
		{"request of a stream", properties(items(defs["stream"], "requests")), slices.Sorted(slices.Values(names(commonFields)))},
		{"client queue", properties(defs["queue"]), slices.Sorted(slices.Values(names(queueFields)))},
		{"policy", properties(defs["retry"]), slices.Sorted(slices.Values(names(retryFields)))},
	} {
		if diff := cmp.Diff(tt.code, tt.schema); diff != "" {
			t.Errorf("%s: %s", tt.what, diff)
		}
	}
	kinds := defs["request"].(map[string]any)["properties"].(map[string]any)["kind"].(map[string]any)["enum"].([]any)
	words := make([]string, len(kinds))
	for i, k := range kinds {
		words[i] = k.(string)
	}
	if diff := cmp.Diff(Kinds, words); diff != "" {
		t.Error(diff)
	}
	if n := len(defs["milliseconds"].(map[string]any)["oneOf"].([]any)); n != len(forms)+1 {
		t.Errorf("%d forms of distributions", n)
	}
}

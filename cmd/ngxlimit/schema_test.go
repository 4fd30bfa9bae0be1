package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/cmd/internal/report"
	"github.com/ngxlimit/ngxlimit/cmd/internal/settings"
	"github.com/ngxlimit/ngxlimit/rules"
)

// TestSettingsSchema holds the published schema to what the reader takes.
func TestSettingsSchema(t *testing.T) {
	path := filepath.Join(nginxtest.Root(t), filepath.FromSlash(settings.SchemaFile))
	var fresh bytes.Buffer
	if err := report.EncodeJSON(&fresh, settings.SchemaOf(rules.All(), report.FileURI(settings.SchemaFile))); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(path, fresh.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if have, err := os.ReadFile(path); err != nil || !bytes.Equal(have, fresh.Bytes()) {
		t.Errorf("%s is stale; run go test ./cmd/ngxlimit -run TestSettingsSchema -update", settings.SchemaFile)
	}
}

// TestSchemaAgrees holds the schema and the reader to the same judgement of the same files.
func TestSchemaAgrees(t *testing.T) {
	var text bytes.Buffer
	if err := report.EncodeJSON(&text, settings.SchemaOf(rules.All(), "")); err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(&text)
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("settings.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("settings.json")
	if err != nil {
		t.Fatal(err)
	}
	page := fenced(t, "docs/settings.md", "yaml")
	page = strings.ReplaceAll(page, "250_000", "250000") // YAML's older form of numbers
	for file, want := range map[string]bool{
		page: true, "": true, "rules: {syntax: off}": true, "rules: {syntax: fatal}": false, "rules: {syntx: off}": false,
		"zones: {a: {expected_keys: 0}}": false, "zones: {a: {expected_clients: 4}}": true, "zone: {}": false, "proxies: true": true,
		"proxies: [10.0.0.0/8, cloudflare]": true, "proxies: 5": false, "chain: [cloudflare, alb=10.0.0.0/22]": true, "chain: 'alb,nginx'": true, "chain: {a: b}": false, "background: [hooks]": false, "fans: [{fan: portal}]": true, "fans: [{}]": false,
		"overrides: [{files: [a], rules: {syntax: note}}]": true, "overrides: [{file: [a]}]": false, "clients_per_address: many": false,
	} {
		var value any
		if err := yaml.Unmarshal([]byte(file), &value); err != nil {
			t.Fatal(err)
		}
		bySchema := schema.Validate(plainJSON(value))
		path := settingsFile(t, file)
		_, byReader := settings.Load(path, settings.Known{Rules: rules.All(), Fan: fansBeside(path)})
		if (bySchema == nil) != want || (byReader == nil) != want {
			t.Errorf("%s: the schema says %v, the reader %v", file, bySchema, byReader)
		}
	}
}

// plainJSON turns what the YAML reader gives into what a JSON reader would.
func plainJSON(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			v[k] = plainJSON(x)
		}
	case []any:
		for i, x := range v {
			v[i] = plainJSON(x)
		}
	case uint64:
		return float64(v)
	case int64:
		return float64(v)
	}
	return v
}

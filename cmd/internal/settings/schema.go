package settings

import (
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// SchemaFile is where the repository keeps the schema.
const SchemaFile = "docs/settings.schema.json"

// A Schema is a JSON Schema, as far as settings need one.
type Schema struct {
	Dialect     string             `json:"$schema,omitempty"`
	ID          string             `json:"$id,omitempty"`
	Title       string             `json:"title,omitempty"`
	Description string             `json:"description,omitempty"`
	Type        any                `json:"type,omitempty"` // a string, or several
	Enum        []any              `json:"enum,omitempty"`
	Pattern     string             `json:"pattern,omitempty"`
	Minimum     int                `json:"minimum,omitempty"`
	Items       *Schema            `json:"items,omitempty"`
	Properties  map[string]*Schema `json:"properties,omitempty"`
	Additional  any                `json:"additionalProperties,omitempty"` // false, or a Schema
	Required    []string           `json:"required,omitempty"`
	AnyOf       []*Schema          `json:"anyOf,omitempty"`
}

// SchemaOf describes the settings file, for editors. It is made of the table by which the file is read, and of the rules.
func SchemaOf(all []*rule.Rule, id string) *Schema {
	r := &reader{all: all}
	s := schemaOf(r.topKeys())
	s.Dialect = "https://json-schema.org/draft/2020-12/schema"
	s.ID = id
	s.Title = "Settings of ngxlimit"
	s.Description = "what a configuration cannot tell, and how strict check is to be (" + FileName + ")"
	s.Type = []string{"object", "null"} // a file of comments alone
	return s
}

// schemaOf describes a mapping whose keys are fixed.
func schemaOf(keys []key, required ...string) *Schema {
	s := &Schema{Type: "object", Properties: map[string]*Schema{}, Additional: false, Required: required}
	for _, k := range keys {
		of := *k.schema()
		of.Description = k.doc
		s.Properties[k.name] = &of
	}
	return s
}

// ruleSchema names the rules, each with what it finds.
func (r *reader) ruleSchema() *Schema {
	words := make([]any, 0, 2+len(ruleWords))
	words = append(words, true, false)
	for _, w := range ruleWords {
		words = append(words, w)
	}
	s := &Schema{Type: "object", Properties: map[string]*Schema{}, Additional: false}
	for _, of := range r.all {
		s.Properties[of.Name] = &Schema{Description: of.Summary, Enum: words}
	}
	return s
}

func proxySchema() *Schema {
	return &Schema{AnyOf: []*Schema{{Type: "boolean"}, textList()}}
}

func chainSchema() *Schema {
	return &Schema{AnyOf: []*Schema{textSchema(), textList()}}
}

// orNothing lets a mapping be left empty, with comments alone below its name.
func orNothing(s *Schema) *Schema {
	s.Type = []string{"object", "null"}
	return s
}

func listOf(s *Schema) *Schema { return &Schema{Type: "array", Items: s} }
func mapOf(s *Schema) *Schema  { return &Schema{Type: "object", Additional: s} }
func textSchema() *Schema      { return &Schema{Type: "string"} }
func textList() *Schema        { return listOf(textSchema()) }
func countSchema() *Schema     { return &Schema{Type: "integer", Minimum: 1} }
func prefixList() *Schema      { return listOf(&Schema{Type: "string", Pattern: "^/"}) }

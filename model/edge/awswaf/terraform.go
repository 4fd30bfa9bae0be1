package awswaf

import (
	"encoding/base64"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/model/edge/document"
	"github.com/ngxlimit/ngxlimit/model/edge/lang"
)

// resourceType is what Terraform calls a web ACL.
const resourceType = "aws_wafv2_web_acl"

// Terraform reads the web ACL among Terraform's resources; nil where there is none.
func Terraform(all []document.Resource, lists map[string]*lang.List) (*ACL, error) {
	var of *document.Resource
	for i := range all {
		switch {
		case all[i].Type != resourceType:
		case of != nil:
			return nil, &document.Error{Span: all[i].Span, Text: "a second web ACL: want one"}
		default:
			of = &all[i]
		}
	}
	if of == nil {
		return nil, nil //nolint:nilnil // there is none
	}
	v := asAPI(of.Value, "")
	if v.Get("Rules") == nil {
		text := "the web ACL has no rule"
		if json := of.Value.Get("rule_json"); json.Known() || json != nil && json.Kind == document.Unknown {
			text = "the web ACL has its rules in rule_json, which is not read: give the JSON of aws wafv2 get-web-acl"
		}
		return nil, &document.Error{Span: of.Span, Text: text}
	}
	return Read(v, lists)
}

// listed are the blocks of Terraform that the API has as lists, by their names there.
var listed = map[string]string{"rule": "Rules", "text_transformation": "TextTransformations", "custom_key": "CustomKeys", "rule_label": "RuleLabels"}

// asAPI turns a block of Terraform into what the API has for it: its fields in other spelling, a block that stands once as an
// object, and no field for what is not set.
func asAPI(v *document.Value, within string) *document.Value {
	if v.Kind != document.Object {
		return v
	}
	made := &document.Value{Kind: document.Object, Span: v.Span}
	for _, f := range v.Fields {
		list, isList := listed[f.Name], listed[f.Name] != ""
		if f.Name == "statement" && (within == "and_statement" || within == "or_statement") {
			list, isList = "Statements", true
		}
		switch {
		case f.Value.Kind == document.Null || f.Value.Kind == document.List && len(f.Value.Items) == 0:
		case isList && f.Value.Kind == document.List:
			all := &document.Value{Kind: document.List, Span: f.Value.Span}
			for _, item := range f.Value.Items {
				all.Items = append(all.Items, asAPI(item, f.Name))
			}
			made.Fields = append(made.Fields, document.Field{Name: list, Span: f.Span, Value: all})
		default:
			made.Fields = append(made.Fields, document.Field{Name: apiName(f.Name), Span: f.Span, Value: valueOf(f)})
		}
	}
	return made
}

// valueOf is what the API has for one field.
func valueOf(f document.Field) *document.Value {
	v := f.Value
	switch {
	case v.Kind == document.List && len(v.Items) == 1 && v.Items[0].Kind == document.Object:
		return asAPI(v.Items[0], f.Name)
	case v.Kind == document.Object:
		return asAPI(v, f.Name)
	case f.Name == "arn" && v.Kind == document.Unknown && strings.HasPrefix(v.Span.Text(), "aws_wafv2_ip_set."):
		named := *v // aws_wafv2_ip_set.office.arn: a list is given by that name
		named.Kind, named.Text = document.String, strings.ReplaceAll(v.Span.Text(), ".", "/")
		return &named
	case f.Name == "search_string" && v.Kind == document.String:
		coded := *v // as the API hands it out
		coded.Text = base64.StdEncoding.EncodeToString([]byte(v.Text))
		return &coded
	}
	return v
}

// apiName spells a field as the API does: evaluation_window_sec is EvaluationWindowSec.
func apiName(name string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(name, "_") {
		switch part {
		case "ip", "arn", "http", "ja3", "ja4":
			b.WriteString(strings.ToUpper(part))
		case "":
		default:
			b.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	return b.String()
}

// unknownIn finds a value that only Terraform would know in what matters of a rule; nil for none.
func unknownIn(v *document.Value) (name string, at *document.Value) {
	for _, f := range v.Fields {
		if f.Name == "VisibilityConfig" {
			continue
		}
		if f.Value.Kind == document.Unknown {
			return f.Name, f.Value
		}
		if name, at = unknownIn(f.Value); at != nil {
			return name, at
		}
	}
	i := slices.IndexFunc(v.Items, func(item *document.Value) bool { return item.Kind == document.Unknown })
	if i >= 0 {
		return "a block", v.Items[i]
	}
	for _, item := range v.Items {
		if name, at = unknownIn(item); at != nil {
			return name, at
		}
	}
	return "", nil
}

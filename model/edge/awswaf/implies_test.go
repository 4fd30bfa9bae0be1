package awswaf

import (
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/model/edge/document"
	"github.com/ngxlimit/ngxlimit/model/edge/lang"
)

// drawStatement draws a statement over few fields and few words, so that statements often have to do with each other.
func drawStatement(d *rapid.T, depth int) string {
	kinds := []string{"byte", "byte", "byte", "regex", "not", "and", "or"}
	if depth == 0 {
		kinds = kinds[:4]
	}
	change := rapid.SampledFrom([]string{"NONE", "LOWERCASE"})
	field := rapid.SampledFrom([]string{`{"UriPath": {}}`, `{"Method": {}}`, `{"SingleHeader": {"Name": "x"}}`})
	switch kind := rapid.SampledFrom(kinds).Draw(d, "kind"); kind {
	case "byte":
		how := rapid.SampledFrom([]string{"EXACTLY", "STARTS_WITH", "ENDS_WITH", "CONTAINS"}).Draw(d, "how")
		want := rapid.SampledFrom([]string{"/", "/a", "/ab", "a", "/A", "GET", "", "get", "b"}).Draw(d, "want")
		return `{"ByteMatchStatement": {"SearchString": ` + strconv.Quote(want) + `, "FieldToMatch": ` + field.Draw(d, "field") + `, "TextTransformations": [{"Priority": 0, "Type": "` + change.Draw(d, "change") + `"}], "PositionalConstraint": "` + how + `"}}`
	case "regex":
		want := rapid.SampledFrom([]string{"^/", ".*", "^/a", "^/.*$", "a$", "", "^$", "^/?$", "^.+$", "/$", "^/b*", "a*"}).Draw(d, "expr")
		return `{"RegexMatchStatement": {"RegexString": ` + strconv.Quote(want) + `, "FieldToMatch": ` + field.Draw(d, "field") + `, "TextTransformations": []}}`
	case "not":
		return `{"NotStatement": {"Statement": ` + drawStatement(d, depth-1) + `}}`
	default:
		name := map[string]string{"and": "AndStatement", "or": "OrStatement"}[kind]
		parts := make([]string, rapid.IntRange(1, 3).Draw(d, "parts"))
		for i := range parts {
			parts[i] = drawStatement(d, depth-1)
		}
		return `{"` + name + `": {"Statements": [` + strings.Join(parts, ", ") + `]}}`
	}
}

func conditionOf(t *rapid.T, text string) *Condition {
	v, err := document.JSON(&source.File{Path: "s.json", Text: text})
	if err != nil {
		t.Fatal(err)
	}
	r := &reader{acl: &ACL{}, rule: &Rule{}}
	c := r.statement(v, 0)
	if len(r.acl.Problems) > 0 {
		t.Fatalf("%s: %+v", text, r.acl.Problems)
	}
	return c
}

func headerX(value string) request.Header { return request.Header{Name: "x", Value: value} }

// TestImplications holds what is said of statements to what they do with requests.
func TestImplications(t *testing.T) {
	rapid.Check(t, func(d *rapid.T) {
		a, b := conditionOf(d, drawStatement(d, 2)), conditionOf(d, drawStatement(d, 2))
		never, _ := a.Never()
		for _, method := range []string{"GET", "POST"} {
			for _, path := range []string{"/", "/a", "/ab", "/A", "/b", "/aa/b?a=/"} {
				for _, header := range []string{"", "a", "/a", "GET", "b"} {
					req := get(1, path)
					if req.Method = method; header != "" {
						req.Headers = append(req.Headers, headerX(header))
					}
					fits, _ := a.test(req)
					other, _ := b.test(req)
					switch {
					case a.Always() && fits != lang.True, never != nil && fits == lang.True, fits == lang.True && other != lang.True && a.Implies(b):
						d.Fatalf("%s %s (%s): %v and %v; always %v, never %v, implies %v", method, path, header, fits, other, a.Always(), never != nil, a.Implies(b))
					}
				}
			}
		}
		if !a.Implies(a) || !a.Implies(nil) {
			d.Fatal("a statement does not follow from itself")
		}
	})
}

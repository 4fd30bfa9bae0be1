package lang

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// drawExpression draws an expression over few fields and values, so that expressions often follow from each other.
func drawExpression(d *rapid.T, depth int) string {
	fields := []string{"http.request.uri.path", "http.host", `lower(http.host)`, `http.request.headers["x"][0]`}
	values := []string{"/", "/a", "/ab", "/abc/d", "a", "abc", "", "bc"}
	field := func() string { return rapid.SampledFrom(fields).Draw(d, "field") }
	value := func() string { return strconv.Quote(rapid.SampledFrom(values).Draw(d, "value")) }
	kinds := []string{"eq", "eq", "eq", "ne", "in", "contains", "starts", "ends", "wildcard", "bool", "bot", "address"}
	if depth > 0 {
		kinds = append(kinds, "and", "and", "and", "or", "or", "not", "xor")
	}
	switch kind := rapid.SampledFrom(kinds).Draw(d, "kind"); kind {
	case "eq", "ne", "contains":
		return field() + " " + kind + " " + value()
	case "in":
		return field() + " in {" + value() + " " + value() + "}"
	case "starts", "ends":
		return kind + "_with(" + field() + ", " + value() + ")"
	case "wildcard":
		return field() + " wildcard " + strconv.Quote(rapid.SampledFrom([]string{"*", "/a*", "*c", "/ab", ""}).Draw(d, "pattern"))
	case "bool":
		return rapid.SampledFrom([]string{"true", "false"}).Draw(d, "bool")
	case "bot":
		return "cf.client.bot"
	case "address":
		return "ip.src in {10.0.0.0/8 192.0.2.1}"
	case "not":
		return "not (" + drawExpression(d, depth-1) + ")"
	default:
		parts := make([]string, rapid.IntRange(2, 3).Draw(d, "parts"))
		for i := range parts {
			parts[i] = "(" + drawExpression(d, depth-1) + ")"
		}
		return strings.Join(parts, " "+kind+" ")
	}
}

// TestIndex finds by the index what comparing all pairs finds, in the same order.
func TestIndex(t *testing.T) {
	rapid.Check(t, func(d *rapid.T) {
		all := make([]*Expr, rapid.IntRange(10, 30).Draw(d, "expressions"))
		for i := range all {
			text := drawExpression(d, 2)
			e, err := Parse(text, &Env{})
			if err != nil {
				d.Fatalf("%s: %v", text, err)
			}
			all[i] = e
		}
		x := NewIndex(all)
		for _, e := range all {
			var want []int
			for i, other := range all {
				if e.Implies(other) {
					want = append(want, i)
				}
			}
			if got := slices.Collect(x.Implied(e)); !slices.Equal(got, want) {
				d.Fatalf("%s: %v, want %v", e.Text, got, want)
			}
		}
	})
}

// TestIndexIsNarrow looks at few of many expressions that have one part in common.
func TestIndexIsNarrow(t *testing.T) {
	const n = 2000
	for name, form := range map[string]string{
		"hosts":   `starts_with(http.request.uri.path, "/api/") and http.host eq "h%d.example"`,
		"paths":   `http.host eq "a.example" and http.request.uri.path eq "/p/%d"`,
		"heads":   `http.request.method eq "POST" and starts_with(http.request.uri.path, "/p/%d/")`,
		"parts":   `http.request.uri.path contains "%d-part"`,
		"lists":   `http.request.uri.path in {"/a/%[1]d" "/b/%[1]d"}`,
		"regexes": `http.request.uri.path matches "^/%d/"`,
	} {
		all := make([]*Expr, n)
		for i := range all {
			var err error
			if all[i], err = Parse(fmt.Sprintf(form, i+1000), &Env{}); err != nil {
				t.Fatal(err)
			}
		}
		x := NewIndex(all)
		seen := 0
		for _, e := range all {
			for range x.candidates(e.root) {
				seen++
			}
		}
		if seen > 20*n {
			t.Errorf("%s: %d pairs of %d expressions are compared", name, seen, n)
		}
	}
}

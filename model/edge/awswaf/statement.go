package awswaf

import (
	"cmp"
	"encoding/base64"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ngxlimit/ngxlimit/model/edge"
	"github.com/ngxlimit/ngxlimit/model/edge/document"
	"github.com/ngxlimit/ngxlimit/model/edge/lang"
)

// deepest bounds how far statements may be nested.
const deepest = 32

// A test says whether a request fits; why where it cannot be known.
type test func(*edge.Request) (fits lang.Truth, why string)

func known(b bool) (lang.Truth, string) {
	if b {
		return lang.True, ""
	}
	return lang.False, ""
}

// dark is a test that cannot be known.
func dark(why string) test {
	return func(*edge.Request) (lang.Truth, string) { return lang.Unknown, why }
}

// statement reads a statement that is no rate-based one. What it cannot know it says when it is asked: beside an "and"
// with a no it does not matter.
func (r *reader) statement(v *document.Value, depth int) test {
	if v.Kind != document.Object || len(v.Fields) != 1 || depth > deepest {
		r.problem(v.Span, "a statement has one field, and is nested at most %d deep", deepest)
		return dark("the statement is not understood")
	}
	f := v.Fields[0]
	switch f.Name {
	case "AndStatement", "OrStatement":
		return r.joined(f, depth)
	case "NotStatement":
		inner := f.Value.Get("Statement")
		if inner == nil {
			break
		}
		of := r.statement(inner, depth+1)
		return func(req *edge.Request) (lang.Truth, string) {
			fits, why := of(req)
			switch fits {
			case lang.True:
				return lang.False, ""
			case lang.False:
				return lang.True, ""
			case lang.Unknown:
			}
			return fits, why
		}
	case "ByteMatchStatement":
		return r.bytes(f.Value)
	case "RegexMatchStatement":
		re, err := regexp.Compile(textOf(f.Value.Get("RegexString")))
		if err != nil {
			r.problem(f.Span, "the regular expression cannot be run")
			break
		}
		return r.onField(f.Value, re.MatchString)
	case "IPSetReferenceStatement":
		return r.ipSet(f)
	case "GeoMatchStatement", "AsnMatchStatement":
		return dark(f.Name + ": it follows from the visitor's address by a table of AWS's")
	case "LabelMatchStatement", "ManagedRuleGroupStatement", "RuleGroupReferenceStatement", "SqliMatchStatement", "XssMatchStatement",
		"SizeConstraintStatement", "RegexPatternSetReferenceStatement":
		return dark(f.Name + " is not modelled")
	default:
		r.problem(f.Span, "unknown statement %s", f.Name)
	}
	return dark("the statement is not understood")
}

// joined is an "and" or an "or".
func (r *reader) joined(f document.Field, depth int) test {
	list := f.Value.Get("Statements")
	if list == nil || len(list.Items) == 0 {
		r.problem(f.Span, "%s has no Statements", f.Name)
		return dark("the statement is not understood")
	}
	tests := make([]test, len(list.Items))
	for i, item := range list.Items {
		tests[i] = r.statement(item, depth+1)
	}
	ends := lang.False
	if f.Name == "OrStatement" {
		ends = lang.True
	}
	return func(req *edge.Request) (lang.Truth, string) {
		why := ""
		for _, t := range tests {
			switch fits, w := t(req); fits {
			case ends:
				return fits, ""
			case lang.Unknown:
				why = w
			case lang.True, lang.False:
			}
		}
		if why != "" {
			return lang.Unknown, why
		}
		return lang.True - ends, ""
	}
}

// ipSet is whether the client is in a set; its content comes by its name.
func (r *reader) ipSet(f document.Field) test {
	arn := textOf(f.Value.Get("ARN"))
	name := arn
	if parts := strings.Split(arn, "/"); len(parts) >= 3 {
		name = parts[len(parts)-2] // arn:...:regional/ipset/NAME/ID
	}
	list := r.lists[name]
	if list == nil {
		return dark("the IP set " + name + " was not given (--list " + name + "=FILE)")
	}
	return func(req *edge.Request) (lang.Truth, string) {
		return known(req.Client.IsValid() && list.Contains(req.Client.Unmap()))
	}
}

// bytes compares a part of the request with a text.
func (r *reader) bytes(v *document.Value) test {
	want := searched(textOf(v.Get("SearchString")))
	var fits func(string) bool
	switch how := textOf(v.Get("PositionalConstraint")); how {
	case "EXACTLY":
		fits = func(s string) bool { return s == want }
	case "STARTS_WITH":
		fits = func(s string) bool { return strings.HasPrefix(s, want) }
	case "ENDS_WITH":
		fits = func(s string) bool { return strings.HasSuffix(s, want) }
	case "CONTAINS":
		fits = func(s string) bool { return strings.Contains(s, want) }
	default:
		return dark("PositionalConstraint " + how + " is not modelled")
	}
	return r.onField(v, fits)
}

// searched is the text that is searched for. The command line prints it in base64; who writes it by hand does not.
func searched(s string) string {
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil || !utf8.Valid(b) || strings.ContainsFunc(string(b), func(c rune) bool { return !unicode.IsPrint(c) }) {
		return s
	}
	return string(b)
}

// onField applies a comparison to the part of the request that a statement names.
func (r *reader) onField(v *document.Value, fits func(string) bool) test {
	field := v.Get("FieldToMatch")
	if field == nil || field.Kind != document.Object || len(field.Fields) != 1 {
		r.problem(v.Span, "FieldToMatch names one part of the request")
		return dark("the statement is not understood")
	}
	get := r.component(field.Fields[0])
	if get == nil {
		return dark("FieldToMatch " + field.Fields[0].Name + " is not modelled")
	}
	change := r.transformations(v.Get("TextTransformations"))
	return func(req *edge.Request) (lang.Truth, string) {
		s, ok := get(req)
		return known(ok && fits(change(s)))
	}
}

// component returns a part of the request; nil for one that cannot be known. The path is as it was sent.
func (r *reader) component(f document.Field) func(*edge.Request) (string, bool) {
	name := textOf(f.Value.Get("Name"))
	switch f.Name {
	case "UriPath", "UriPathKey":
		return func(req *edge.Request) (string, bool) { p, _, _ := strings.Cut(req.Target, "?"); return p, true }
	case "QueryString":
		r.rule.reads.Query = true
		return func(req *edge.Request) (string, bool) { return req.Query(), true }
	case "Method", "HTTPMethod":
		return func(req *edge.Request) (string, bool) { return req.Verb(), true }
	case "SingleHeader", "Header":
		r.rule.reads.AddHeader(name)
		return func(req *edge.Request) (string, bool) {
			if strings.EqualFold(name, "host") {
				return req.Host, req.Host != ""
			}
			return req.Header(name)
		}
	case "SingleQueryArgument", "QueryArgument":
		r.rule.reads.Query = true
		return func(req *edge.Request) (string, bool) {
			return pair(req.Query(), "&", name)
		}
	case "Cookie":
		r.rule.reads.AddCookie(name)
		return func(req *edge.Request) (string, bool) {
			all, _ := req.Header("Cookie")
			return pair(all, ";", name)
		}
	}
	return nil
}

// pair finds a value in a text of name=value.
func pair(s, sep, name string) (string, bool) {
	for part := range strings.SplitSeq(s, sep) {
		if k, v, _ := strings.Cut(strings.TrimSpace(part), "="); strings.EqualFold(k, name) {
			return v, true
		}
	}
	return "", false
}

// transformations change a text before it is compared, in the order of their priority.
func (r *reader) transformations(v *document.Value) func(string) string {
	if v == nil || v.Kind != document.List {
		return func(s string) string { return s }
	}
	items := slices.Clone(v.Items)
	slices.SortStableFunc(items, func(a, b *document.Value) int {
		return cmp.Compare(priority(a), priority(b))
	})
	var steps []func(string) string
	for _, item := range items {
		switch kind := textOf(item.Get("Type")); kind {
		case "NONE":
		case "LOWERCASE":
			steps = append(steps, edge.Lower)
		case "URL_DECODE":
			steps = append(steps, func(s string) string { return edge.Unescape(s, true) })
		default:
			r.problem(item.Span, "text transformation %s is not modelled", kind)
		}
	}
	return func(s string) string {
		for _, step := range steps {
			s = step(s)
		}
		return s
	}
}

// forwarded is the first address of a header.
func forwarded(req *edge.Request, header string) (netip.Addr, bool) {
	v, ok := req.Header(header)
	if !ok {
		return netip.Addr{}, false
	}
	v, _, _ = strings.Cut(v, ",")
	a, err := netip.ParseAddr(strings.TrimSpace(v))
	return a, err == nil
}

func priority(v *document.Value) int64 {
	n, err := strconv.ParseInt(v.Get("Priority").TextOr(""), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

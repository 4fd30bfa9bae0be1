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

	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/model/edge"
	"github.com/ngxlimit/ngxlimit/model/edge/document"
	"github.com/ngxlimit/ngxlimit/model/edge/lang"
)

// deepest bounds how far statements may be nested.
const deepest = 32

// A test says whether a request fits; why where it cannot be known.
type test func(*edge.Request) (fits lang.Truth, why string)

// A Condition is a statement: what it asks of requests.
type Condition struct {
	Span source.Span

	test test
	kind conditionKind
	of   []*Condition // of all, any, not
	// Of a comparison: the part of the request with what changes it first, as text; how it is compared, and with what.
	part, how, want string
	fits            func(string) bool
}

type conditionKind uint8

const (
	opaque conditionKind = iota // want tells it from others
	allOf
	anyOf
	notOf
	compares
)

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

// leftAside is a statement of which it is never known whether it fits.
func (r *reader) leftAside(v *document.Value, at source.Span, why string) *Condition {
	r.aside(at, why)
	return opaqueOf(v, dark(why))
}

// opaqueOf is a statement that is not looked into: two of them are the same where they are written so.
func opaqueOf(v *document.Value, t test) *Condition {
	var b strings.Builder
	canonical(&b, v)
	return &Condition{Span: v.Span, test: t, want: b.String()}
}

// canonical writes a value so that what means the same is the same text.
func canonical(b *strings.Builder, v *document.Value) {
	switch v.Kind {
	case document.Object:
		fields := slices.Clone(v.Fields)
		slices.SortStableFunc(fields, func(a, b document.Field) int { return cmp.Compare(a.Name, b.Name) })
		b.WriteByte('{')
		for _, f := range fields {
			b.WriteString(strconv.Quote(f.Name))
			canonical(b, f.Value)
		}
		b.WriteByte('}')
	case document.List:
		b.WriteByte('[')
		for _, item := range v.Items {
			canonical(b, item)
			b.WriteByte(',')
		}
		b.WriteByte(']')
	case document.Null, document.Bool, document.Number, document.String, document.Unknown:
		b.WriteString(strconv.Itoa(int(v.Kind)) + strconv.Quote(v.Text) + strconv.FormatBool(v.Bool))
	}
}

// statement reads a statement that is no rate-based one. What it cannot know it says when it is asked: beside an "and"
// with a no it does not matter.
func (r *reader) statement(v *document.Value, depth int) *Condition {
	lost := func() *Condition {
		return &Condition{Span: v.Span, test: dark("the statement is not understood")}
	}
	if v.Kind != document.Object || len(v.Fields) != 1 || depth > deepest {
		r.problem(Wrong, v.Span, "a statement has one field, and is nested at most %d deep", deepest)
		return lost()
	}
	f := v.Fields[0]
	switch f.Name {
	case "AndStatement", "OrStatement":
		return r.joined(f, depth)
	case "NotStatement":
		inner := f.Value.Get("Statement")
		if inner == nil {
			r.problem(Wrong, f.Span, "NotStatement has no Statement")
			break
		}
		return negated(r.statement(inner, depth+1))
	case "ByteMatchStatement":
		return r.bytes(v, f.Value)
	case "RegexMatchStatement":
		expr := textOf(f.Value.Get("RegexString"))
		re, err := regexp.Compile(expr)
		if err != nil {
			r.problem(Foreign, f.Span, "the regular expression cannot be run")
			break
		}
		return r.onField(v, f.Value, "REGEX", expr, re.MatchString)
	case "IPSetReferenceStatement":
		return r.ipSet(v, f)
	case "GeoMatchStatement", "AsnMatchStatement":
		return r.leftAside(v, f.Span, f.Name+": it follows from the visitor's address by a table of AWS's")
	case "LabelMatchStatement", "ManagedRuleGroupStatement", "RuleGroupReferenceStatement", "SqliMatchStatement", "XssMatchStatement",
		"SizeConstraintStatement", "RegexPatternSetReferenceStatement":
		return r.leftAside(v, f.Span, f.Name+" is not modelled")
	default:
		r.problem(Foreign, f.Span, "unknown statement %s", f.Name)
	}
	return lost()
}

func negated(of *Condition) *Condition {
	return &Condition{Span: of.Span, kind: notOf, of: []*Condition{of}, test: func(req *edge.Request) (lang.Truth, string) {
		fits, why := of.test(req)
		switch fits {
		case lang.True:
			return lang.False, ""
		case lang.False:
			return lang.True, ""
		case lang.Unknown:
		}
		return fits, why
	}}
}

// joined is an "and" or an "or".
func (r *reader) joined(f document.Field, depth int) *Condition {
	c := &Condition{Span: f.Span, kind: allOf, test: dark("the statement is not understood")}
	list := f.Value.Get("Statements")
	if list == nil || len(list.Items) == 0 {
		r.problem(Wrong, f.Span, "%s has no Statements", f.Name)
		return &Condition{Span: f.Span, test: c.test}
	}
	for _, item := range list.Items {
		c.of = append(c.of, r.statement(item, depth+1))
	}
	ends := lang.False
	if f.Name == "OrStatement" {
		c.kind, ends = anyOf, lang.True
	}
	c.test = func(req *edge.Request) (lang.Truth, string) {
		why := ""
		for _, part := range c.of {
			switch fits, w := part.test(req); fits {
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
	return c
}

// ipSet is whether the client is in a set; its content comes by its name.
func (r *reader) ipSet(v *document.Value, f document.Field) *Condition {
	if f.Value.Get("IPSetForwardedIPConfig") != nil {
		return r.leftAside(v, f.Span, "IPSetForwardedIPConfig is not modelled")
	}
	arn := textOf(f.Value.Get("ARN"))
	name := arn
	if parts := strings.Split(arn, "/"); len(parts) >= 3 {
		name = parts[len(parts)-2] // arn:...:regional/ipset/NAME/ID
	}
	list := r.lists[name]
	if list == nil {
		return r.leftAside(v, f.Span, "the IP set "+name+" was not given: --list "+name+"=FILE")
	}
	return opaqueOf(v, func(req *edge.Request) (lang.Truth, string) {
		return known(req.Client.IsValid() && list.Contains(req.Client.Unmap()))
	})
}

// bytes compares a part of the request with a text.
func (r *reader) bytes(v, of *document.Value) *Condition {
	want := searched(textOf(of.Get("SearchString")))
	how := textOf(of.Get("PositionalConstraint"))
	fits := comparison(how, want)
	if fits == nil {
		return r.leftAside(v, v.Span, "PositionalConstraint "+how+" is not modelled")
	}
	return r.onField(v, of, how, want, fits)
}

// comparison compares texts with a wanted one; nil for a way that is not modelled.
func comparison(how, want string) func(string) bool {
	switch how {
	case "EXACTLY":
		return func(s string) bool { return s == want }
	case "STARTS_WITH":
		return func(s string) bool { return strings.HasPrefix(s, want) }
	case "ENDS_WITH":
		return func(s string) bool { return strings.HasSuffix(s, want) }
	case "CONTAINS":
		return func(s string) bool { return strings.Contains(s, want) }
	}
	return nil
}

// searched is the text that is searched for. The command line prints it in base64; who writes it by hand does not.
func searched(s string) string {
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil || !utf8.Valid(b) || strings.ContainsFunc(string(b), func(c rune) bool { return !unicode.IsPrint(c) }) {
		return s
	}
	return string(b)
}

// partsLeft are the other parts of a request that a statement may name: no line of a log and no page load has them, or no
// single text of them is compared.
var partsLeft = []string{"AllQueryArguments", "Body", "Cookies", "HeaderOrder", "Headers", "JA3Fingerprint", "JA4Fingerprint", "JsonBody", "UriFragment"}

// onField applies a comparison to the part of the request that a statement names.
func (r *reader) onField(v, of *document.Value, how, want string, fits func(string) bool) *Condition {
	field := of.Get("FieldToMatch")
	if field == nil || field.Kind != document.Object || len(field.Fields) != 1 {
		r.problem(Wrong, of.Span, "FieldToMatch names one part of the request")
		return &Condition{Span: v.Span, test: dark("the statement is not understood")}
	}
	get := r.component(field.Fields[0])
	if get == nil && !slices.Contains(partsLeft, field.Fields[0].Name) {
		r.problem(Foreign, field.Fields[0].Span, "unknown part of a request in FieldToMatch: %q", field.Fields[0].Name)
		return opaqueOf(v, dark("the statement is not understood"))
	}
	if get == nil {
		return r.leftAside(v, field.Fields[0].Span, "FieldToMatch "+field.Fields[0].Name+" is not modelled")
	}
	changes := of.Get("TextTransformations")
	change := r.transformations(changes)
	c := &Condition{Span: v.Span, kind: compares, how: how, want: want, fits: fits, part: partOf(field.Fields[0], changes)}
	if s := of.Get("SearchString"); s != nil {
		c.Span = s.Span
	} else if s := of.Get("RegexString"); s != nil {
		c.Span = s.Span
	}
	c.test = func(req *edge.Request) (lang.Truth, string) {
		s, ok := get(req)
		return known(ok && fits(change(s)))
	}
	return c
}

// partOf names a part of the request and what changes it: "UriPath LOWERCASE".
func partOf(f document.Field, changes *document.Value) string {
	part := f.Name
	if name := textOf(f.Value.Get("Name")); name != "" {
		part += ":" + edge.Lower(name)
	}
	return strings.Join(append([]string{part}, transformationsOf(changes)...), " ")
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

// transformationsOf lists how a text is changed before it is compared, in order, without what changes nothing.
func transformationsOf(v *document.Value) []string {
	if v == nil || v.Kind != document.List {
		return nil
	}
	items := slices.Clone(v.Items)
	slices.SortStableFunc(items, func(a, b *document.Value) int { return cmp.Compare(priority(a), priority(b)) })
	var kinds []string
	for _, item := range items {
		if kind := textOf(item.Get("Type")); kind != "NONE" {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// transformations change a text before it is compared, in the order of their priority.
func (r *reader) transformations(v *document.Value) func(string) string {
	var steps []func(string) string
	for _, kind := range transformationsOf(v) {
		switch kind {
		case "LOWERCASE":
			steps = append(steps, edge.Lower)
		case "URL_DECODE":
			steps = append(steps, func(s string) string { return edge.Unescape(s, true) })
		default:
			r.problem(Foreign, v.Span, "text transformation %s is not modelled", kind)
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

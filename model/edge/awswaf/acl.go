// Package awswaf is the rate-based rules of AWS WAF: the smaller second of the edges that are modelled. It reads a web
// ACL as aws wafv2 get-web-acl prints it. A rule that it does not understand, or that depends on what no request holds,
// is unknown, with the reason, and the others run.
//
// Sources: docs.aws.amazon.com/waf/latest/developerguide/, the pages on rate-based rule statements, their high-level
// settings, aggregation options and caveats.
package awswaf

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/edge"
	"github.com/ngxlimit/ngxlimit/model/edge/document"
	"github.com/ngxlimit/ngxlimit/model/edge/lang"
)

// An ACL is a web ACL.
type ACL struct {
	Name     string
	Rules    []*Rule // in the order of their priority
	Problems []Problem
}

// A Rule is one rule of an ACL.
type Rule struct {
	Name    string
	Action  string // Allow, Block, Count, Captcha, Challenge
	Status  int    // of the answer where it blocks
	Unknown string // why it cannot be run; "" where it can
	Span    source.Span

	priority int64
	when     test  // of another rule than a rate-based one; of that what it is narrowed to, nil for everything
	rate     *rate // nil for another rule
	reads    edge.Reads
}

// rate is what a rate-based rule counts.
type rate struct {
	limit  int64
	window clock.Msec
	keys   []key // none for one counter for all
}

// A Problem is what is wrong with a rule, at its place.
type Problem struct {
	Span source.Span
	Rule string
	Text string
}

// Looks says whether a JSON value is a web ACL.
func Looks(v *document.Value) bool {
	return v.Get("WebACL") != nil || v.Get("Rules") != nil && v.Get("DefaultAction") != nil
}

// Read reads a web ACL. Lists are the content of IP sets, by name.
func Read(v *document.Value, lists map[string]*lang.List) (*ACL, error) {
	if inner := v.Get("WebACL"); inner != nil {
		v = inner
	}
	rules := v.Get("Rules")
	if rules == nil || rules.Kind != document.List {
		return nil, &document.Error{Span: v.Span, Text: "the web ACL has no Rules"}
	}
	r := &reader{acl: &ACL{Name: textOf(v.Get("Name"))}, lists: lists}
	for i, item := range rules.Items {
		r.acl.Rules = append(r.acl.Rules, r.ruleOf(item, i))
	}
	slices.SortStableFunc(r.acl.Rules, func(a, b *Rule) int { return cmp.Compare(a.priority, b.priority) })
	if !slices.ContainsFunc(r.acl.Rules, func(u *Rule) bool { return u.rate != nil || u.Unknown != "" }) {
		return nil, &document.Error{Span: rules.Span, Text: "the web ACL has no rate-based rule"}
	}
	return r.acl, nil
}

type reader struct {
	acl   *ACL
	lists map[string]*lang.List
	rule  *Rule
}

func (r *reader) problem(at source.Span, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	r.acl.Problems = append(r.acl.Problems, Problem{at, r.rule.Name, text})
	if r.rule.Unknown == "" {
		r.rule.Unknown = text
	}
}

func (r *reader) ruleOf(v *document.Value, i int) *Rule {
	u := &Rule{Name: textOf(v.Get("Name")), Span: v.Span, Status: 403, priority: int64(i)}
	if u.Name == "" {
		u.Name = "rule " + strconv.Itoa(i+1)
	}
	r.rule = u
	if v.Get("Priority") != nil {
		u.priority = priority(v)
	}
	r.action(v.Get("Action"))
	s := v.Get("Statement")
	if s == nil || s.Kind != document.Object {
		r.problem(v.Span, "the rule has no Statement")
		return u
	}
	if b := s.Get("RateBasedStatement"); b != nil {
		r.rateOf(b)
		return u
	}
	if v.Get("OverrideAction") != nil {
		r.problem(s.Span, "a rule group is not modelled")
		return u
	}
	u.when = r.statement(s, 0)
	return u
}

// action reads what a rule does.
func (r *reader) action(v *document.Value) {
	for _, name := range []string{"Allow", "Block", "Count", "Captcha", "Challenge"} {
		a := v.Get(name)
		if a == nil {
			continue
		}
		r.rule.Action = name
		if code := a.Get("CustomResponse", "ResponseCode"); code != nil {
			if n, err := strconv.Atoi(code.Text); err == nil {
				r.rule.Status = n
			}
		}
	}
}

func (r *reader) rateOf(v *document.Value) {
	t := &rate{window: 300_000}
	r.rule.rate = t
	limit, err := strconv.ParseInt(v.Get("Limit").TextOr(""), 10, 64)
	if err != nil || limit < 1 {
		r.problem(v.Span, "the rate-based rule has no Limit")
	}
	t.limit = limit
	if w := v.Get("EvaluationWindowSec"); w.Known() {
		n, err := strconv.ParseInt(w.Text, 10, 64)
		if err != nil || !slices.Contains([]int64{60, 120, 300, 600}, n) {
			r.problem(w.Span, "EvaluationWindowSec is 60, 120, 300 or 600, and not %s", w.Text)
			n = 300
		}
		t.window = clock.Msec(n * 1000)
	}
	if r.rule.Action == "" || r.rule.Action == "Allow" {
		r.problem(v.Span, "a rate-based rule has an action, which is not Allow")
	}
	if s := v.Get("ScopeDownStatement"); s.Known() {
		r.rule.when = r.statement(s, 0)
	}
	switch kind := textOf(v.Get("AggregateKeyType")); kind {
	case "IP":
		t.keys = []key{clientKey}
	case "FORWARDED_IP":
		t.keys = []key{r.forwardedKey(v)}
	case "CONSTANT":
		if r.rule.when == nil {
			r.problem(v.Span, "AggregateKeyType CONSTANT needs a ScopeDownStatement")
		}
	case "CUSTOM_KEYS":
		r.customKeys(v)
	default:
		r.problem(v.Span, "unknown AggregateKeyType %q", kind)
	}
}

func textOf(v *document.Value) string {
	if v == nil || v.Kind != document.String {
		return ""
	}
	return v.Text
}

// A key adds what a request is counted by; ok is false where the request has nothing of the kind, and is not counted.
type key func(req *edge.Request, to []byte) (out []byte, ok bool)

func clientKey(req *edge.Request, to []byte) ([]byte, bool) {
	a := req.Client.As16()
	return append(to, a[:]...), true
}

// forwardedKey counts by the first address of a header, which is what the client's own proxy, or the client, wrote.
func (r *reader) forwardedKey(v *document.Value) key {
	header := textOf(v.Get("ForwardedIPConfig", "HeaderName"))
	r.rule.reads.AddHeader(header)
	return func(req *edge.Request, to []byte) ([]byte, bool) {
		a, ok := forwarded(req, header)
		b := a.As16()
		return append(to, b[:]...), ok
	}
}

func (r *reader) customKeys(v *document.Value) {
	keys := v.Get("CustomKeys")
	if keys == nil || len(keys.Items) == 0 || len(keys.Items) > 5 {
		r.problem(v.Span, "CUSTOM_KEYS wants one to five CustomKeys")
		return
	}
	for _, item := range keys.Items {
		if item.Kind != document.Object || len(item.Fields) != 1 {
			r.problem(item.Span, "a custom key is one component")
			return
		}
		f := item.Fields[0]
		switch f.Name {
		case "IP":
			r.rule.rate.keys = append(r.rule.rate.keys, clientKey)
		case "ForwardedIP":
			r.rule.rate.keys = append(r.rule.rate.keys, r.forwardedKey(v))
		default:
			get := r.component(f)
			if get == nil {
				r.problem(f.Span, "custom key %s cannot be known from requests", f.Name)
				return
			}
			change := r.transformations(f.Value.Get("TextTransformations"))
			r.rule.rate.keys = append(r.rule.rate.keys, func(req *edge.Request, to []byte) ([]byte, bool) {
				s, ok := get(req)
				s = change(s)
				return append(append(to, byte(len(s)>>16), byte(len(s)>>8), byte(len(s))), s...), ok
			})
		}
	}
}

package awswaf

import (
	"slices"
	"strconv"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/edge"
	"github.com/ngxlimit/ngxlimit/model/edge/document"
)

// Windows are the evaluation windows that AWS has, in seconds.
var Windows = []int64{60, 120, 300, 600}

// The limits that AWS takes, in requests of a window.
const (
	LeastLimit = 10
	MostLimit  = 2_000_000_000
)

// rateOf reads a rate-based statement.
func (r *reader) rateOf(v *document.Value) {
	t := &Rate{WindowS: 300, LimitAt: head(v.Span), WindowAt: head(v.Span), KindAt: head(v.Span)}
	r.rule.Rate = t
	if limit := v.Get("Limit"); limit == nil {
		r.problem(Wrong, v.Span, "the rate-based rule has no Limit")
	} else {
		n, err := strconv.ParseInt(limit.TextOr(""), 10, 64)
		if t.Limit, t.LimitAt = n, limit.Span; err != nil || n < 1 {
			t.Limit = 0
			r.problem(Wrong, limit.Span, "Limit is a whole number from %d on, and not %s", LeastLimit, limit.TextOr(limit.Kind.String()))
		}
	}
	if w := v.Get("EvaluationWindowSec"); w.Known() {
		n, err := strconv.ParseInt(w.TextOr(""), 10, 64)
		if t.WindowAt = w.Span; err != nil || !slices.Contains(Windows, n) {
			r.problem(Wrong, w.Span, "EvaluationWindowSec is 60, 120, 300 or 600, and not %s", w.TextOr(w.Kind.String()))
			n = 300
		}
		t.WindowS = n
	}
	t.window = clock.Msec(t.WindowS * 1000)
	switch a := r.rule.Action; a.Kind {
	case "":
		r.problem(Wrong, v.Span, "the rate-based rule has no action")
	case "Allow":
		r.problem(Wrong, a.Span, "the action of a rate-based rule is not Allow: AWS refuses that")
	}
	if s := v.Get("ScopeDownStatement"); s.Known() {
		r.rule.When = r.statement(s, 0)
	}
	r.keysOf(v, t)
}

// keysOf reads what tells counters apart.
func (r *reader) keysOf(v *document.Value, t *Rate) {
	kind := v.Get("AggregateKeyType")
	if kind != nil {
		t.KindAt = kind.Span
	}
	switch t.Kind = textOf(kind); t.Kind {
	case "IP":
		t.Keys, t.keys = []Key{{Kind: "IP", Span: t.KindAt}}, []key{clientKey}
	case "FORWARDED_IP":
		t.Keys, t.keys = []Key{{Kind: "ForwardedIP", Span: t.KindAt}}, []key{r.forwardedKey(v)}
	case "CONSTANT":
		if r.rule.When == nil {
			r.problem(Wrong, t.KindAt, "AggregateKeyType CONSTANT needs a ScopeDownStatement")
		}
	case "CUSTOM_KEYS":
		r.customKeys(v)
	case "":
		r.problem(Wrong, t.KindAt, "the rate-based rule has no AggregateKeyType: want IP, FORWARDED_IP, CONSTANT or CUSTOM_KEYS")
	default:
		r.problem(Foreign, t.KindAt, "unknown AggregateKeyType %q: want IP, FORWARDED_IP, CONSTANT or CUSTOM_KEYS", t.Kind)
	}
}

// A key adds what a request is counted by; ok is false where the request has nothing of the kind, and is not counted.
type key func(req *edge.Request, to []byte) (out []byte, ok bool)

func clientKey(req *edge.Request, to []byte) ([]byte, bool) {
	a := req.Client.As16()
	return append(to, a[:]...), true
}

// forwardedKey counts by the first address of a header, which is what the client's own proxy, or the client, wrote. What
// is no address counts together or not at all, as the fallback says; where the header is missing nothing counts.
func (r *reader) forwardedKey(v *document.Value) key {
	header, t := textOf(v.Get("ForwardedIPConfig", "HeaderName")), r.rule.Rate
	t.Header, t.Fallback = header, textOf(v.Get("ForwardedIPConfig", "FallbackBehavior"))
	if header == "" {
		r.problem(Wrong, t.KindAt, "a forwarded address needs ForwardedIPConfig with a HeaderName")
	}
	if at := v.Get("ForwardedIPConfig", "FallbackBehavior"); header != "" && t.Fallback != "MATCH" && t.Fallback != "NO_MATCH" {
		s := t.KindAt
		if at != nil {
			s = at.Span
		}
		r.problem(Wrong, s, "FallbackBehavior is MATCH or NO_MATCH, and not %q", t.Fallback)
	}
	r.rule.reads.AddHeader(header)
	together := t.Fallback == "MATCH"
	return func(req *edge.Request, to []byte) ([]byte, bool) {
		if _, sent := req.Header(header); !sent {
			return to, false
		}
		a, ok := forwarded(req, header)
		b := a.As16() // of none: all zero, which is nobody's address
		return append(to, b[:]...), ok || together
	}
}

func (r *reader) customKeys(v *document.Value) {
	t, keys := r.rule.Rate, v.Get("CustomKeys")
	if keys == nil || len(keys.Items) == 0 || len(keys.Items) > 5 {
		at := t.KindAt
		if keys != nil {
			at = keys.Span
		}
		r.problem(Wrong, at, "CUSTOM_KEYS wants one to five CustomKeys")
		return
	}
	for _, item := range keys.Items {
		if item.Kind != document.Object || len(item.Fields) != 1 {
			r.problem(Wrong, item.Span, "a custom key is one component")
			return
		}
		f := item.Fields[0]
		at := source.Span{File: f.Span.File, Start: f.Span.Start, End: f.Span.End}
		t.Keys = append(t.Keys, Key{Kind: f.Name, Name: textOf(f.Value.Get("Name")), Span: at})
		switch f.Name {
		case "IP":
			t.keys = append(t.keys, clientKey)
		case "ForwardedIP":
			t.keys = append(t.keys, r.forwardedKey(v))
		default:
			get := r.component(f)
			if get == nil {
				r.problem(Foreign, f.Span, "custom key %s cannot be known from requests", f.Name)
				return
			}
			change := r.transformations(f.Value.Get("TextTransformations"))
			t.keys = append(t.keys, func(req *edge.Request, to []byte) ([]byte, bool) {
				s, ok := get(req)
				s = change(s)
				return append(append(to, byte(len(s)>>16), byte(len(s)>>8), byte(len(s))), s...), ok
			})
		}
	}
	if only := t.Keys[0]; len(t.Keys) == 1 && (only.Kind == "IP" || only.Kind == "ForwardedIP") {
		r.problem(Wrong, only.Span, "%s cannot be the only custom key: AggregateKeyType %s counts by it alone", only.Kind, map[string]string{"IP": "IP", "ForwardedIP": "FORWARDED_IP"}[only.Kind])
	}
}

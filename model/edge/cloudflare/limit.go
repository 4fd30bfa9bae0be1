package cloudflare

import (
	"github.com/ngxlimit/ngxlimit/model/edge"
	"github.com/ngxlimit/ngxlimit/model/edge/document"
	"github.com/ngxlimit/ngxlimit/model/edge/lang"
)

// limit takes the ratelimit of a rule.
func (r *reader) limit(u *Rule, v *document.Value) {
	if v.Kind != document.Object {
		if v.Kind == document.Unknown {
			u.problem(Foreign, v.Span, "ratelimit is not known: "+v.Why)
			return
		}
		u.problem(Wrong, v.Span, "ratelimit is an object, and this is "+v.Kind.String())
		return
	}
	l := &Limit{doc: v}
	u.Limit = l
	u.knownFields(v, limitFields, "ratelimit")
	r.keys(u, v.Get("characteristics"))
	for _, f := range []struct {
		name string
		to   *int64
	}{
		{"period", &l.PeriodS}, {"requests_per_period", &l.Requests}, {"score_per_period", &l.Score}, {"mitigation_timeout", &l.TimeoutS},
	} {
		if n := v.Get(f.name); n != nil && n.Kind != document.Null {
			*f.to, _ = u.number(n, f.name)
		}
	}
	l.HasTimeout = v.Get("mitigation_timeout").Known()
	l.ScoreHeader = edge.Lower(textOf(v.Get("score_response_header_name")))
	if o := v.Get("requests_to_origin"); o.Known() {
		if l.ToOrigin = o.Bool; o.Kind != document.Bool {
			u.problem(Wrong, o.Span, "requests_to_origin is true or false, and this is "+o.Kind.String())
		}
	} else if o != nil && o.Kind == document.Unknown {
		u.problem(Foreign, o.Span, "requests_to_origin is not known: "+o.Why)
	}
	l.Counting = r.condition(u, v, "counting_expression")
	u.sound(l)
}

// sound says what makes it impossible to count.
func (u *Rule) sound(l *Limit) {
	if u.Unknown != "" {
		return
	}
	switch period := l.doc.Get("period"); {
	case period == nil:
		u.problem(Wrong, l.At("period"), "ratelimit has no period")
	case l.PeriodS < 1:
		u.problem(Wrong, period.Span, "the period is 0")
	case l.PeriodS > 1<<30:
		u.problem(Wrong, period.Span, "the period is longer than a lifetime")
	case l.Requests == 0 && l.Score == 0:
		u.problem(Wrong, l.At("requests_per_period"), "ratelimit has neither requests_per_period nor score_per_period")
	case l.Requests > 0 && l.Score > 0:
		u.problem(Wrong, l.At("score_per_period"), "requests_per_period and score_per_period stand together: a rule counts one or the other")
	case l.Score > 0 && l.ScoreHeader == "":
		u.problem(Wrong, l.At("score_per_period"), "score_per_period without score_response_header_name")
	}
}

func (r *reader) keys(u *Rule, v *document.Value) {
	switch {
	case v == nil:
		u.problem(Wrong, u.Limit.At("characteristics"), "ratelimit has no characteristics")
		return
	case v.Kind == document.Unknown:
		u.problem(Foreign, v.Span, "the characteristics are not known: "+v.Why)
		return
	case v.Kind != document.List:
		u.problem(Wrong, v.Span, "characteristics are a list, and this is "+v.Kind.String())
		return
	}
	for _, item := range v.Items {
		if item.Kind != document.String {
			text := "a characteristic is a text, and this is " + item.Kind.String()
			if item.Kind == document.Unknown {
				text = "a characteristic is not known: " + item.Why
			}
			u.problem(Foreign, item.Span, text)
			continue
		}
		key, err := lang.ParseKey(item.Text, r.env)
		if err != nil {
			u.problem(Foreign, placeOf(item, err), "characteristic: "+err.Error())
			continue
		}
		if key.String() == "cf.colo.id" {
			u.Limit.Colo = true
		}
		u.Limit.Keys = append(u.Limit.Keys, Characteristic{key, item})
	}
}

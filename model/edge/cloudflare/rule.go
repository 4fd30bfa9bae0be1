package cloudflare

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/analyzer/spelling"
	"github.com/ngxlimit/ngxlimit/model/edge/document"
	"github.com/ngxlimit/ngxlimit/model/edge/lang"
)

// What the documentation lists.
var (
	ruleFields = []string{
		"id", "ref", "version", "last_updated", "description", "expression", "action", "enabled", "action_parameters", "ratelimit", "logging",
		"categories", "position", "exposed_credential_check", "score_threshold",
	}
	limitFields = []string{
		"characteristics", "period", "requests_per_period", "score_per_period", "score_response_header_name", "mitigation_timeout",
		"counting_expression", "requests_to_origin",
	}
	limitActions  = []string{"block", "challenge", "js_challenge", "managed_challenge", "log"}
	customActions = []string{"block", "challenge", "js_challenge", "managed_challenge", "log", "skip"}
)

// rule takes one rule.
func (r *reader) rule(s *Ruleset, v *document.Value, number int) *Rule {
	u := &Rule{Number: number, Enabled: true, Ruleset: s, Span: head(v.Span), doc: v, Status: 429}
	u.Name = "rule " + strconv.Itoa(number)
	if v.Kind != document.Object {
		why := v.Why
		if v.Kind != document.Unknown {
			why = "a rule is an object, and this is " + v.Kind.String()
		}
		u.problem(Wrong, v.Span, why)
		return u
	}
	u.ID, u.Ref, u.Description = textOf(v.Get("id")), textOf(v.Get("ref")), textOf(v.Get("description"))
	u.Name = nameOf(u)
	if e := v.Get("expression"); e != nil {
		u.Span = e.Span
	}
	u.knownFields(v, ruleFields, "a rule")
	if e := v.Get("enabled"); e.Known() {
		if e.Kind == document.Bool {
			u.Enabled = e.Bool
		} else {
			u.problem(Wrong, e.Span, "enabled is true or false, and this is "+e.Kind.String())
		}
	} else if e != nil && e.Kind == document.Unknown {
		u.problem(Foreign, e.Span, "whether the rule is enabled is not known: "+e.Why)
	}
	u.Expression = r.condition(u, v, "expression")
	if v.Get("expression") == nil {
		u.problem(Wrong, u.Span, "the rule has no expression")
	}
	u.action(v)
	u.parameters(one(v.Get("action_parameters")))
	limit := one(v.Get("ratelimit"))
	switch {
	case limit != nil && limit.Kind != document.Null:
		r.limit(u, limit)
	case s.Phase == RateLimit && slices.Contains(limitActions, u.Action):
		u.problem(Wrong, u.Span, "the rule has no ratelimit")
	}
	return u
}

// one is a block of Terraform, which comes as a list of one; or the object itself.
func one(v *document.Value) *document.Value {
	if v != nil && v.Kind == document.List && len(v.Items) == 1 {
		return v.Items[0]
	}
	return v
}

// nameOf is by what people know a rule: the ref that somebody gave it, else its description. Cloudflare makes the ref
// the same as the id where nobody gives one.
func nameOf(u *Rule) string {
	switch {
	case u.Ref != "" && u.Ref != u.ID && !machineMade(u.Ref):
		return u.Ref
	case u.Description != "":
		return u.Description
	case u.Ref != "":
		return u.Ref
	case u.ID != "":
		return u.ID
	}
	return u.Name
}

// machineMade says whether a name is 32 hexadecimal digits.
func machineMade(s string) bool {
	return len(s) == 32 && strings.Trim(s, "0123456789abcdef") == ""
}

func (u *Rule) knownFields(v *document.Value, known []string, what string) {
	for _, f := range v.Fields {
		if slices.Contains(known, f.Name) {
			continue
		}
		text := fmt.Sprintf("unknown field %q of %s", f.Name, what)
		if near := spelling.Nearest(f.Name, known); near != "" {
			text += fmt.Sprintf(": did you mean %q?", near)
		}
		u.problem(Foreign, f.Span, text)
	}
}

// condition reads an expression of the rule; nil where there is none, or where it cannot be read.
func (r *reader) condition(u *Rule, v *document.Value, name string) *Condition {
	e := v.Get(name)
	switch {
	case e == nil || e.Kind == document.Null:
		return nil
	case e.Kind == document.Unknown:
		u.problem(Foreign, e.Span, fmt.Sprintf("the %s is not known: %s", words(name), e.Why))
		return nil
	case e.Kind != document.String:
		u.problem(Wrong, e.Span, fmt.Sprintf("the %s is a text, and this is %s", words(name), e.Kind))
		return nil
	case e.Text == "" && name == "counting_expression":
		return nil
	}
	expr, err := lang.Parse(e.Text, r.env)
	if err != nil {
		u.problem(Foreign, placeOf(e, err), words(name)+": "+err.Error())
		return nil
	}
	for i := range expr.Uses {
		if w := &expr.Uses[i]; w.Name[0] == '$' && !strings.HasPrefix(w.Name, "$cf.") && r.env.Lists[w.Name[1:]] == nil {
			u.problem(Aside, e.Place(w.Start, w.End), fmt.Sprintf("the list %s was not given: --list %s=FILE", w.Name, w.Name[1:]))
		}
	}
	return &Condition{expr, e}
}

func words(name string) string { return strings.ReplaceAll(name, "_", " ") }

func placeOf(v *document.Value, err error) source.Span {
	if at, ok := errors.AsType[*lang.Error](err); ok {
		return v.Place(at.Start, max(at.End, at.Start+1))
	}
	return v.Span
}

func (u *Rule) action(v *document.Value) {
	a := v.Get("action")
	switch {
	case a == nil:
		u.problem(Wrong, u.Span, "the rule has no action")
		return
	case a.Kind == document.Unknown:
		u.problem(Foreign, a.Span, "the action is not known: "+a.Why)
		return
	case a.Kind != document.String:
		u.problem(Wrong, a.Span, "the action is a text, and this is "+a.Kind.String())
		return
	}
	u.Action = a.Text
	allowed := limitActions
	if u.Ruleset.Phase == Custom {
		allowed = customActions
		u.Status = 403
	}
	switch u.Action {
	case "execute":
		u.Deploys = textOf(one(v.Get("action_parameters")).Get("id"))
		if id := one(v.Get("action_parameters")).Get("id"); id != nil && id.Kind == document.Unknown {
			u.Deploys = strings.TrimSuffix(id.Span.Text(), ".id")
		}
		return
	case "skip":
		u.skips(one(v.Get("action_parameters")))
		return
	}
	if slices.Contains(allowed, u.Action) {
		return
	}
	text := fmt.Sprintf("unknown action %q", u.Action)
	if near := spelling.Nearest(u.Action, allowed); near != "" {
		text += fmt.Sprintf(": did you mean %q?", near)
	} else {
		text += ": want " + strings.Join(allowed, ", ")
	}
	u.problem(Foreign, a.Span, text)
}

func (u *Rule) skips(p *document.Value) {
	u.Skip = &Skip{Rest: textOf(p.Get("ruleset")) == "current"}
	if phases := p.Get("phases"); phases != nil {
		if phases.Kind == document.Unknown {
			u.problem(Foreign, phases.Span, "which phases are skipped is not known: "+phases.Why)
		}
		for _, item := range phases.Items {
			u.Skip.RateLimit = u.Skip.RateLimit || textOf(item) == RateLimit
		}
	}
	if u.Ruleset.Phase == RateLimit && !u.Skip.Rest {
		u.problem(Aside, u.Span, "the rule skips nothing of this phase")
	}
}

// parameters reads the answer that a rule blocks with.
func (u *Rule) parameters(p *document.Value) {
	resp := one(p.Get("response"))
	if resp == nil || resp.Kind != document.Object {
		return
	}
	status := resp.Get("status_code")
	if status == nil || status.Kind == document.Null {
		return
	}
	if n, ok := u.number(status, "status_code"); ok {
		u.Status = int(min(max(n, 0), 999))
	}
}

// number reads a whole number. Terraform turns a text into a number where it has to.
func (u *Rule) number(v *document.Value, name string) (int64, bool) {
	switch v.Kind {
	case document.Unknown:
		u.problem(Foreign, v.Span, name+" is not known: "+v.Why)
		return 0, false
	case document.Null, document.Bool, document.List, document.Object:
	case document.Number, document.String:
		n, err := strconv.ParseInt(v.Text, 10, 64)
		if err == nil && n >= 0 && n <= 1<<40 {
			return n, true
		}
		u.problem(Wrong, v.Span, fmt.Sprintf("%s is a whole number from 0 on, and not %s", name, v.Text))
		return 0, false
	}
	u.problem(Wrong, v.Span, fmt.Sprintf("%s is a number, and this is %s", name, v.Kind))
	return 0, false
}

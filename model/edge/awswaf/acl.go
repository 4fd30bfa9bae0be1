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
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/edge"
	"github.com/ngxlimit/ngxlimit/model/edge/document"
	"github.com/ngxlimit/ngxlimit/model/edge/lang"
)

// An ACL is a web ACL.
type ACL struct {
	Name     string
	Default  Action  // of what no rule lets pass or stops; Kind "" where the file does not say it
	Rules    []*Rule // in the order of their priority
	Problems []Problem
	Span     source.Span // where the file names it
}

// An Action is what is done with a request, with its place.
type Action struct {
	Kind   string // Allow, Block, Count, Captcha, Challenge
	Status int    // of the answer where it blocks
	Span   source.Span
	At     source.Span // of the status; of the action where none is given
}

// A Rule is one rule of an ACL.
type Rule struct {
	Name     string
	Action   Action
	Override Action // of a rule group, which has actions of its own
	Priority int64
	At       source.Span // of the priority
	Labels   []string    // that it gives to requests
	When     *Condition  // of another rule than a rate-based one; of that what it is narrowed to, nil for everything
	Rate     *Rate       // nil for another rule
	Unknown  string      // why it cannot be run; "" where it can
	Span     source.Span

	reads edge.Reads
}

// A Rate is what a rate-based rule counts.
type Rate struct {
	Limit    int64
	LimitAt  source.Span
	WindowS  int64 // seconds
	WindowAt source.Span
	Kind     string // IP, FORWARDED_IP, CONSTANT, CUSTOM_KEYS
	KindAt   source.Span
	Keys     []Key  // none for one counter for all
	Header   string // from which a forwarded address is taken; "" where none is
	Fallback string // MATCH or NO_MATCH: what is done with a header that holds no address

	window clock.Msec
	keys   []key
}

// A Key is one of the components that tell counters apart.
type Key struct {
	Kind string // as AWS calls it: IP, ForwardedIP, Header, ...
	Name string // of a header, a cookie, an argument
	Span source.Span
}

// String names the component for people.
func (k Key) String() string {
	if k.Name == "" {
		return k.Kind
	}
	return k.Kind + " " + k.Name
}

// A Problem is what is wrong with a rule, at its place.
type Problem struct {
	Span source.Span
	Rule string
	Text string
	Kind ProblemKind
}

// A ProblemKind says how bad a problem is.
type ProblemKind uint8

// The kinds of problems.
const (
	Wrong   ProblemKind = iota // AWS refuses it
	Foreign                    // it is not known here
	Aside                      // it is right, and left aside
)

// Looks says whether a JSON value is a web ACL, or rules of one.
func Looks(v *document.Value) bool {
	if v.Kind == document.List && len(v.Items) > 0 {
		return v.Items[0].Get("Statement") != nil
	}
	return v.Get("WebACL") != nil || v.Get("Rules") != nil && v.Get("DefaultAction") != nil || v.Get("Statement") != nil
}

// mostRules bounds the rules that are read: AWS takes far fewer.
const mostRules = 5000

// Read reads a web ACL, as get-web-acl prints it or without the envelope; or a list of its rules, or one of them, as the
// console's editor shows it. Lists are the content of IP sets, by name.
func Read(v *document.Value, lists map[string]*lang.List) (*ACL, error) {
	if inner := v.Get("WebACL"); inner != nil {
		v = inner
	}
	rules := v.Get("Rules")
	switch {
	case v.Kind == document.List:
		rules = v
	case v.Get("Statement") != nil:
		rules = &document.Value{Kind: document.List, Items: []*document.Value{v}, Span: v.Span}
	}
	if rules == nil || rules.Kind != document.List {
		return nil, &document.Error{Span: v.Span, Text: "the web ACL has no Rules"}
	}
	r := &reader{acl: &ACL{Name: textOf(v.Get("Name")), Span: rules.Span}, lists: lists, rule: &Rule{}}
	r.acl.Default = r.action(v.Get("DefaultAction"))
	if at := v.Get("Name"); at != nil {
		r.acl.Span = at.Span
	}
	for i, item := range rules.Items {
		if i == mostRules {
			r.rule = &Rule{Name: "rule " + strconv.Itoa(i+1)}
			r.problem(Foreign, item.Span, "more than %d rules: the others are left out", mostRules)
			break
		}
		r.acl.Rules = append(r.acl.Rules, r.ruleOf(item, i))
	}
	slices.SortStableFunc(r.acl.Rules, func(a, b *Rule) int { return cmp.Compare(a.Priority, b.Priority) })
	if !slices.ContainsFunc(r.acl.Rules, func(u *Rule) bool { return u.Rate != nil || u.Unknown != "" }) {
		return nil, &document.Error{Span: rules.Span, Text: "the web ACL has no rate-based rule"}
	}
	return r.acl, nil
}

type reader struct {
	acl   *ACL
	lists map[string]*lang.List
	rule  *Rule
}

func (r *reader) problem(kind ProblemKind, at source.Span, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	r.acl.Problems = append(r.acl.Problems, Problem{head(at), r.rule.Name, text, kind})
	if r.rule.Unknown == "" {
		r.rule.Unknown = text
	}
}

// aside notes what is right and not looked into: the rule runs all the same.
func (r *reader) aside(at source.Span, text string) {
	r.acl.Problems = append(r.acl.Problems, Problem{head(at), r.rule.Name, text, Aside})
}

// head is the first byte of something long: what a message about the whole of it underlines.
func head(s source.Span) source.Span {
	if s.End-s.Start > 200 || strings.Contains(s.Text(), "\n") {
		s.End = s.Start + 1
	}
	return s
}

func (r *reader) ruleOf(v *document.Value, i int) *Rule {
	u := &Rule{Name: textOf(v.Get("Name")), Span: head(v.Span), Priority: int64(i), At: head(v.Span)}
	if at := v.Get("Name"); at != nil {
		u.Span = at.Span
	}
	if u.Name == "" {
		u.Name = "rule " + strconv.Itoa(i+1)
	}
	r.rule = u
	switch name, at := unknownIn(v); {
	case v.Kind == document.Unknown:
		r.problem(Foreign, v.Span, "the rule is not known: %s", v.Why)
		return u
	case v.Kind != document.Object:
		r.problem(Wrong, v.Span, "a rule is an object, and this is %s", v.Kind)
		return u
	case at != nil:
		r.problem(Foreign, at.Span, "%s is not known: %s", name, at.Why)
		return u
	}
	if p := v.Get("Priority"); p != nil {
		n, err := strconv.ParseInt(p.TextOr(""), 10, 32)
		if err != nil || n < 0 {
			r.problem(Wrong, p.Span, "Priority is a whole number from 0 on, and not %s", p.TextOr(p.Kind.String()))
		}
		u.Priority, u.At = n, p.Span
	}
	u.Action, u.Override = r.action(v.Get("Action")), r.action(v.Get("OverrideAction"))
	if labels := v.Get("RuleLabels"); labels != nil {
		for _, item := range labels.Items {
			u.Labels = append(u.Labels, textOf(item.Get("Name")))
		}
	}
	s := v.Get("Statement")
	switch {
	case s == nil || s.Kind != document.Object:
		r.problem(Wrong, v.Span, "the rule has no Statement")
	case s.Get("RateBasedStatement") != nil:
		r.rateOf(s.Get("RateBasedStatement"))
	case v.Get("OverrideAction") != nil:
		r.problem(Aside, s.Span, "a rule group is not modelled: what it lets pass or stops is not known")
	default:
		u.When = r.statement(s, 0)
		if u.Action.Kind == "" {
			r.problem(Wrong, v.Span, "the rule has no Action: want Allow, Block, Count, Captcha or Challenge")
		}
	}
	return u
}

// blocked is the status that AWS blocks with where the rule says none.
const blocked = 403

// action reads what is done with a request; Kind is "" for none.
func (r *reader) action(v *document.Value) Action {
	if v == nil {
		return Action{}
	}
	for _, kind := range []string{"Allow", "Block", "Count", "Captcha", "Challenge", "None"} {
		of := v.Get(kind)
		if of == nil {
			continue
		}
		a := Action{Kind: kind, Status: blocked, Span: head(v.Span), At: head(v.Span)}
		if code := of.Get("CustomResponse", "ResponseCode"); code != nil {
			n, err := strconv.Atoi(code.TextOr(""))
			if a.At = code.Span; err != nil {
				r.problem(Wrong, code.Span, "ResponseCode is a whole number, and not %s", code.TextOr(code.Kind.String()))
			}
			a.Status = n
		}
		return a
	}
	if len(v.Fields) > 0 {
		r.problem(Foreign, v.Fields[0].Span, "unknown action %q", v.Fields[0].Name)
	}
	return Action{}
}

func textOf(v *document.Value) string {
	if v == nil || v.Kind != document.String {
		return ""
	}
	return v.Text
}

// Package cloudflare is Cloudflare's rate limiting rules: what a rule says, and what it does to requests. It reads them
// from the answers of Cloudflare's API and from Terraform, and counts as the documentation describes it.
//
// It refuses to guess: a rule that it does not understand, or that depends on what no request holds, is unknown, with
// the reason, and the others run. What the documentation leaves open is said (Layer.Report).
//
// Sources: developers.cloudflare.com/waf/rate-limiting-rules/ and /ruleset-engine/, and the article on counting at
// blog.cloudflare.com/counting-things-a-lot-of-different-things/ (2017).
package cloudflare

import (
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/model/edge/document"
	"github.com/ngxlimit/ngxlimit/model/edge/lang"
)

// The phases that matter here: rate limiting, and the custom rules that run before it and may skip it.
const (
	RateLimit = "http_ratelimit"
	Custom    = "http_request_firewall_custom"
)

// A Ruleset is a list of rules of one phase.
type Ruleset struct {
	ID, Name   string
	Reference  string // the address by which other Terraform blocks name it: "cloudflare_ruleset.limits"
	Phase      string
	Kind       string // "zone", "root" for an account's entry point, "custom" for one that such a one deploys
	Zone       string // what tells zones apart: an id, or the words that stand for one; "" where nothing says it
	Domain     string // of the zone; "" where nothing says it
	Rules      []*Rule
	Span       source.Span
	PhaseSpan  source.Span
	NotModeled string // why it is left aside; "" where it is not
}

// A Rule is one rule of a ruleset.
type Rule struct {
	Name        string // ref, or else the description, the id, or its number
	Description string
	ID, Ref     string
	Number      int // in its ruleset, from 1
	Enabled     bool
	Action      string
	Expression  *Condition
	Limit       *Limit // nil for a rule that does not count
	Skip        *Skip  // of a rule that skips others
	Deploys     string // the id or address of the ruleset that it executes
	Status      int    // of the answer where it blocks
	Unknown     string // why the rule cannot be run; "" where it can
	Problems    []Problem
	Span        source.Span // of its first line
	Ruleset     *Ruleset

	doc *document.Value
}

// A Condition is an expression with its place.
type Condition struct {
	*lang.Expr
	Value *document.Value
}

// Place is where a name of the expression stands in the file.
func (c *Condition) Place(u *lang.Use) source.Span { return c.Value.Place(u.Start, u.End) }

// A Limit is what a rule counts, and how much of it passes.
type Limit struct {
	Keys        []Characteristic
	Colo        bool   // cf.colo.id is among the characteristics
	PeriodS     int64  // seconds
	Requests    int64  // that pass in a period; 0 where it counts by score
	Score       int64  // likewise
	ScoreHeader string // of the answer, in small letters
	TimeoutS    int64  // for which the action goes on; 0 is throttling
	HasTimeout  bool   // it was written
	Counting    *Condition
	ToOrigin    bool // only what goes to the origin counts

	doc *document.Value
}

// A Characteristic is one of the values that tell counters apart.
type Characteristic struct {
	*lang.Key
	Value *document.Value
}

// Most is the number that passes in a period, in requests or in score.
func (l *Limit) Most() int64 { return max(l.Requests, l.Score) }

// AfterAnswer says whether a request counts when its answer is there, and not when it comes.
func (l *Limit) AfterAnswer() bool {
	return l.ToOrigin || l.Score > 0 || l.ReadsAnswer()
}

// ReadsAnswer says whether counting looks at the answer.
func (l *Limit) ReadsAnswer() bool {
	return l.Counting != nil && uses(l.Counting.Expr, func(u *lang.Use) bool { return u.Response })
}

// At is where a field of the limit stands, or else the limit itself.
func (l *Limit) At(name string) source.Span { return at(l.doc, name) }

// At is where a field of the rule stands, by the names that lead to it; else the rule.
func (r *Rule) At(names ...string) source.Span {
	if v := r.doc.Get(names...); v != nil && v.Span.End > v.Span.Start {
		return v.Span
	}
	return r.Span
}

func at(doc *document.Value, name string) source.Span {
	if v := doc.Get(name); v != nil {
		return v.Span
	}
	s := doc.Span
	s.End = min(s.End, s.Start+1)
	if doc.Span.End-doc.Span.Start < 40 {
		s.End = doc.Span.End // the head of a block
	}
	return s
}

func uses(e *lang.Expr, is func(*lang.Use) bool) bool {
	for i := range e.Uses {
		if is(&e.Uses[i]) {
			return true
		}
	}
	return false
}

// A Skip says what a rule with the action skip passes over.
type Skip struct {
	Rest      bool // the rules behind it in its own ruleset
	RateLimit bool // the phase of rate limiting
}

// A Problem is what is wrong with a rule, at its place.
type Problem struct {
	Span source.Span
	Text string
	Kind ProblemKind
}

// A ProblemKind says how bad a problem is.
type ProblemKind uint8

// The kinds of problems.
const (
	Wrong   ProblemKind = iota // it cannot be right
	Foreign                    // it is not known here
	Aside                      // it is right, and left aside
)

func (r *Rule) problem(kind ProblemKind, at source.Span, text string) {
	r.Problems = append(r.Problems, Problem{at, text, kind})
	if kind != Aside && r.Unknown == "" {
		r.Unknown = text
	}
}

// Package effect knows what a change of a configuration does: which limits hold otherwise and for which requests, which
// addresses are answered otherwise, which pages get slower or break, and which findings come and go. It asks the same
// phases and simulations as every other command, for requests made from the locations' own patterns; an address that none
// of these is like it does not see.
package effect

import (
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/compare"
	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/rules/rule"
	"github.com/ngxlimit/ngxlimit/rules/run"
)

// A Side is one of two configurations, judged.
type Side struct {
	Facts  *rule.Facts
	Result run.Result
}

// An Effect is what a change does.
type Effect struct {
	Limits  []Limits             // the gravest first, then in the order of the new configuration
	Sharing []compare.Difference // zones that were one count and are several, or the other way round
	Answers []Answer
	Servers []Server // that are on one side only
	Pages   []Page
	Same    int  // pages that were simulated and suffer the same as before
	Skipped int  // servers with limits whose pages were not simulated, because there are too many
	Unasked bool // there were more addresses than are tried

	New, Mended []rule.Finding
}

// Limits are the differences of the limits at places where they are the same ones.
type Limits struct {
	Direction   compare.Direction
	Severity    rule.Severity
	Server      string // its first name, or where it listens
	Location    string // the label now; "" for the server itself
	Was         string // the label before, where it was another one
	URL         string // a request that comes there; "" where none was found
	Differences []compare.Difference
	Others      []string // other places at which the differences are the same
}

// Place is where the limits hold, for people.
func (l *Limits) Place() string { return placeName(l.Server, l.Location) }

func placeName(server, label string) string {
	if label == "" {
		return server
	}
	return server + " " + label
}

// An Answer is what a request meets that met something else before.
type Answer struct {
	Severity rule.Severity
	URL      string
	Was, Is  string
	At       source.Span // of what answers now
	Others   int         // further addresses of which the same is true
}

// A Server is one that only one of the configurations has.
type Server struct {
	Severity rule.Severity
	Name     string
	Gone     bool
	Text     string
	At       source.Span
}

// Of returns what the step from one configuration to another one does. Both were judged by the same rules and settings.
func Of(old, renewed Side) *Effect {
	e, pairs, touched := between(old.Facts, renewed.Facts)
	e.pages(old.Facts, renewed.Facts, pairs.Both, touched)
	e.New, e.Mended = findings(old.Result.Findings, renewed.Result.Findings)
	e.sort()
	return e
}

// Between returns the limits, answers and servers that differ between two configurations, without their pages and findings.
func Between(old, other *rule.Facts) *Effect {
	e, _, _ := between(old, other)
	e.sort()
	return e
}

func between(old, other *rule.Facts) (*Effect, compare.Pairs[*config.Server], map[*config.Server]bool) {
	e := &Effect{}
	p := &prober{
		old: old, new: other, compare: compare.New(old.Tree, other.Tree), effect: e,
		groups: map[string]int{}, answers: map[string]int{},
	}
	pairs := compare.Servers(old.Tree, other.Tree)
	p.run(pairs)
	e.Sharing = p.compare.Sharing()
	return e, pairs, p.touched
}

// Empty says that nothing came of the change.
func (e *Effect) Empty() bool {
	return len(e.Limits)+len(e.Sharing)+len(e.Answers)+len(e.Servers)+len(e.Pages)+len(e.New)+len(e.Mended) == 0
}

// Worst returns the gravest severity of what got worse; "" where nothing did. What was mended is no fault.
func (e *Effect) Worst() rule.Severity {
	var worst rule.Severity
	take := func(s rule.Severity) {
		if s != "" && (worst == "" || s.AtLeast(worst)) {
			worst = s
		}
	}
	for i := range e.Limits {
		take(e.Limits[i].Severity)
	}
	for i := range e.Sharing {
		take(SeverityOf(e.Sharing[i]))
	}
	for i := range e.Answers {
		take(e.Answers[i].Severity)
	}
	for i := range e.Servers {
		take(e.Servers[i].Severity)
	}
	for i := range e.Pages {
		take(e.Pages[i].Severity)
	}
	for i := range e.New {
		take(e.New[i].Severity)
	}
	return worst
}

// SeverityOf grades differences: what protects less is a warning.
func SeverityOf(list ...compare.Difference) rule.Severity {
	if slices.ContainsFunc(list, func(d compare.Difference) bool { return d.Worse() }) {
		return rule.Warning
	}
	return rule.Note
}

package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/ngxlimit/ngxlimit/analyzer/numeral"
	"github.com/ngxlimit/ngxlimit/cmd/internal/rollout"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/tune"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// A Tuning is what tune has found.
type Tuning struct {
	Input    string
	Redacted bool   // addresses are hashes
	Traffic  string // what the traffic is
	Plan     *tune.Plan
	Proposal *rollout.Proposal // nil where nothing is to be limited
	After    tune.Figures      // the same traffic with the limits that are proposed
}

// WriteTuning writes a tuning for people.
func WriteTuning(w io.Writer, t Tuning, o Options) error {
	out := &tuningWriter{errWriter{w: &inertWriter{w: w}}, palette{o.Color}, o}
	out.head(t)
	if t.Proposal == nil {
		out.line("nothing to limit: none of the requests comes to a location that is limited, or to a login")
		return out.err
	}
	out.limits(t)
	for _, g := range t.Plan.Groups {
		out.frontier(g)
	}
	for i, line := range clientLines(t) {
		if i == 0 {
			out.print("\n")
		}
		out.line(line)
	}
	out.stages(t.Proposal)
	out.steps(t.Proposal.Steps(t.Input))
	for _, n := range append(t.Proposal.Notes, t.Plan.Notes...) {
		out.line("note: " + clean(n))
	}
	return out.err
}

type tuningWriter struct {
	errWriter
	p palette
	o Options
}

func (t *tuningWriter) line(text string) { t.print(wrap(text, t.o.width()), "\n") }

func (t *tuningWriter) head(of Tuning) {
	t.print(t.p.bold(clean(of.Traffic)), "\n")
	t.line(counted(of.Plan))
}

// counted says what the traffic is made of.
func counted(p *tune.Plan) string {
	return fmt.Sprintf("%s in %s: %s for static files, %s that need no limit of their own%s",
		rule.Plural(int64(p.Visits), "request", "requests"), clock.Words(p.Span.Milliseconds()), rule.Count(int64(p.Static)), rule.Count(int64(p.Other)), lost(p.Lost))
}

func lost(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %s that could not be followed", rule.Count(int64(n)))
}

// limits are the proposed limits, and what comes of them.
func (t *tuningWriter) limits(of Tuning) {
	tab := newTable()
	tab.AppendHeader(table.Row{"limit", "key", "rate", "burst", "mode", "people", "refused", "of attacks", "a flood gets"})
	for i := range of.Proposal.Limits {
		l := &of.Proposal.Limits[i]
		g, c := l.Group, &l.Choice
		tab.AppendRow(table.Row{clean(groupName(g)), clean(g.Key), c.Text, fmt.Sprint(l.Burst), mode(l), g.People, c.Refused, ofAttack(g, c), flood(g, c)})
	}
	t.print("\n", rendered(tab), "\n")
	for i := range of.Proposal.Limits {
		if g := of.Proposal.Limits[i].Group; g.Basis != "" {
			t.line(clean(groupName(g)) + ": " + clean(g.Basis))
		}
	}
	t.line(outcome(of.After))
	for _, doubt := range doubts(of.Plan) {
		t.line("but " + doubt)
	}
}

// doubts are the reasons for which the traffic says less than people need. They stand beside the outcome, which is as good as
// the traffic and no better.
func doubts(p *tune.Plan) []string {
	return slices.DeleteFunc([]string{p.Coarse, p.Distorted}, func(s string) bool { return s == "" })
}

// outcome is what the limits do to the traffic that they were made for.
func outcome(a tune.Figures) string {
	text := fmt.Sprintf("with these limits, of %s of people %s refused and %s held", rule.Plural(int64(a.Requests), "request", "requests"), areCount(a.Refused), areCount(a.Delayed))
	if a.AttackRequests > 0 {
		text += fmt.Sprintf("; of %s of attackers %s refused", rule.Plural(int64(a.AttackRequests), "request", "requests"), areCount(a.AttackRefused))
	}
	return text
}

func areCount(n int) string {
	if n == 1 {
		return "1 is"
	}
	return rule.Count(int64(n)) + " are"
}

func mode(l *rollout.Limit) string {
	if l.Burst == 0 {
		return "-"
	}
	return "nodelay"
}

func ofAttack(g *tune.Group, c *tune.Choice) string {
	if g.Attack == 0 {
		return "-"
	}
	return numeral.Count(c.AttackRefused) + " of " + numeral.Count(g.Attack)
}

// flood is how much of an endless flood from one key comes through.
func flood(g *tune.Group, c *tune.Choice) string {
	return fmt.Sprintf("%s in %s", numeral.Count(c.Through), tune.Horizon(g.Kind))
}

func groupName(g *tune.Group) string {
	name := g.Server.Names[0].Text
	if name == "" {
		return g.Label()
	}
	return name + " " + g.Label()
}

// mostChoices is how many rows of a frontier are shown around the chosen one.
const mostChoices = 7

// frontier is what other rates would take.
func (t *tuningWriter) frontier(g *tune.Group) {
	if len(g.Frontier) < 2 {
		return
	}
	t.print("\n", t.p.bold(clean(groupName(g))), ": ", rule.Plural(int64(g.Requests), "request", "requests"), " by ", keys(g), ", the busiest ", numeral.Count(g.Busiest), " within 10 s\n")
	tab := newTable()
	tab.AppendHeader(table.Row{"rate", "burst", "people hurt", "refused", "of attacks", "a flood gets"})
	from := max(min(g.Chosen-mostChoices/2, len(g.Frontier)-mostChoices), 0)
	for i := from; i < min(from+mostChoices, len(g.Frontier)); i++ {
		c := &g.Frontier[i]
		name := "  " + c.Text
		if i == g.Chosen {
			name = "> " + c.Text
		}
		tab.AppendRow(table.Row{name, fmt.Sprint(c.Burst), numeral.Count(c.Hurt) + " of " + numeral.Count(g.People), c.Refused, ofAttack(g, c), flood(g, c)})
	}
	t.print(rendered(tab), "\n")
	if text := byMinute(g); text != "" {
		t.line(text)
	}
	if g.Uncounted > 0 {
		t.line(fmt.Sprintf("%s of it not counted: the key is empty, or cannot be known from this traffic", areCount(g.Uncounted)))
	}
}

func keys(g *tune.Group) string {
	if g.Kind == tune.Total {
		return "all clients"
	}
	return rule.Plural(int64(g.Clients), "key", "keys")
}

// byMinute says how often people try to log in; "" for what is no login, or where none come.
func byMinute(g *tune.Group) string {
	m := g.Minute
	switch {
	case m.Most == 0:
		return ""
	case g.People == 1:
		return "the one key of people tries to log in " + rule.Plural(int64(m.Most), "time", "times") + " within its busiest minute"
	}
	return fmt.Sprintf("within their busiest minute half of the %s keys of people try to log in up to %s, 99 in 100 up to %s, and the busiest %s",
		numeral.Count(g.People), rule.Plural(int64(m.P50), "time", "times"), numeral.Count(m.P99), numeral.Count(m.Most))
}

func (t *tuningWriter) stages(p *rollout.Proposal) {
	for _, s := range []struct {
		title string
		stage *rollout.Stage
	}{{"Dry run: the limits count and refuse nobody", p.DryRun}, {"In earnest", p.Enforce}} {
		if s.stage == nil {
			continue
		}
		t.print("\n", t.p.bold(s.title), "\n")
		for line := range strings.Lines(s.stage.Diff(t.o.DiffNames)) {
			t.print(strings.TrimSuffix(line, "\n"), "\n")
		}
	}
}

func (t *tuningWriter) steps(steps []rollout.Step) {
	t.print("\n", t.p.bold("Step by step"), "\n")
	for i, s := range steps {
		t.line(fmt.Sprintf("%d. %s", i+1, s.Title))
		for _, do := range s.Do {
			t.line("   - " + clean(do))
		}
		for _, look := range s.LookAt {
			t.line("   look at: " + look)
		}
	}
}

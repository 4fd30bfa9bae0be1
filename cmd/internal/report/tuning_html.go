package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/numeral"
	"github.com/ngxlimit/ngxlimit/cmd/internal/rollout"
	"github.com/ngxlimit/ngxlimit/model/tune"
)

//go:embed html/tuning.html
var tuningHTML string

// A tuningView is what the template shows. Text in it is clean.
type tuningView struct {
	CSS                 template.CSS
	Title, Input, After string
	Counted             string
	Clients             []string // who is taken for what
	Limits              []numbersRow
	Bases               []string // what limits rest on that are not measured
	Charts              []frontierView
	Stages              []diffView
	Steps               []rollout.Step
	Notes               []string
}

type diffView struct{ Title, Diff string }

// A frontierView shows how many people each rate and burst would hurt.
type frontierView struct {
	Name    string
	Hurt    string
	Horizon string
	Bursts  []int64
	Rows    []frontierRow
}

type frontierRow struct {
	Rate, Attack string
	Cells        []hurtCell
	Burst, Flood string
	Chosen       bool
}

type hurtCell struct {
	Hurt, Share int // keys, and percent of all
}

// WriteTuningHTML writes a tuning as one page that needs nothing else: no script, no network.
func WriteTuningHTML(w io.Writer, t Tuning, o Options) error {
	page, err := template.New("tuning").Parse(tuningHTML)
	if err != nil {
		return fmt.Errorf("parse the page's template: %w", err)
	}
	if err := page.Execute(w, tuningViewOf(t, o)); err != nil {
		return fmt.Errorf("write html: %w", err)
	}
	return nil
}

func tuningViewOf(t Tuning, o Options) tuningView {
	v := tuningView{
		CSS: template.CSS(simulationCSS), Title: "Limits for " + clean(t.Traffic), Input: clean(t.Input), Counted: counted(t.Plan), Clients: clientLines(t), Notes: cleanAll(t.Plan.Notes), //nolint:gosec // our own
	}
	if t.Proposal == nil {
		v.After = "Nothing is to be limited."
		return v
	}
	v.After = sentence(outcome(t.After))
	for _, doubt := range doubts(t.Plan) {
		v.After += " But " + clean(doubt) + "."
	}
	for i := range t.Proposal.Limits {
		l := &t.Proposal.Limits[i]
		g, c := l.Group, &l.Choice
		v.Limits = append(v.Limits, numbersRow{Name: clean(groupName(g)), Cells: []string{
			clean(g.Key), c.Text, fmt.Sprint(l.Burst), mode(l), numeral.Count(g.People), numeral.Count(c.Refused), ofAttack(g, c), flood(g, c),
		}})
		if g.Basis != "" {
			v.Bases = append(v.Bases, clean(groupName(g))+": "+clean(g.Basis))
			continue
		}
		v.Charts = append(v.Charts, frontierOf(g))
	}
	if s := t.Proposal.DryRun; s != nil {
		v.Stages = append(v.Stages, diffView{"Dry run: the limits count and refuse nobody", s.Diff(o.DiffNames)})
	}
	v.Stages = append(v.Stages, diffView{"In earnest", t.Proposal.Enforce.Diff(o.DiffNames)})
	for i := range v.Stages {
		v.Stages[i].Diff = strings.Join(cleanAll(strings.Split(v.Stages[i].Diff, "\n")), "\n")
	}
	for _, g := range t.Plan.Groups {
		if text := byMinute(g); text != "" {
			v.Notes = append(v.Notes, clean(groupName(g))+": "+text)
		}
	}
	v.Steps = t.Proposal.Steps(clean(t.Input))
	v.Notes = append(v.Notes, cleanAll(t.Proposal.Notes)...)
	return v
}

// hurtText says what the numbers of a frontier count.
func hurtText(g *tune.Group) string {
	switch {
	case g.Kind == tune.Total:
		return "Whether the bucket of all together refuses people (1) or not (0)"
	case g.People == 1:
		return "Whether the one key of people is hurt (1) or not (0)"
	}
	return fmt.Sprintf("How many of %s keys of people are hurt", numeral.Count(g.People))
}

func frontierOf(g *tune.Group) frontierView {
	v := frontierView{Name: clean(groupName(g)), Hurt: hurtText(g), Horizon: tune.Horizon(g.Kind), Bursts: tune.Bursts[:]}
	for i := range g.Frontier {
		c := &g.Frontier[i]
		if i > g.Chosen && i+1 < len(g.Frontier) && c.Burst == g.Frontier[i-1].Burst && slices.Equal(c.HurtAt, g.Frontier[i-1].HurtAt) {
			continue // a higher rate gains nothing
		}
		row := frontierRow{Rate: c.Text, Attack: ofAttack(g, c), Burst: numeral.Count(c.Burst), Flood: numeral.Count(c.Through), Chosen: i == g.Chosen}
		for _, hurt := range c.HurtAt {
			row.Cells = append(row.Cells, hurtCell{hurt, 100 * hurt / max(g.People, 1)})
		}
		v.Rows = append(v.Rows, row)
	}
	return v
}

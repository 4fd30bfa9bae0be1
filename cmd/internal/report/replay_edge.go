package report

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/analyzer/numeral"
	"github.com/ngxlimit/ngxlimit/model/edge"
	"github.com/ngxlimit/ngxlimit/model/replay"
)

// edge tells what the rules of the edge did to logged requests.
func (t *replayWriter) edge(r *replay.Result) {
	if r.Edge == nil {
		return
	}
	t.print("\n", edgeTable(r.Edge.Front, r.Edge.Rules, t.o.width()), "\n")
	for _, line := range replayEdgeLines(r) {
		t.print(t.p.bold(wrap(line, t.o.width())), "\n")
	}
}

// replayEdgeLines say which rule stops what, who acts first, and what nginx would do alone.
func replayEdgeLines(r *replay.Result) []string {
	e := r.Edge
	lines := append([]string{fmt.Sprintf("%s of %s stopped at the edge, %s came to nginx.", numeral.Count(e.Stopped), numeral.Of(e.Asked, "request"), numeral.Count(e.Asked-e.Stopped))}, ruleLines(e.Rules)...)
	first := func(f *replay.First, who string) string {
		return fmt.Sprintf("%s first acts at %s UTC: %s %q, %s of %s%s (%s:%d)", who, moment(f.AtMs), who2rule[who], clean(f.Rule), f.Action, clean(f.Server), clean(f.Location), clean(f.File), f.Line)
	}
	switch {
	case e.First == nil && e.Nginx == nil:
		lines = append(lines, "Neither the edge nor nginx stops or delays anything.")
	case e.Nginx == nil:
		lines = append(lines, first(e.First, "The edge")+"; behind it nginx has nothing to do.")
	case e.First == nil:
		lines = append(lines, first(e.Nginx, "nginx")+"; the edge stops nothing.")
	case e.Nginx.AtMs < e.First.AtMs:
		lines = append(lines, first(e.Nginx, "nginx")+".", first(e.First, "The edge")+".")
	default:
		lines = append(lines, first(e.First, "The edge")+".", first(e.Nginx, "nginx")+".")
	}
	if w := e.Without; w != nil {
		with := r.Sums()
		lines = append(lines, fmt.Sprintf(
			"nginx alone would delay %s and refuse %s of the same requests; behind the edge it delays %s and refuses %s.",
			numeral.Count(w.Delayed), numeral.Count(w.Rejected), numeral.Count(with.Delayed), numeral.Count(with.Rejected),
		))
	}
	if e.Other != nil {
		lines = append(lines, fmt.Sprintf("Counted by %s the edge would stop %s more, and %s fewer.", clean(e.Other.Window), numeral.Count(e.Other.More), numeral.Count(e.Other.Fewer)))
	}
	return lines
}

// who2rule is what decides there.
var who2rule = map[string]string{"The edge": "rule", "nginx": "zone"}

// edgeRows are the rules of an edge with what they did.
func edgeRows(rules []edge.RuleStat) []numbersRow {
	rows := make([]numbersRow, len(rules))
	for i := range rules {
		rows[i] = numbersRow{clean(rules[i].Rule), edgeCells(&rules[i])}
	}
	return rows
}

package report

import (
	"fmt"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/ngxlimit/ngxlimit/analyzer/numeral"
	"github.com/ngxlimit/ngxlimit/model/edge"
	"github.com/ngxlimit/ngxlimit/model/simulate"
)

// edge tells what the rules of the edge did.
func (t *simulationWriter) edge(r *simulate.Result) {
	e := r.Edge
	if e == nil {
		return
	}
	t.print("\n", edgeTable(e.Front, e.Rules, t.o.width()), "\n")
	for _, line := range edgeLines(r) {
		t.print(t.p.bold(wrap(line, t.o.width())), "\n")
	}
}

// edgeColumns are what is told of the rules of an edge, behind their names.
var edgeColumns = []string{"limit", "matched", "counted", "blocked", "challenged", "logged", "unknown", "highest counter"}

// edgeTable tells what each rule did.
func edgeTable(front string, rules []edge.RuleStat, width int) string {
	tab := newTable()
	head := append(make(table.Row, 0, 1+len(edgeColumns)), clean(front)+" rule")
	for _, c := range edgeColumns {
		head = append(head, c)
	}
	tab.AppendHeader(head)
	for i := range rules {
		row := table.Row{snipText(clean(rules[i].Rule), width-83)}
		for _, c := range edgeCells(&rules[i]) {
			row = append(row, c)
		}
		tab.AppendRow(row)
	}
	return rendered(tab)
}

// edgeCells are what is told of one rule.
func edgeCells(u *edge.RuleStat) []string {
	limit := ""
	if u.Limit > 0 {
		limit = fmt.Sprintf("%s in %s s", numeral.Count(u.Limit), numeral.Count(u.PeriodS))
	}
	return append([]string{limit}, cells(u.Matched, u.Counted, u.Blocked, u.Challenged, u.Logged, u.Unknown, int(u.Peak))...)
}

// scored says that a limit is no number of requests.
func scored(u *edge.RuleStat) string {
	if u.Score {
		return "a score of "
	}
	return ""
}

// edgeLines say which rule stops what, and whether nginx would have served it.
func edgeLines(r *simulate.Result) []string {
	e := r.Edge
	if e == nil {
		return nil
	}
	lines := ruleLines(e.Rules)
	w := e.Without
	if w == nil || r.Page == nil {
		return lines
	}
	broken, alone := r.Page.BrokenPages, w.BrokenPages
	switch {
	case e.Stopped == 0 && alone > 0:
		lines = append(lines, fmt.Sprintf("The edge stops nothing: nginx breaks %s of %s by itself.", numeral.Count(alone), count(w.Pages, "page")))
	case e.Stopped == 0:
		lines = append(lines, "The edge stops nothing, and nginx refuses nothing of the people's pages.")
	case broken > alone:
		lines = append(lines, fmt.Sprintf("The edge breaks pages that nginx would serve: %s of %s with it, %s without it.", numeral.Count(broken), numeral.Count(w.Pages), numeral.Count(alone)))
	case broken < alone:
		lines = append(lines, fmt.Sprintf("The edge keeps pages whole that nginx would break: %s of %s are broken with it, %s without it.", numeral.Count(broken), numeral.Count(w.Pages), numeral.Count(alone)))
	case alone > 0:
		lines = append(lines, fmt.Sprintf("With the edge or without it %s of %s pages are broken: nginx refuses as many.", numeral.Count(alone), numeral.Count(w.Pages)))
	}
	return lines
}

// ruleLines say of the rules of an edge what they stop, and which are unknown.
func ruleLines(rules []edge.RuleStat) []string {
	var lines []string
	for _, u := range rules {
		if stopped := u.Blocked + u.Challenged; stopped > 0 {
			line := fmt.Sprintf("Edge rule %q stops %s before nginx", clean(u.Rule), count(stopped, "request"))
			if u.Limit > 0 {
				line += ": it lets " + scored(&u) + fmt.Sprintf("%s pass in %s s", numeral.Count(u.Limit), numeral.Count(u.PeriodS))
			}
			lines = append(lines, line+".")
		}
		if u.Unknown > 0 {
			lines = append(lines, fmt.Sprintf("Edge rule %q is unknown for %s: %s.", clean(u.Rule), count(u.Unknown, "request"), clean(u.Why)))
		}
	}
	return lines
}

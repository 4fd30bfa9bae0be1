package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/numeral"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// writeText writes for a person at a terminal: each finding with its source line, what belongs to it and how to mend it,
// then a line that sums up, then what page loads suffer.
func writeText(w io.Writer, r *Report, o Options) error {
	t := &textWriter{errWriter: errWriter{w: &inertWriter{w: w}}, o: o, p: palette{o.Color}, pointed: map[string]bool{}, refused: r.Mending.refusals()}
	for i := range r.Findings {
		t.finding(&r.Findings[i])
	}
	for _, d := range r.Defects {
		t.print(t.p.severity(rule.Error, "internal fault"), ": ", clean(d), "\n")
	}
	t.mending(r.Mending)
	t.print(t.p.bold(t.summary(r)), "\n")
	t.fleet(r.Fleet)
	t.pages(r)
	t.unwritten(r.Mending)
	return t.err
}

type textWriter struct {
	errWriter
	o       Options
	p       palette
	pointed map[string]bool // rules whose page was already named
	refused refusals        // fixes that were not made
	snipper
}

// finding writes one finding and an empty line behind it.
func (t *textWriter) finding(f *rule.Finding) {
	from := f.Primary.From()
	head := t.p.bold(t.o.shown(t.o.place(f.Primary.File))+":"+strconv.Itoa(from.Line)+":"+strconv.Itoa(from.Column)) + ": " +
		t.p.severity(f.Severity, string(f.Severity)) + ": " + t.p.bold(clean(f.Message)) + " [" + f.Rule.Name + "]"
	if t.o.Wrap {
		head = wrap(head, t.o.width())
	}
	t.print(head, "\n")

	gutter := len(strconv.Itoa(from.Line))
	for _, l := range f.Related {
		gutter = max(gutter, len(strconv.Itoa(l.Span.From().Line)))
	}
	if within := f.Within(); len(within) > 0 || f.Places > 1 {
		t.row(gutter, "in", t.p.faint(contextText(within, f.Places)))
	}
	if len(f.Hosts) > 0 {
		t.row(gutter, "on", t.p.faint(clean(hostNames(f.Hosts))))
	}
	t.source(gutter, f.Primary, "^", func(s string) string { return t.p.severity(f.Severity, s) }, "")
	for _, l := range f.Related {
		if l.Span.File != f.Primary.File {
			at := l.Span.From()
			t.row(gutter, "-->", t.p.faint(fmt.Sprintf("%s:%d:%d", t.o.shown(t.o.place(l.Span.File)), at.Line, at.Column)))
		}
		t.source(gutter, l.Span, "-", t.p.related, clean(l.Message))
	}
	if facts := evidence(f); len(facts) > 0 {
		t.block(gutter, clean(strings.Join(facts, "; ")))
	}
	t.advice(gutter, f)
	t.print("\n")
}

// row writes a line of the block below a finding, its mark in the column of the bars.
func (t *textWriter) row(gutter int, mark, text string) {
	t.print(strings.Repeat(" ", gutter), " ", t.p.gutter(mark), " ", text, "\n")
}

// block writes text of any length behind "=", its further lines below the first.
func (t *textWriter) block(gutter int, text string) {
	for i, line := range strings.Split(wrap(text, t.o.width()-gutter-3), "\n") {
		mark := "="
		if i > 0 {
			mark = " "
		}
		t.row(gutter, mark, line)
	}
}

// contextText is the path of blocks that leads to a finding.
func contextText(within []string, places int) string {
	blocks := make([]string, len(within))
	for i, c := range within {
		blocks[i] = clean(c)
	}
	s := strings.Join(blocks, " > ")
	if s == "" {
		s = "the main context"
	}
	if more := places - 1; more > 0 {
		s += fmt.Sprintf(", and in %s", count(more, "more place"))
	}
	return s
}

// source writes the line in which the span starts, and a mark under the span with a label behind it.
func (t *textWriter) source(gutter int, s source.Span, mark string, paint func(string) string, label string) {
	number := strconv.Itoa(s.From().Line)
	cut := t.snip(s, t.o.width()-gutter-3)
	bar := t.p.gutter("|")
	t.print(strings.Repeat(" ", gutter-len(number)), t.p.gutter(number), " ", bar)
	if cut.line != "" {
		t.print(" ", cut.line)
	}
	t.print("\n", strings.Repeat(" ", gutter), " ", bar, " ", strings.Repeat(" ", cut.start),
		paint(strings.Repeat(mark, cut.end-cut.start)))
	if label == "" {
		t.print("\n")
		return
	}
	if gutter+3+cut.end+1+len(label) <= t.o.width() {
		t.print(" ", paint(label), "\n")
		return
	}
	t.print("\n", strings.Repeat(" ", gutter), " ", bar, " ", strings.Repeat(" ", max(0, min(cut.start, t.o.width()-gutter-3-len(label)))),
		paint(label), "\n")
}

// advice says how to mend the finding, and where to read more the first time that its rule appears.
func (t *textWriter) advice(gutter int, f *rule.Finding) {
	if f.Fix != nil {
		t.row(gutter, "=", t.p.help("mend: ")+clean(t.refused.advice(f)))
		t.added(gutter, f.Fix)
	}
	if line := f.Settle(); line != "" {
		t.row(gutter, "=", t.p.help("settle: ")+clean(line))
	}
	if !t.pointed[f.Rule.Name] {
		t.pointed[f.Rule.Name] = true
		t.row(gutter, "=", t.p.help("why:  ")+"ngxlimit rules "+f.Rule.Name)
	}
}

// added shows the directives that a fix adds, where it adds whole lines: they are what a reader takes over by hand.
func (t *textWriter) added(gutter int, fix *rule.Fix) {
	const most = 12
	for _, e := range fix.Edits {
		lines := strings.Split(strings.Trim(e.Text, " \t\r\n"), "\n")
		if e.Span.Start != e.Span.End || !strings.ContainsAny(e.Text[:min(len(e.Text), 2)], "\r\n") || len(lines) == 0 {
			continue
		}
		for _, line := range lines[:min(len(lines), most)] {
			t.row(gutter, "+", clean(strings.TrimSpace(line)))
		}
		if more := len(lines) - most; more > 0 {
			t.row(gutter, "+", "... and "+numeral.Count(more)+" more, which --diff shows")
		}
	}
}

// summary is the line that says how much was found, in how much.
func (t *textWriter) summary(r *Report) string {
	n := r.counts()
	var parts []string
	for _, s := range rule.Severities {
		if n[s] > 0 {
			parts = append(parts, count(n[s], string(s)))
		}
	}
	found := "nothing found"
	if r.Known+r.Written > 0 {
		found = "nothing new"
	}
	if len(parts) > 0 {
		found = strings.Join(parts, ", ")
	}
	files, inputs := 0, 0
	for _, in := range r.Inputs {
		files += in.Files
		if in.Files > 0 {
			inputs++
		}
	}
	if r.LeftOut > 0 {
		found += ", and " + leftOut(r)
	}
	s := fmt.Sprintf("%s in %s", found, count(files, "file"))
	if inputs > 1 {
		s += fmt.Sprintf(" of %s", count(inputs, "configuration"))
	}
	if r.Unlimited && r.complete() {
		s += "; no limit_req or limit_conn in effect"
	}
	if r.Mending != nil {
		s += r.Mending.Sum()
	}
	if r.Suppressed > 0 {
		s += "; " + numeral.Count(r.Suppressed) + " suppressed by comments"
	}
	if r.Known > 0 {
		s += "; " + numeral.Count(r.Known) + " known before"
	}
	if r.Written > 0 {
		s += fmt.Sprintf("; %s", count(r.Written, "finding")+" written to the baseline")
	}
	if !r.complete() {
		s += "; part of the input could not be read, so there may be more"
	}
	if len(r.Assumed) > 0 {
		s += "; taken to be built in, for want of a load_module: " + assumed(r.Assumed)
	}
	if len(r.Silent) > 0 {
		s += "; without the whole configuration " + silent(r.Silent)
	}
	return s
}

// assumed names modules, a few of them.
func assumed(modules []string) string {
	const most = 3
	if len(modules) > most+1 {
		return fmt.Sprintf("%s and %d more modules", strings.Join(modules[:most], ", "), len(modules)-most)
	}
	return strings.Join(modules, ", ")
}

// silent names rules that said nothing, a few of them.
func silent(rules []string) string {
	const most = 3
	named, more := rules, ""
	if len(rules) > most+1 {
		named, more = rules[:most], fmt.Sprintf(" and %d more rules", len(rules)-most)
	}
	if len(rules) == 1 {
		return named[0] + " is silent"
	}
	if more == "" {
		last := len(named) - 1
		return strings.Join(named[:last], ", ") + " and " + named[last] + " are silent"
	}
	return strings.Join(named, ", ") + more + " are silent"
}

// leftOut says how much was not kept.
func leftOut(r *Report) string {
	return numeral.Count(r.LeftOut) + " more like these that are not listed"
}

// count writes a number with its noun: 1 file, 2 files.
func count(n int, noun string) string {
	return numeral.Of(n, noun)
}

package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// GitHub keeps ten annotations of each kind from one step.
const maxAnnotations = 10

var (
	commandText  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	commandValue = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// commands are the workflow commands by severity.
var commands = map[rule.Severity]string{rule.Error: "error", rule.Warning: "warning", rule.Note: "notice"}

// writeGitHub writes workflow commands, which become annotations of the changed lines, worst first. What would be
// dropped behind the tenth of a kind is written as plain lines. No line starts with text of the configuration.
func writeGitHub(w io.Writer, r *Report, o Options) error {
	e := &errWriter{w: w}
	var columns utf16Columns
	used := map[rule.Severity]int{}
	more := 0
	refused, sorted := r.Mending.refusals(), worstFirst(r.Findings)
	for i := range sorted {
		f := &sorted[i]
		if used[f.Severity]++; used[f.Severity] > maxAnnotations {
			more++
			at := f.Primary.From()
			e.print(inert(fmt.Sprintf("also: %s:%d:%d: %s: %s [%s]", clean(o.place(f.Primary.File)), at.Line, at.Column,
				f.Severity, clean(said(f)), f.Rule.Name)), "\n")
			continue
		}
		e.print(annotation(f, refused, o, &columns), "\n")
	}
	if more > 0 {
		e.print(fmt.Sprintf("%s listed above without an annotation: a step may have %d of each kind\n", count(more, "finding"), maxAnnotations))
	}
	if r.LeftOut > 0 {
		e.print("::warning title=ngxlimit::there are ", leftOut(r), "\n")
	}
	for _, d := range r.Defects {
		e.print("::error title=ngxlimit::internal fault%3A ", commandText.Replace(clean(d)), "\n")
	}
	for _, in := range r.Inputs {
		if in.lacking() {
			e.print("::warning title=ngxlimit::part of ", commandText.Replace(clean(in.Path)), " could not be read, so there may be more findings\n")
		}
	}
	return e.err
}

func annotation(f *rule.Finding, refused refusals, o Options, columns *utf16Columns) string {
	from, to := f.Primary.From(), f.Primary.To()
	lines := []string{clean(said(f))}
	for _, l := range f.Related {
		lines = append(lines, clean(fmt.Sprintf("%s:%d: %s", o.place(l.Span.File), l.Span.From().Line, l.Message)))
	}
	if f.Fix != nil {
		lines = append(lines, clean("mend: "+refused.advice(f)))
	}
	return fmt.Sprintf("::%s file=%s,line=%d,col=%d,endLine=%d,endColumn=%d,title=%s::%s", commands[f.Severity],
		commandValue.Replace(clean(o.place(f.Primary.File))), from.Line, columns.of(f.Primary.File, from), to.Line, columns.of(f.Primary.File, to),
		commandValue.Replace(f.Rule.Name), commandText.Replace(strings.Join(lines, "\n")))
}

// inert breaks the older form of a command, which is found anywhere in a line.
func inert(s string) string { return strings.ReplaceAll(s, "##[", "# #[") }

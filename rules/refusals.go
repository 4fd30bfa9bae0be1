package rules

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// reportRefusals returns a check that reports what nginx itself refuses of one kind, in nginx's own words. What nginx
// only warns of is a note.
func reportRefusals(kind config.RefusalKind) func(*rule.Pass) {
	return func(p *rule.Pass) {
		for i := range p.Tree.Refusals {
			if r := &p.Tree.Refusals[i]; r.Kind == kind {
				p.Report(refusalFinding(r))
			}
		}
	}
}

// refusalFinding says where nginx itself puts the fault if that is another line than the one shown: an admin compares
// with what nginx -t printed.
func refusalFinding(r *config.Refusal) rule.Finding {
	f := rule.Finding{Message: r.Text, Primary: r.Span, Context: r.Context}
	if r.Warning {
		f.Severity = rule.Note
	}
	if r.Related != nil {
		f.Related = append(f.Related, rule.Label{Span: *r.Related, Message: "first defined here"})
	}
	if r.Line > 0 {
		f.Evidence = map[string]any{"nginx_line": int64(r.Line)}
		if r.Span.File != nil && r.Span.From().Line != r.Line {
			f.Message = fmt.Sprintf("%s (nginx -t names line %d)", r.Text, r.Line)
		}
	}
	return f
}

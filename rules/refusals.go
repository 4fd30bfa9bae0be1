package rules

import (
	"sort"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// reportRefusals returns a check that reports what nginx itself refuses of one kind, in nginx's own words. What nginx
// only warns of is a note, and so is a missing file that comes with nginx.
func reportRefusals(kind config.RefusalKind) func(*rule.Pass) {
	return func(p *rule.Pass) {
		seems := map[*source.File]string{} // what a file seems to be
		for i := range p.Tree.Refusals {
			r := &p.Tree.Refusals[i]
			if r.Kind != kind {
				continue
			}
			f := refusalFinding(p, r)
			if of := r.Span.File; of != nil && !r.Warning && kind != config.MissingInclude {
				if _, known := seems[of]; !known {
					seems[of] = templateOf(of)
				}
				f.Mistaken = seems[of]
			}
			p.Report(f)
		}
	}
}

// refusalFinding stands at the line that nginx names, because that is what an admin compares with nginx -t. nginx names
// the line where a directive ends; the bytes to look at are related where they stand on another.
func refusalFinding(p *rule.Pass, r *config.Refusal) rule.Finding {
	f := rule.Finding{Message: r.Text, Primary: r.Span, Context: r.Context}
	if r.Warning || r.Shipped {
		f.Severity = rule.Note
	}
	if r.Line > 0 && r.Span.File != nil && r.Span.From().Line != r.Line {
		f.Primary = lineSpan(p, r.Span.File, r.Line)
		f.Related = []rule.Label{{Span: r.Span, Message: "what nginx refuses"}}
	}
	if r.Shipped {
		f.Evidence = map[string]any{"taken_as": "the file that comes with nginx, in which no limit stands"}
	}
	if r.Related != nil {
		f.Related = append(f.Related, rule.Label{Span: *r.Related, Message: "first defined here"})
	}
	return f
}

// lineSpan covers the text of a line without its comment and the white space around it; behind the last line, the end of
// the text.
func lineSpan(p *rule.Pass, f *source.File, number int) source.Span {
	text := f.Line(number)
	trimmed := strings.TrimLeft(text, " \t")
	start := f.LineStart(number) + uint32(len(text)-len(trimmed))
	end := start + uint32(len(trimmed))
	for _, doc := range p.Tree.Input.Documents {
		if doc.File != f {
			continue
		}
		i := sort.Search(len(doc.Comments), func(i int) bool { return doc.Comments[i].Start >= start })
		if i < len(doc.Comments) {
			end = min(end, doc.Comments[i].Start)
		}
	}
	return source.Span{File: f, Start: start, End: start + uint32(len(strings.TrimRight(f.Text[start:end], " \t")))}
}

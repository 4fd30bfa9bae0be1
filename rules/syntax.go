package rules

import (
	"sort"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// Syntax reports what nginx refuses in the grammar.
var Syntax = register(rule.Rule{
	Name:       "syntax",
	Summary:    "a place that nginx cannot read",
	Severity:   rule.Error,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: `A directive ends with ` + "`;`" + ` or with a block in braces, and every brace has its partner. Where that fails nginx stops with ` + "`unexpected\n\"}\"`, `unexpected end of file, expecting \";\" or \"}\"`, `directive \"x\" is not terminated by \";\"`" + ` or the like, and a reload
leaves the old configuration in force. It names the line at which it gave up, which is often a later one than the one to
mend: a missing ` + "`;`" + ` shows where the next ` + "`}`" + ` stands.

The rest of the file is checked all the same where it can be told what was meant, but nothing is reported that rests on
something being absent.
`,
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr zone=api:10m rate=10r/s;

    server {
        location /api/ {
            limit_req zone=api burst=20 nodelay
        }
    }
}
`,
	Good: `events {}

http {
    limit_req_zone $binary_remote_addr zone=api:10m rate=10r/s;

    server {
        location /api/ {
            limit_req zone=api burst=20 nodelay;
        }
    }
}
`,
	Links: []string{"https://nginx.org/en/docs/beginners_guide.html#conf_structure"},
	Check: checkSyntax,
})

func checkSyntax(p *rule.Pass) {
	for i := range p.Tree.Refusals {
		if r := &p.Tree.Refusals[i]; r.Kind == config.SyntaxError {
			p.Report(syntaxFinding(p, r))
		}
	}
}

// syntaxFinding stands at the line that nginx names, because that is what an admin compares; the bytes to look at are
// related where they stand elsewhere.
func syntaxFinding(p *rule.Pass, r *config.Refusal) rule.Finding {
	f := rule.Finding{Message: r.Text, Primary: r.Span, Context: r.Context}
	if r.Line > 0 && r.Span.File != nil && r.Span.From().Line != r.Line {
		f.Primary = lineSpan(p, r.Span.File, r.Line)
		f.Related = []rule.Label{{Span: r.Span, Message: "what nginx was reading"}}
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

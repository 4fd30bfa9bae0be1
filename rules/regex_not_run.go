package rules

import (
	"strings"

	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// RegexNotRun reports regular expressions that nginx takes and ngxlimit cannot run.
var RegexNotRun = register(rule.Rule{
	Name:       "regex-not-run",
	Summary:    "a regular expression that ngxlimit cannot run: what hangs on it is unknown",
	Group:      rule.GroupRegexes,
	Severity:   rule.Note,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: "nginx hands regular expressions to PCRE. ngxlimit runs nearly all of PCRE's language, but not calls of groups (`(?R)`, `(?1)`, `(?&name)`),\n" +
		"callouts, most verbs (`(*SKIP)`), `\\X`, some properties, and characters beyond ASCII in UTF mode. Whether such an expression matches is\n" +
		"then unknown: it is taken neither as a match nor as a failure. `explain` and `simulate` end a request in `unknown` where its server,\n" +
		"location or URI hangs on it, and a key made from it is unknown. Other rules say nothing about what cannot be known, so that a\n" +
		"fault of a limit behind it may be missed.\n\n" +
		"The configuration itself is not at fault. Where the same can be said without the construct, both people and ngxlimit can read it.\n",
	Bad: `events {}

http {
    server {
        location ~ "^/calc/(?<e>\d+|\((?&e)\))$" {
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Good: `events {}

http {
    server {
        location ~ "^/calc/(?:\d+|\(\d+\))$" {
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Links: []string{
		"https://www.pcre.org/current/doc/html/pcre2syntax.html",
		"https://nginx.org/en/docs/http/server_names.html#regex_names",
	},
	Check: checkRegexNotRun,
})

func checkRegexNotRun(p *rule.Pass) {
	for i := range p.Tree.Regexes {
		re := &p.Tree.Regexes[i]
		err := re.NotRun()
		if err == nil {
			continue
		}
		reason := strings.TrimPrefix(err.Error(), "the pattern cannot be run here: ")
		f := rule.Of(re.Item, re.At)
		f.Primary = re.Span
		f.Message = "whether this regular expression matches is unknown, because " + reason + elsewhere(re)
		f.Evidence = map[string]any{"pattern": re.Pattern(), "reason": reason, "places": int64(re.Places)}
		p.Report(f)
	}
}

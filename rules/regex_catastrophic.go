package rules

import (
	"fmt"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/pcre"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// RegexCatastrophic reports regular expressions on which a short text keeps nginx busy until it gives up.
var RegexCatastrophic = register(rule.Rule{
	Name:       "regex-catastrophic",
	Summary:    "a short text takes a regular expression more steps than nginx grants",
	Group:      rule.GroupRegexes,
	Severity:   rule.Warning,
	Confidence: rule.High,
	Risk:       "7.5",
	Since:      "0.1.0",
	Why: "A repeat of something that itself repeats, or that has two ways to read the same text, can share the text out in very many ways:\n" +
		"`^/(a+)+$` reads ten `a` in 512 ways, and each further one doubles them. Where the match fails behind them PCRE tries all of\n" +
		"these ways, up to 10,000,000 steps, which takes about half a second of a worker in which it serves nobody. Then it gives up, and\n" +
		"nginx answers 500 (`pcre2_match() failed: -47`), or takes the default of a `map`. Some thirty bytes are enough, and regular\n" +
		"expressions of `server_name`, `location` and `rewrite` run before any limiter: no `limit_req` holds such requests up.\n\n" +
		"What is told here was found by the structure of the expression and proven by counting the steps of matches; the text is in the\n" +
		"evidence. Expressions whose steps grow as a power of the length only (`^/(.*)-(.*)-(.*)\\.html$`) are left alone: they need texts of\n" +
		"hundreds of bytes and more. Write what is repeated so that each text can be read in one way (`^/a+$`, `^(?:[^/]+/)*[^/]+$`), or make the\n" +
		"inner repeat possessive (`^/(?:a++)+$`), so that nothing is tried again. `pcre_jit on` makes each step cheaper and has other bounds.\n",
	Bad: `events {}

http {
    server {
        location ~ "^/files/([\w-]+\.?)+\.zip$" {
            root /srv/files;
        }
    }
}
`,
	Good: `events {}

http {
    server {
        location ~ "^/files/[\w-]+(?:\.[\w-]+)*\.zip$" {
            root /srv/files;
        }
    }
}
`,
	Links: []string{
		"https://www.pcre.org/current/doc/html/pcre2perform.html",
		"https://owasp.org/www-community/attacks/Regular_expression_Denial_of_Service_-_ReDoS",
		"https://nginx.org/en/docs/ngx_core_module.html#pcre_jit",
	},
	Check: checkRegexCatastrophic,
})

func checkRegexCatastrophic(p *rule.Pass) {
	left := regexWork
	for i := range p.Tree.Regexes {
		re := &p.Tree.Regexes[i]
		if left <= 0 && re.MayBeCatastrophic() {
			reportUntried(p, p.Tree.Regexes[i:])
			return
		}
		c := re.Catastrophe(&left)
		if c == nil {
			continue
		}
		f := rule.Of(re.Item, re.At)
		f.Primary = re.Span
		f.Message = fmt.Sprintf("a text of %d bytes takes this regular expression more than %d steps, because it can read %q, repeated, in more than one way; nginx then %s%s",
			len(c.Subject), pcre.StepsMax, cut(c.Pump), whenGivenUp(re), elsewhere(re))
		f.Evidence = map[string]any{
			"pattern": re.Pattern(), "input": c.Subject, "input_bytes": int64(len(c.Subject)), "steps_over": int64(pcre.StepsMax),
			"repeated": c.Pump, "turns": int64(c.Turns),
		}
		p.Report(f)
	}
}

// regexWork is how many steps are counted for all expressions of a configuration: some seconds.
const regexWork = 64 << 20

// reportUntried says which expressions were not looked at, at the first of them.
func reportUntried(p *rule.Pass, rest []config.Regex) {
	untried := 0
	for i := range rest {
		if rest[i].MayBeCatastrophic() {
			untried++
		}
	}
	f := rule.Of(rest[0].Item, rest[0].At)
	f.Primary, f.Severity = rest[0].Span, rule.Note
	f.Message = fmt.Sprintf("this regular expression has a repeat within a repeat and was not tried, like %d behind it, because those before took too long", untried-1)
	f.Evidence = map[string]any{"untried": int64(untried), "steps_over": int64(regexWork)}
	p.Report(f)
}

// whenGivenUp says what nginx does where PCRE has given up.
func whenGivenUp(re *config.Regex) string {
	if strings.HasPrefix(re.Item.Name().Value, "~") { // an entry of a map
		return "takes the default"
	}
	return "answers 500"
}

// elsewhere says in how many places more the same expression stands.
func elsewhere(re *config.Regex) string {
	if re.Places < 2 {
		return ""
	}
	return fmt.Sprintf("; it stands in %d places", re.Places)
}

// cut shortens a text for a message.
func cut(text string) string {
	const most = 20
	if len(text) > most {
		return text[:most] + "..."
	}
	return text
}

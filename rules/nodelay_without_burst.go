package rules

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// NodelayWithoutBurst reports words that tell what to do with an excess that is never let in.
var NodelayWithoutBurst = register(rule.Rule{
	Name:       "nodelay-without-burst",
	Summary:    "nodelay or delay= without burst, where neither has any effect",
	Group:      rule.GroupValues,
	Severity:   rule.Note,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: "`nodelay` and `delay=` say what becomes of the requests that `burst` has room for: they pass at once. Without `burst` there is\n" +
		"no such room: what comes earlier than the rate allows is refused, with the word and without it. Often `burst=` was meant and\n" +
		"forgotten, or removed later; missing-burst tells what then happens to visitors. The fix removes the word, which changes\n" +
		"nothing.\n\n" +
		"`nodelay` and `delay=` together are left to delay-beside-nodelay.\n",
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr zone=login:10m rate=10r/m;
    limit_req_status 429;

    server {
        location = /login {
            limit_req zone=login nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Good: `events {}

http {
    limit_req_zone $binary_remote_addr zone=login:10m rate=10r/m;
    limit_req_status 429;

    server {
        location = /login {
            limit_req zone=login burst=5 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Links:   []string{"https://nginx.org/en/docs/http/ngx_http_limit_req_module.html#limit_req"},
	Fixable: true,
	SafeFix: true,
	Check:   checkNodelayWithoutBurst,
})

func checkNodelayWithoutBurst(p *rule.Pass) {
	for _, list := range p.LimitReqs() {
		for _, limit := range list.Limits {
			if limit.Burst > 0 || limit.WroteNoDelay == limit.HasDelay {
				continue
			}
			f := rule.Of(config.Item{Directive: limit.Directive, Via: limit.Via}, list.At)
			f.Places = list.Levels
			f.Fix = &rule.Fix{Safe: true}
			for _, w := range rule.DelayWords(limit.Directive) {
				f.Primary = limit.Directive.WordSpan(w)
				f.Fix.Edits = append(f.Fix.Edits, rule.RemoveWord(limit.Directive, w))
			}
			word := "nodelay"
			if limit.HasDelay {
				word = "delay=" + rule.Milli(limit.Delay)
			}
			f.Fix.Title = "remove " + word
			f.Message = fmt.Sprintf("%s without burst has no effect: with burst 0 nothing is let in to be delayed", word)
			f.Evidence = map[string]any{"burst": int64(0)}
			p.Report(f)
		}
	}
}

package rules

import (
	"fmt"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// DelayBesideNodelay reports limits that name both nodelay and delay=.
var DelayBesideNodelay = register(rule.Rule{
	Name:       "delay-beside-nodelay",
	Summary:    "nodelay and delay= exclude each other",
	Group:      rule.GroupValues,
	Severity:   rule.Warning,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: "`delay=N` lets the first N requests beyond the rate pass at once and spaces the others; `nodelay` lets all that `burst` has room for\n" +
		"pass at once. nginx's page calls them alternatives, but nothing checks that: `limit_req` simply takes three arguments at most.\n\n" +
		"- Beside `burst=` that makes four, and nginx refuses the file: `invalid number of arguments in \"limit_req\" directive`.\n" +
		"- Without `burst=` both are accepted together, the later one is kept, and neither has any effect: without burst no request\n" +
		"  beyond the rate is let in, so there is none to delay.\n",
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr zone=api:10m rate=10r/s;
    limit_req_status 429;

    server {
        location /api/ {
            limit_req zone=api nodelay delay=8;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Good: `events {}

http {
    limit_req_zone $binary_remote_addr zone=api:10m rate=10r/s;
    limit_req_status 429;

    server {
        location /api/ {
            limit_req zone=api burst=20 delay=16;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Links: []string{"https://nginx.org/en/docs/http/ngx_http_limit_req_module.html#limit_req"},
	Check: checkDelayBesideNodelay,
})

// checkDelayBesideNodelay looks at the directives themselves: one that nginx refuses is in no list of limits.
func checkDelayBesideNodelay(p *rule.Pass) {
	if p.Tree.HTTP == nil {
		return
	}
	checkLevelDelay(p, &p.Tree.HTTP.Level)
	for _, place := range p.Places() {
		checkLevelDelay(p, place.Level)
	}
}

func checkLevelDelay(p *rule.Pass, l *config.Level) {
	for _, item := range l.Items {
		if item.Name().Value != "limit_req" {
			continue
		}
		if delay, nodelay, burst := delayWords(item.Directive); delay.Value != "" && nodelay.Value != "" {
			p.Report(delayFinding(item, l, delay, nodelay, burst))
		}
	}
}

func delayWords(d *syntax.Directive) (delay, nodelay syntax.Word, burst bool) {
	for _, w := range d.Args() {
		switch {
		case w.Value == "nodelay":
			nodelay = w
		case strings.HasPrefix(w.Value, "delay="):
			delay = w
		case strings.HasPrefix(w.Value, "burst="):
			burst = true
		}
	}
	return delay, nodelay, burst
}

func delayFinding(item config.Item, l *config.Level, delay, nodelay syntax.Word, burst bool) rule.Finding {
	f := rule.Of(item, l)
	f.Primary = source.Span{File: item.File, Start: min(delay.Start, nodelay.Start), End: max(delay.End, nodelay.End)}
	f.Evidence = map[string]any{"arguments": int64(item.NumArgs())}
	if burst {
		f.Severity = rule.Error
		f.Message = fmt.Sprintf("nodelay and %s stand beside burst, %d arguments where limit_req takes 3 at most", delay.Value, item.NumArgs())
		return f
	}
	f.Message = fmt.Sprintf("nodelay and %s stand together without burst, and neither has any effect: with burst 0 nothing is let in to be delayed", delay.Value)
	return f
}

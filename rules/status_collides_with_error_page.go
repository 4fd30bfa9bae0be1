package rules

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// StatusCollidesWithErrorPage reports refusals that an error_page takes for something else.
var StatusCollidesWithErrorPage = register(rule.Rule{
	Name:       "status-collides-with-error-page",
	Summary:    "an error_page takes refusals for something else",
	Group:      rule.GroupSeeing,
	Severity:   rule.Warning,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: "A refusal is an error like any other: an `error_page` for its status takes it. What that page does then happens to refused requests.\n" +
		"\n" +
		"- It hands on to an upstream (`error_page 503 = @app`): the refused request reaches an upstream after all, the log says REJECTED beside the\n" +
		"  upstream's answer, and nothing is protected. An error where it is the very upstream that the limit stands in front of.\n" +
		"- It answers with a status of its own, 200 or a redirect: programs take the refusal for success and do not slow down.\n" +
		"- It is the page for outages or maintenance, because the limit answers with 503 (or another status that nginx gives for reasons\n" +
		"  of its own): a person who was too fast reads that the site is down. `limit_req_status 429` keeps the two apart.\n" +
		"\n" +
		"A page for 429 that nginx itself answers is what it is for, and is no finding. Nor is the stock `error_page 500 502 503 504` beside\n" +
		"limits whose status was never set: that status is the fault.\n",
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr zone=api:10m rate=10r/s;
    limit_req_status 429;
    error_page 429 = @app;

    server {
        location /api/ {
            limit_req zone=api burst=20 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }

        location @app {
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Good: `events {}

http {
    limit_req_zone $binary_remote_addr zone=api:10m rate=10r/s;
    limit_req_status 429;
    error_page 429 @slow-down;

    server {
        location /api/ {
            limit_req zone=api burst=20 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }

        location @slow-down {
            return 429 "slow down\n";
        }
    }
}
`,
	Links: []string{
		"https://nginx.org/en/docs/http/ngx_http_core_module.html#error_page",
		"https://nginx.org/en/docs/http/ngx_http_limit_req_module.html#limit_req_status",
	},
	Check: checkStatusCollides,
})

func checkStatusCollides(p *rule.Pass) {
	type collision struct {
		page   *syntax.Directive
		status int
	}
	seen := make(map[collision]bool)
	for r, place := range p.Refusing() {
		status := r.Status(place.Settings)
		page := rule.PageFor(place, status.Value)
		if page == nil || seen[collision{page.Directive, status.Value}] {
			continue
		}
		a := p.Refused(place, status.Value)
		text, severity := judgeAnswer(r, place, status, &a)
		if text == "" || !p.WholeIn(place.Server) {
			continue
		}
		seen[collision{page.Directive, status.Value}] = true
		f := rule.Of(config.Item{Directive: page.Directive, Via: page.Via}, place.Settings.ErrorPages.At)
		f.Message, f.Severity = text, severity
		f.Evidence = map[string]any{"status": int64(status.Value), "target": page.Target}
		f.Related = []rule.Label{{Span: r.Limit.Head(), Message: "its refusals come here"}}
		p.Report(f)
	}
}

// judgeAnswer says what is wrong with how refusals at a place are answered; "" where nothing is.
func judgeAnswer(r *rule.Refusing, place rule.Place, status *config.Setting[int], a *rule.Answer) (string, rule.Severity) {
	if to, ok := a.Upstream(); ok {
		if own, ok := place.Upstream(); ok && own.Arg(0) == to.Arg(0) {
			return fmt.Sprintf("error_page hands what %s refuses with %d on to %s after all: nothing is kept from that upstream", r.Name, a.Status, to.Arg(0)), rule.Error
		}
		return fmt.Sprintf("error_page hands what %s refuses with %d on to an upstream, %s", r.Name, a.Status, to.Arg(0)), severityOf(a)
	}
	switch shown := a.Shown(); {
	case shown >= 200 && shown < 300:
		return fmt.Sprintf("error_page answers what %s refuses with status %d: programs take it for success", r.Name, shown), rule.Warning
	case a.Redirect:
		return fmt.Sprintf("error_page sends what %s refuses with %d to %s by a redirect: programs do not see the refusal", r.Name, a.Status, a.Page.Target), severityOf(a)
	case shown != a.Status || !sharedStatus(a.Status):
		return "", ""
	case len(a.Page.Codes) == 1:
		return fmt.Sprintf("refusals of %s carry %d, for which error_page shows %s: people who were too fast see the page of another fault", r.Name, a.Status, a.Page.Target), rule.Warning
	case status.From() != config.Default:
		return fmt.Sprintf("refusals of %s carry %d, for which error_page shows %s, as for %d other errors", r.Name, a.Status, a.Page.Target, len(a.Page.Codes)-1), rule.Note
	}
	return "", ""
}

// severityOf is a note where the page is for refusals alone, so that somebody meant it.
func severityOf(a *rule.Answer) rule.Severity {
	if len(a.Page.Codes) == 1 && !sharedStatus(a.Status) {
		return rule.Note
	}
	return rule.Warning
}

// sharedStatus says whether nginx and upstreams give a status for reasons of their own.
func sharedStatus(status int) bool {
	switch status {
	case 400, 401, 403, 404, 405, 408, 410, 413, 414, 416, 500, 501, 502, 503, 504:
		return true
	}
	return false
}

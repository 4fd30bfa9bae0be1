package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// AddHeaderNotAlways reports headers that refusals need and do not get.
var AddHeaderNotAlways = register(rule.Rule{
	Name:       "add-header-not-always",
	Summary:    "a header that a refusal needs is only added to answers that succeed",
	Group:      rule.GroupSeeing,
	Severity:   rule.Warning,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: "`add_header` adds to answers of 200, 201, 204, 206, 301, 302, 303, 304, 307 and 308 only, unless it ends in `always`. A refusal is none of\n" +
		"them. Without `Access-Control-Allow-Origin` a browser hides the refusal from the script that asked: it sees a network error in place\n" +
		"of a 429, cannot tell that it should wait, and often tries again at once. A `Retry-After` without `always` is sent with every answer but\n" +
		"the one that it is meant for.\n" +
		"\n" +
		"Looked at are the headers in effect where the refusal is answered: at the location, or where an `error_page` leads to.\n",
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr zone=api:10m rate=10r/s;
    limit_req_status 429;

    server {
        location /api/ {
            add_header Access-Control-Allow-Origin https://app.example.com;
            limit_req zone=api burst=20 nodelay;
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
            add_header Access-Control-Allow-Origin https://app.example.com always;
            limit_req zone=api burst=20 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Links: []string{
		"https://nginx.org/en/docs/http/ngx_http_headers_module.html#add_header",
		"https://fetch.spec.whatwg.org/#cors-check",
	},
	Fixable: true,
	Check:   checkAddHeaderNotAlways,
})

func checkAddHeaderNotAlways(p *rule.Pass) {
	seen := make(map[*syntax.Directive]bool)
	for r, place := range p.Refusing() {
		page := rule.PageFor(place, r.Status(place.Settings).Value)
		if page == nil && !anyNeeded(place.Settings.AddHeaders.Value) {
			continue
		}
		a := p.Refused(place, r.Status(place.Settings).Value)
		if a.Ends.Level == nil || succeeds(a.Shown()) {
			continue
		}
		for _, h := range a.Ends.Settings.AddHeaders.Value {
			why := neededBy(h.Name)
			if why == "" || h.Always || seen[h.Directive] || rule.AddsAlways(a.Ends, h.Name) || !p.WholeIn(place.Server) {
				continue
			}
			seen[h.Directive] = true
			f := rule.Of(config.Item{Directive: h.Directive, Via: h.Via}, a.Ends.Settings.AddHeaders.At)
			f.Message = fmt.Sprintf("without always %s is not added to a refusal of %s (%d): %s", h.Name, r.Name, a.Status, why)
			f.Evidence = map[string]any{"header": h.Name, "status": int64(a.Status)}
			f.Related = []rule.Label{{Span: r.Limit.Head(), Message: "refuses"}}
			f.Fix = &rule.Fix{Title: "add always", Edits: []source.Edit{rule.AppendWord(h.Directive, "always")}}
			p.Report(f)
		}
	}
}

func anyNeeded(headers []*config.AddHeader) bool {
	return slices.ContainsFunc(headers, func(h *config.AddHeader) bool { return neededBy(h.Name) != "" })
}

// neededBy says what is lost where a refusal has not got the header; "" for headers that a refusal does not need.
func neededBy(name string) string {
	switch strings.ToLower(name) {
	case "access-control-allow-origin":
		return "a script of another origin sees a network error, and no status"
	case "retry-after":
		return "who is refused is not told when to come again"
	}
	return ""
}

// succeeds says whether add_header adds to answers of a status without always; 0 is a status that is not known.
func succeeds(status int) bool {
	switch status {
	case 0, 200, 201, 204, 206, 301, 302, 303, 304, 307, 308:
		return true
	}
	return false
}

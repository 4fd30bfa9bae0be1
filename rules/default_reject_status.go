package rules

import (
	"fmt"
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// DefaultRejectStatus reports limits whose refusals carry nginx's default, 503.
var DefaultRejectStatus = register(rule.Rule{
	Name:       "default-reject-status",
	Summary:    "refusals carry the default status 503, as an outage would",
	Severity:   rule.Note,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: "Without `limit_req_status` (and `limit_conn_status`) a refused request is answered by 503, the same status that nginx gives when\n" +
		"no upstream is there. In the log and in monitoring a limit at work then looks like an outage, a client cannot tell that it\n" +
		"should slow down, and a balancer that retries on 503 sends the request once more. 429 (Too Many Requests) says what\n" +
		"happened; one line at `http` level holds for all limits.\n\n" +
		"A status that is written, 503 too, is taken as meant. So is an `error_page 503 =429 ...` in effect.\n",
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr zone=api:10m rate=10r/s;

    server {
        location /api/ {
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
            limit_req zone=api burst=20 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Links: []string{
		"https://nginx.org/en/docs/http/ngx_http_limit_req_module.html#limit_req_status",
		"https://nginx.org/en/docs/http/ngx_http_limit_conn_module.html#limit_conn_status",
		"https://www.rfc-editor.org/rfc/rfc6585#section-4",
	},
	Fixable: true,
	Check:   checkDefaultRejectStatus,
})

func checkDefaultRejectStatus(p *rule.Pass) {
	if !p.Tree.Complete() {
		return // the status may be set in what was not read
	}
	words := newDefaultStatus("limit_req")
	for _, list := range p.LimitReqs() {
		if n := countDefault(list.Places, func(s *config.Settings) (*config.Setting[int], bool) {
			return s.LimitReqStatus, s.LimitReqDryRun.Value
		}); n > 0 {
			words.report(p, config.Item{Directive: list.Limits[0].Directive, Via: list.Limits[0].Via}, list.At, list.Levels, n)
		}
	}
	words = newDefaultStatus("limit_conn")
	for _, list := range p.LimitConns() {
		if n := countDefault(list.Places, func(s *config.Settings) (*config.Setting[int], bool) {
			return s.LimitConnStatus, s.LimitConnDryRun.Value
		}); n > 0 {
			words.report(p, config.Item{Directive: list.Limits[0].Directive, Via: list.Limits[0].Via}, list.At, list.Levels, n)
		}
	}
}

// countDefault counts the places where a limit can refuse and nothing sets the status of the refusal.
func countDefault(places []rule.Place, status func(*config.Settings) (*config.Setting[int], bool)) int {
	n := 0
	for _, place := range places {
		s, dry := status(place.Settings)
		if s.From == config.Default && !dry && place.Judges() && !mapsStatus(place.Settings.ErrorPages.Value, s.Value) {
			n++
		}
	}
	return n
}

// mapsStatus says whether an error_page gives refusals another status: error_page 503 =429 /slow-down.
func mapsStatus(pages []*config.ErrorPage, status int) bool {
	for _, page := range pages {
		if page.Answer != 0 && slices.Contains(page.Codes, status) {
			return true
		}
	}
	return false
}

// defaultStatus are the words about one kind of limit, made once: there may be tens of thousands of findings.
type defaultStatus struct{ message, title, line string }

func newDefaultStatus(limit string) defaultStatus {
	name := limit + "_status"
	return defaultStatus{
		message: fmt.Sprintf("refusals of %s carry the default status 503, because no %s is in effect", limit, name),
		title:   "set " + name + " 429",
		line:    name + " 429;",
	}
}

func (w defaultStatus) report(p *rule.Pass, limit config.Item, at *config.Level, levels, places int) {
	f := rule.Of(limit, at)
	f.Places = levels
	f.Message = w.message
	f.Evidence = map[string]any{"status": int64(503), "places": int64(places)}
	f.Fix = &rule.Fix{Title: w.title, Edits: []source.Edit{rule.InsertBefore(limit.Directive, w.line)}}
	p.Report(f)
}

package rules

import (
	"fmt"
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// DefaultRejectStatus reports limits whose refusals carry nginx's default, 503.
var DefaultRejectStatus = register(rule.Rule{
	Name:       "default-reject-status",
	Summary:    "refusals carry the default status 503, as an outage would",
	Group:      rule.GroupSeeing,
	Severity:   rule.Note,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: "Without `limit_req_status` (and `limit_conn_status`) a refused request is answered by 503, the same status that nginx gives when\n" +
		"no upstream is there. In the log and in monitoring a limit at work then looks like an outage, a client cannot tell that it\n" +
		"should slow down, and a balancer that retries on 503 sends the request once more. 429 (Too Many Requests) says what\n" +
		"happened; one line at `http` level holds for all limits.\n\n" +
		"It is told once for the whole configuration, at the first limit, since one line mends all of them.\n" +
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
	reqs := defaulted{name: "limit_req"}
	for _, list := range p.LimitReqs() {
		l := list.Limits[0]
		reqs.add(list.At, list.Levels, config.Item{Directive: l.Directive, Via: l.Via}, list.Places, func(s *config.Settings) (*config.Setting[int], bool) {
			return s.LimitReqStatus, s.LimitReqDryRun.Value
		})
		if reqs.zone == nil && l.Zone != nil {
			reqs.zone = l.Zone.Directive
		}
	}
	reqs.report(p)
	conns := defaulted{name: "limit_conn"}
	for _, list := range p.LimitConns() {
		l := list.Limits[0]
		conns.add(list.At, list.Levels, config.Item{Directive: l.Directive, Via: l.Via}, list.Places, func(s *config.Settings) (*config.Setting[int], bool) {
			return s.LimitConnStatus, s.LimitConnDryRun.Value
		})
		if conns.zone == nil && l.Zone != nil {
			conns.zone = l.Zone.Directive
		}
	}
	conns.report(p)
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

// defaulted are the lists of one kind of limit whose refusals carry the default status. One line in http mends them all,
// so that they are one finding, at the first of them.
type defaulted struct {
	name   string
	limits []config.Item // the first of each list
	at     *config.Level // of the first list
	levels int           // that list's
	places int
	mapped bool // an error_page somewhere rests on the default status
	zone   *syntax.Directive
}

func (d *defaulted) add(at *config.Level, levels int, limit config.Item, places []rule.Place, status func(*config.Settings) (*config.Setting[int], bool)) {
	for _, place := range places {
		if s, _ := status(place.Settings); s.From == config.Default && mapsStatus(place.Settings.ErrorPages.Value, s.Value) {
			d.mapped = true
		}
	}
	n := countDefault(places, status)
	if n == 0 {
		return
	}
	if d.at == nil {
		d.at, d.levels = at, levels
	}
	d.limits = append(d.limits, limit)
	d.places += n
}

func (d *defaulted) report(p *rule.Pass) {
	if len(d.limits) == 0 || !p.Whole() {
		return // the status may be set in what was not read
	}
	status := d.name + "_status"
	f := rule.Of(d.limits[0], d.at)
	f.Places = d.levels
	where := ""
	if len(d.limits) > 1 {
		where = fmt.Sprintf(" in %s with limits of their own", rule.Plural(int64(len(d.limits)), "block", "blocks"))
	}
	f.Message = fmt.Sprintf("refusals of %s carry the default status 503%s, because no %s is in effect", d.name, where, status)
	f.Evidence = map[string]any{"status": int64(503), "places": int64(d.places)}
	f.Fix = &rule.Fix{Title: "set " + status + " 429", Edits: d.edits(status)}
	p.Report(f)
}

// edits set the status: beside the limit where there is one list; else once in http, where zones are defined; but beside
// each of many lists where the line in http would change what an error_page of another level takes.
func (d *defaulted) edits(status string) []source.Edit {
	if len(d.limits) > 1 && !d.mapped && d.zone != nil {
		return []source.Edit{rule.InsertBefore(d.zone, status+" 429;")}
	}
	edits := make([]source.Edit, 0, len(d.limits))
	for _, limit := range d.limits {
		edits = append(edits, rule.InsertBefore(limit.Directive, status+" 429;"))
	}
	return edits
}

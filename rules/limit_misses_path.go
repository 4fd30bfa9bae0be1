package rules

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// LimitMissesPath reports ways around a limit to what it protects.
var LimitMissesPath = register(rule.Rule{
	Name:       "limit-misses-path",
	Summary:    "what a limit protects is reached by another path, without it",
	Group:      rule.GroupReach,
	Severity:   rule.Warning,
	Confidence: rule.High,
	Risk:       "5.3",
	Since:      "0.1.0",
	Why: "A limit holds for the location that takes the request, not for the program behind it. With a limit in `location /` and\n" +
		"`try_files $uri /index.php`, whoever asks for `/index.php` comes to `location ~ \\.php$` at once, and is not limited. Reported, each\n" +
		"with an address that was followed through nginx's phases:\n\n" +
		"- a location that a limited one leads to and that takes requests of its own, without a limit;\n" +
		"- a limited location that rewrites requests into one without a limit: the rewriting comes first;\n" +
		"- a server that answers to the same name at another port, or to any name at the same one, and hands requests on to the same\n" +
		"  upstream without the limit (for any name with medium confidence: the upstream may tell names apart);\n" +
		"- a login whose pattern misses the very word it names: `^/(sign-in[^/]|reset)` wants one more letter behind `sign-in`;\n" +
		"- a login at one exact address, where the same with a slash behind it or in capitals goes to the same upstream by a location\n" +
		"  without a limit. Whether the program takes it for the login nginx cannot know: that is a note of low confidence.\n\n" +
		"Nothing is said of locations that have any limit of their own, be it one that switches limits off, that are internal, or that ask for a\n" +
		"password or refuse strangers; and of servers that only this machine or a private network can connect to.\n",
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr zone=visitors:10m rate=5r/s;
    limit_req_status 429;

    server {
        root /srv/www;

        location / {
            limit_req zone=visitors burst=50 nodelay;
            try_files $uri /index.php?$args;
        }

        location ~ \.php$ {
            fastcgi_pass 127.0.0.1:9000;
        }
    }
}
`,
	Good: `events {}

http {
    limit_req_zone $binary_remote_addr zone=visitors:10m rate=5r/s;
    limit_req_status 429;

    server {
        root /srv/www;

        location / {
            limit_req zone=visitors burst=50 nodelay;
            try_files $uri /index.php?$args;
        }

        location ~ \.php$ {
            limit_req zone=visitors burst=50 nodelay;
            fastcgi_pass 127.0.0.1:9000;
        }
    }
}
`,
	Links: []string{
		"https://nginx.org/en/docs/http/ngx_http_core_module.html#location",
		"https://nginx.org/en/docs/http/ngx_http_core_module.html#try_files",
		"https://nginx.org/en/docs/http/request_processing.html",
	},
	Check: checkLimitMissesPath,
})

func checkLimitMissesPath(p *rule.Pass) {
	m := misses{Pass: p, told: make(map[*config.Level]bool), logins: make(map[label]bool)}
	for _, h := range p.Handovers() {
		to := rule.PlaceOf(h.To)
		switch {
		case !h.Upstream || !to.Unlimited() || to.Guarded():
		case h.Judged:
			m.direct(h)
		default:
			m.rewritten(h)
		}
	}
	m.variants()
	m.servers()
}

type misses struct {
	*rule.Pass
	told   map[*config.Level]bool // the levels that a finding stands at
	logins map[label]bool         // whether a location is for a login, by its label
	probe  *rule.Probe
}

// ask follows a request.
func (m *misses) ask() *rule.Probe {
	if m.probe == nil {
		m.probe = m.Probe()
	}
	return m.probe
}

// at starts a finding about a location's head; nil where one stands there already, or something was not read.
func (m *misses) at(l *config.Location) *rule.Finding {
	if m.told[&l.Level] || l.Directive == nil || !m.WholeIn(l.Server) {
		return nil
	}
	m.told[&l.Level] = true
	f := rule.Of(config.Item{Directive: l.Directive, Via: l.Via}, &l.Level)
	return &f
}

// direct looks whether what a limited location leads to takes the same request itself.
func (m *misses) direct(h rule.Handover) {
	t, ok := m.ask().Get(h.To.Server, h.URI)
	if !ok || t.Location != h.To || !rule.Answers(&t) {
		return
	}
	f := m.at(h.To)
	if f == nil {
		return
	}
	url := m.probe.URL(h.To.Server, h.URI)
	f.Message = fmt.Sprintf("%s comes here at once and is not limited; only what comes by location %s is", url, h.From.Label())
	f.Evidence = map[string]any{"url": url, "limited_url": h.URL}
	f.Related = []rule.Label{{Span: h.From.Settings.LimitReqs.Value[0].Directive.Head(), Message: "this limit is gone around"}}
	m.Report(*f)
}

// rewritten tells of a request that leaves a limited location before its limits are asked.
func (m *misses) rewritten(h rule.Handover) {
	if _, all := rule.PlaceOf(h.From).Answerer(); all || m.told[&h.From.Level] || !m.WholeIn(h.From.Server) {
		return // limit-never-runs tells
	}
	m.told[&h.From.Level] = true
	limit := h.From.Settings.LimitReqs.Value[0]
	f := rule.Of(config.Item{Directive: limit.Directive, Via: limit.Via}, h.From.Settings.LimitReqs.At)
	f.Message = fmt.Sprintf("%s is led to location %s before this limit is asked, and no limit is in effect there", h.URL, h.To.Label())
	f.Evidence = map[string]any{"url": h.URL}
	f.Related = []rule.Label{{Span: h.To.Directive.Head(), Message: "answers without a limit"}}
	m.Report(f)
}

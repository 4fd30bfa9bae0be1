package rules

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// LogLevelHidden reports refusals that are logged nowhere.
var LogLevelHidden = register(rule.Rule{
	Name:       "log-level-hidden",
	Summary:    "refusals are logged at a level that the error log leaves out",
	Group:      rule.GroupSeeing,
	Severity:   rule.Warning,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: "nginx writes `limiting requests, excess: ...` at `limit_req_log_level` (error unless it is set), and `error_log` keeps what is at its\n" +
		"own level or graver. With `limit_req_log_level warn` beside `error_log ... error` no refusal is ever written, and people look for the\n" +
		"reason of a 503 where it does not stand. Raise one or lower the other; delays are one level below still.\n" +
		"\n" +
		"Where the access log holds `$limit_req_status` (or `$limit_conn_status`) the refusals can be counted there, and nothing is\n" +
		"reported. It is a note where all errors go to /dev/null, which somebody wanted so.\n",
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr zone=api:10m rate=10r/s;
    limit_req_status 429;
    limit_req_log_level notice;
    error_log /var/log/nginx/error.log warn;

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
    limit_req_log_level warn;
    error_log /var/log/nginx/error.log warn;

    server {
        location /api/ {
            limit_req zone=api burst=20 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Links: []string{
		"https://nginx.org/en/docs/http/ngx_http_limit_req_module.html#limit_req_log_level",
		"https://nginx.org/en/docs/ngx_core_module.html#error_log",
	},
	Check: checkLogLevelHidden,
})

func checkLogLevelHidden(p *rule.Pass) {
	seen := make(map[[2]*syntax.Directive]bool)
	for r, place := range p.Refusing() {
		level, logs := r.LogLevel(place.Settings), place.Settings.ErrorLogs
		kept, nowhere := rule.KeptLevel(logs.Value)
		if rule.KeepsLevel(kept, level.Value) && !nowhere {
			continue
		}
		at := [2]*syntax.Directive{level.Origin, logs.Origin}
		if seen[at] || seesOutcome(p, place, r.Variable) || !p.WholeAt(place.Level) {
			continue
		}
		seen[at] = true
		p.Report(logLevelFinding(r, place, kept, nowhere))
	}
}

// seesOutcome says whether the access log tells the outcome, or may.
func seesOutcome(p *rule.Pass, place rule.Place, variable string) bool {
	formats, known := p.Formats(place)
	return !known || p.Logs(formats, variable)
}

func logLevelFinding(r *rule.Refusing, place rule.Place, kept string, nowhere bool) rule.Finding {
	level, logs := r.LogLevel(place.Settings), place.Settings.ErrorLogs
	f := rule.Of(r.Limit, r.At)
	switch {
	case level.Origin != nil:
		f = rule.Of(config.Item{Directive: level.Origin, Via: level.Via}, level.At)
		if logs.Origin != nil {
			f.Related = []rule.Label{{Span: logs.Origin.Head(), Message: "keeps " + kept + " and what is graver"}}
		}
	case logs.At != nil:
		f = rule.Of(config.Item{Directive: logs.Origin, Via: logs.Via}, logs.At)
	case logs.Origin != nil:
		f = rule.Finding{Primary: logs.Origin.Head(), Subject: logs.Origin, Via: logs.Via}
	}
	f.Message = fmt.Sprintf("refusals of %s are logged at %s, and error_log keeps %s and what is graver: none is written", r.Name, level.Value, kept)
	f.Evidence = map[string]any{"refused_at": level.Value, "kept": kept}
	if nowhere {
		f.Severity, f.Confidence = rule.Note, rule.Medium
		f.Message = fmt.Sprintf("all errors go to /dev/null, and the access log has no $%s: refusals of %s are written nowhere", r.Variable, r.Name)
	}
	return f
}

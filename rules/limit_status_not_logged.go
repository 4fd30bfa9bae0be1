package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/directive"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// LimitStatusNotLogged reports access logs without the outcome of the limits.
var LimitStatusNotLogged = register(rule.Rule{
	Name:       "limit-status-not-logged",
	Summary:    "the access log does not say what the limits did",
	Group:      rule.GroupSeeing,
	Severity:   rule.Note,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: "`$limit_req_status` (nginx 1.17.6) is PASSED, DELAYED or REJECTED, and likewise `$limit_conn_status`. Without it the access log\n" +
		"shows a 429 or a 503 that the upstream may have sent as well, and of a request that a limit held back nothing at all: the\n" +
		"error log keeps delays one level below `limit_req_log_level`, which `error_log` leaves out by default. Whoever asks whether a limit\n" +
		"hits ordinary people has nothing to count. Add the variable to the log format; a dry run is of no use without it.\n" +
		"\n" +
		"It is told once for each log format. Where nothing is logged, or code of a script logs, it is not.\n",
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr zone=api:10m rate=10r/s;
    limit_req_status 429;

    log_format timing '$remote_addr [$time_local] "$request" $status $request_time $upstream_response_time';
    access_log /var/log/nginx/access.log timing;

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

    log_format timing '$remote_addr [$time_local] "$request" $status $limit_req_status $request_time $upstream_response_time';
    access_log /var/log/nginx/access.log timing;

    server {
        location /api/ {
            limit_req zone=api burst=20 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Links: []string{
		"https://nginx.org/en/docs/http/ngx_http_limit_req_module.html#var_limit_req_status",
		"https://nginx.org/en/docs/http/ngx_http_log_module.html#log_format",
	},
	Check: checkLimitStatusNotLogged,
})

func checkLimitStatusNotLogged(p *rule.Pass) {
	version, err := directive.ParseVersion(p.Tree.Version)
	if err != nil {
		return
	}
	found := make(map[*config.LogFormat]*rule.Finding)
	lacking := make(map[*config.LogFormat][]string)
	var order []*config.LogFormat
	for r, place := range p.Refusing() {
		if version < directive.VariableSince(r.Variable) {
			continue
		}
		formats, known := p.Formats(place)
		if !known || len(formats) == 0 || p.Logs(formats, r.Variable) {
			continue
		}
		format := formats[0]
		if slices.Contains(lacking[format], "$"+r.Variable) || !p.WholeAt(place.Level) {
			continue
		}
		lacking[format] = append(lacking[format], "$"+r.Variable)
		if found[format] == nil {
			f := rule.AtFormat(format, r, place)
			found[format] = &f
			order = append(order, format)
		}
	}
	for _, format := range order {
		f := found[format]
		f.Message = fmt.Sprintf("log format %s has no %s, so that the log does not tell what the limits refuse or delay", format.Name, strings.Join(lacking[format], " and no "))
		f.Evidence = map[string]any{"format": format.Name, "lacking": lacking[format]}
		p.Report(*f)
	}
}

package rules

import (
	"fmt"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// UpstreamTimeNotLogged reports access logs in which a wait in a limit cannot be seen.
var UpstreamTimeNotLogged = register(rule.Rule{
	Name:       "upstream-time-not-logged",
	Summary:    "the access log does not tell a wait in a limit from a slow upstream",
	Group:      rule.GroupSeeing,
	Severity:   rule.Note,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: "A request that `limit_req` holds back spends that time before the upstream is asked: `$request_time` grows, and\n" +
		"`$upstream_response_time` does not. At one office the pages' p95 rose from 310 ms to 2.1 s while the upstream's stayed near 240 ms, and\n" +
		"only the two numbers side by side told that the delay was nginx's own. A log with one of them, or neither, shows a slow site.\n" +
		"\n" +
		"It is told once for each log format, where a limit may delay (a burst without `nodelay`, or with `delay=`) and an upstream\n" +
		"answers.\n",
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr zone=api:10m rate=10r/s;
    limit_req_status 429;

    log_format limits '$remote_addr [$time_local] "$request" $status $limit_req_status';
    access_log /var/log/nginx/access.log limits;

    server {
        location /api/ {
            limit_req zone=api burst=20 delay=16;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Good: `events {}

http {
    limit_req_zone $binary_remote_addr zone=api:10m rate=10r/s;
    limit_req_status 429;

    log_format limits '$remote_addr [$time_local] "$request" $status $limit_req_status $request_time $upstream_response_time';
    access_log /var/log/nginx/access.log limits;

    server {
        location /api/ {
            limit_req zone=api burst=20 delay=16;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Links: []string{
		"https://nginx.org/en/docs/http/ngx_http_upstream_module.html#var_upstream_response_time",
		"https://nginx.org/en/docs/http/ngx_http_log_module.html#log_format",
	},
	Check: checkUpstreamTimeNotLogged,
})

func checkUpstreamTimeNotLogged(p *rule.Pass) {
	first := make(map[*config.LogFormat]int) // the index of its finding
	longest := make(map[*config.LogFormat]int64)
	var found []rule.Finding
	for r, place := range p.Refusing() {
		wait := longestWait(place.Settings.LimitReqs.Value)
		if wait == 0 || !asksUpstream(place) {
			continue
		}
		formats, known := p.Formats(place)
		if !known || len(formats) == 0 || wait <= longest[formats[0]] {
			continue
		}
		format := formats[0]
		lacking := lackingTimes(p, formats)
		if len(lacking) == 0 || !p.WholeAt(place.Level) {
			continue
		}
		longest[format] = wait
		at, told := first[format]
		if !told {
			at = len(found)
			first[format] = at
			found = append(found, rule.AtFormat(format, r, place))
		}
		f := &found[at]
		f.Message = fmt.Sprintf("log format %s has no %s, so that a wait of up to %s in a limit looks like a slow upstream", format.Name, strings.Join(lacking, " and no "), rule.AtMost(wait))
		f.Evidence = map[string]any{"format": format.Name, "lacking": lacking, "wait_ms": wait}
	}
	for _, f := range found {
		p.Report(f)
	}
}

// lackingTimes are those of the two times that none of the formats holds.
func lackingTimes(p *rule.Pass, formats []*config.LogFormat) (lacking []string) {
	for _, name := range [...]string{"request_time", "upstream_response_time"} {
		if !p.Logs(formats, name) {
			lacking = append(lacking, "$"+name)
		}
	}
	return lacking
}

// longestWait is for how many milliseconds the limits may hold a request back; 0 where none does.
func longestWait(limits []*config.LimitReq) int64 {
	var longest int64
	for _, l := range limits {
		if l.Zone != nil {
			longest = max(longest, rule.LongestDelay(l))
		}
	}
	return longest
}

// asksUpstream says whether a place, or what its try_files falls back to, hands requests on.
func asksUpstream(place rule.Place) bool {
	if _, ok := place.Upstream(); ok {
		return true
	}
	_, falls := place.Effective("try_files")
	return falls && place.Location != nil
}

package rules

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// MissingNodelay reports bursts that are paid out slowly where people wait.
var MissingNodelay = register(rule.Rule{
	Name:       "missing-nodelay",
	Summary:    "a burst without nodelay makes people wait",
	Severity:   rule.Warning,
	Confidence: rule.Medium,
	Since:      "0.1.0",
	Why: "Without `nodelay` nginx holds each request that exceeds the rate until the rate would have allowed it: at `rate=5r/s` and\n" +
		"`burst=10` the last one waits 2 seconds, with the upstream idle. A page is a fan of requests: of 23 at once one passes, ten wait\n" +
		"for 200 ms to 2 s, and twelve are refused. In the access log the request time grows and the upstream's does not.\n\n" +
		"`nodelay` lets in at once what `burst` has room for and refuses the same requests as before: it does not make the limit\n" +
		"weaker, because the room is still freed at the rate. `delay=N` does so for the first N, which should cover a page.\n\n" +
		"Nothing is said where holding back is the point or harms nobody: a login, hooks and other paths of programs, a key that no\n" +
		"ordinary visitor has, waits of 100 ms at most, a dry run. A `delay=` is taken as meant as long as it covers half of a page.\n",
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr zone=per_ip:10m rate=5r/s;
    limit_req_status 429;

    server {
        location /shop/ {
            limit_req zone=per_ip burst=10;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Good: `events {}

http {
    limit_req_zone $binary_remote_addr zone=per_ip:10m rate=5r/s;
    limit_req_status 429;

    server {
        location /shop/ {
            limit_req zone=per_ip burst=60 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Links: []string{
		"https://nginx.org/en/docs/http/ngx_http_limit_req_module.html#limit_req",
		"https://blog.nginx.org/blog/rate-limiting-nginx",
	},
	Fixable: true,
	Check:   checkMissingNodelay,
})

// unnoticedMs is the longest wait that people do not notice.
const unnoticedMs = 100

func checkMissingNodelay(p *rule.Pass) {
	told := make(map[delayed]rule.Finding)
	for _, list := range p.LimitReqs() {
		for _, limit := range list.Limits {
			if limit.NoDelay || limit.Burst == 0 || limit.Delay >= limit.Burst || limit.Zone == nil || !p.Key(limit.Zone.Key).Pages {
				continue
			}
			if longestDelay(limit) > unnoticedMs {
				checkDelay(p, list, limit, told)
			}
		}
	}
}

// longestDelay is how many milliseconds the last request within the burst waits.
func longestDelay(l *config.LimitReq) int64 {
	if l.Zone.Rate <= 0 {
		return 0
	}
	return (l.Burst - l.Delay) * 1000 / l.Zone.Rate
}

// checkDelay reports a limit once, with what the page suffers where it suffers most.
func checkDelay(p *rule.Pass, list rule.List[*config.LimitReq], limit *config.LimitReq, told map[delayed]rule.Finding) {
	var worst rule.Suffered
	fan, machines, waiting := false, true, false
	for _, place := range list.Places {
		if !place.Judges() || place.Settings.LimitReqDryRun.Value || p.Use(place) != rule.ForPages {
			continue
		}
		waiting = true
		fan = fan || place.IsFan()
		machines = machines && rule.ForMachines(place.Server)
		if s := p.Suffered(place); s.WorseThan(worst) {
			worst = s
		}
	}
	if !waiting || limit.HasDelay && 2*worst.One.Delayed <= worst.One.Requests || unnoticed(p, limit, worst) {
		return
	}
	f := delayedFinding(limit, list.At, worst, told)
	f.Places = list.Levels
	switch {
	case machines || !fan:
		f.Severity, f.Confidence = rule.Note, rule.Low
	case worst.One.Delayed > 0:
		f.Confidence = rule.High
	}
	p.Report(f)
}

// unnoticed says whether the page's requests, which come by and are counted, wait so little that nobody notices.
func unnoticed(p *rule.Pass, limit *config.LimitReq, s rule.Suffered) bool {
	return s.One.Requests > 0 && p.Key(limit.Zone.Key).PerAddress && max(s.One.MaxAddedMs, s.Office.MaxAddedMs) <= unnoticedMs
}

// delayed is all that message and evidence rest on. They are made once for all limits that are alike: in a large
// configuration nearly all are.
type delayed struct {
	rate, burst, delay int64
	hasDelay           bool
	suffered           rule.Suffered
}

func delayedFinding(limit *config.LimitReq, at *config.Level, s rule.Suffered, told map[delayed]rule.Finding) rule.Finding {
	f := rule.Of(config.Item{Directive: limit.Directive, Via: limit.Via}, at)
	f.Related = []rule.Label{{Span: limit.Zone.RateSpan, Message: "the rate"}}
	key := delayed{limit.Zone.Rate, limit.Burst, limit.Delay, limit.HasDelay, s}
	if _, ok := told[key]; !ok {
		told[key] = tellDelay(limit, s)
	}
	f.Message, f.Evidence = told[key].Message, told[key].Evidence
	if !limit.HasDelay {
		f.Fix = &rule.Fix{Title: "add nodelay", Edits: []source.Edit{rule.AppendWord(limit.Directive, "nodelay")}}
	}
	return f
}

func tellDelay(limit *config.LimitReq, s rule.Suffered) rule.Finding {
	longest := longestDelay(limit)
	evidence := map[string]any{"rate_milli": limit.Zone.Rate, "burst_milli": limit.Burst, "delay_ms_max": longest}
	how := fmt.Sprintf("burst=%s without nodelay", rule.Milli(limit.Burst))
	if limit.HasDelay {
		how = fmt.Sprintf("burst=%s with delay=%s", rule.Milli(limit.Burst), rule.Milli(limit.Delay))
		evidence["delay_milli"] = limit.Delay
	}
	message := fmt.Sprintf("%s at %s holds requests for up to %s", how, rule.Rate(limit.Zone.Rate), rule.Duration(longest))
	if s.One.Harmed() || s.Office.Harmed() {
		message += ": " + s.Words()
		s.Tell(evidence)
	}
	return rule.Finding{Message: message, Evidence: evidence}
}

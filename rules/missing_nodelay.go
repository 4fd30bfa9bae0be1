package rules

import (
	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// MissingNodelay reports bursts that are paid out slowly where people wait.
var MissingNodelay = register(rule.Rule{
	Name:       "missing-nodelay",
	Summary:    "a burst without nodelay makes people wait",
	Group:      rule.GroupValues,
	Severity:   rule.Warning,
	Confidence: rule.Medium,
	Since:      "0.1.0",
	Why: "Without `nodelay` nginx holds each request that exceeds the rate until the rate would have allowed it: at `rate=5r/s` and\n" +
		"`burst=10` the last one waits 2 seconds, with the upstream idle. A page is a fan of requests: of 23 at once one passes, ten wait\n" +
		"for 200 ms to 2 s, and twelve are refused. In the access log the request time grows and the upstream's does not.\n\n" +
		"`nodelay` lets in at once what `burst` has room for, and frees the room at the rate as before: of requests that come at the\n" +
		"same times it refuses the same ones, so the limit is not weaker. But a page's later requests then come earlier. Where a script\n" +
		"was held back for a second, its calls came when the bucket had drained by that second; with `nodelay` they come at once, and a\n" +
		"burst that was too small for a page refuses more of them. The burst has to hold what one page sends, which burst-below-fan\n" +
		"tells. `delay=N` lets in the first N at once, which should cover a page.\n\n" +
		"The fix adds `nodelay`. Where the page suffers no refusal now and would then, the fix raises the burst with it to the least\n" +
		"number that lets one page of one client pass, and is not safe.\n\n" +
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
	Settings: []string{"background", "clients_per_address", "fans", "interactive"},
	Fixable:  true,
	SafeFix:  true,
	Check:    checkMissingNodelay,
})

// unnoticedMs is the longest wait that people do not notice.
const unnoticedMs = 100

func checkMissingNodelay(p *rule.Pass) {
	told := make(map[delayed]rule.Finding)
	for _, list := range p.LimitReqs() {
		for i, limit := range list.Limits {
			if limit.NoDelay || limit.Burst == 0 || limit.Delay >= limit.Burst || limit.Zone == nil || !p.Key(limit.Zone.Key).Pages {
				continue
			}
			if rule.LongestDelay(limit) > unnoticedMs {
				checkDelay(p, list, i, told)
			}
		}
	}
}

// checkDelay reports a limit once, with what the page suffers of it where it suffers most.
func checkDelay(p *rule.Pass, list rule.List[*config.LimitReq], number int, told map[delayed]rule.Finding) {
	limit := list.Limits[number]
	fan, machines, waiting := false, true, false
	for _, place := range list.Places {
		if !holdsPeople(p, place) {
			continue
		}
		waiting = true
		fan = fan || place.IsFan()
		machines = machines && rule.ForMachines(place.Server)
	}
	if !waiting {
		return
	}
	worst := p.SufferedBy(list, number, func(place rule.Place) bool { return holdsPeople(p, place) })
	if limit.HasDelay && 2*worst.One.Delayed <= worst.One.Requests || unnoticed(p, limit, worst) {
		return
	}
	if machines || !fan {
		worst.NeedMilli = 0 // no page comes there
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

// holdsPeople says whether a limit in effect at the place holds back requests on which people wait.
func holdsPeople(p *rule.Pass, place rule.Place) bool {
	return place.Judges() && !place.Settings.LimitReqDryRun.Value && p.Use(place) == rule.ForPages && p.WholeIn(place.Server)
}

// unnoticed says whether the page's requests, which come by and are counted, wait so little that nobody notices, also
// where no other limit holds them back first.
func unnoticed(p *rule.Pass, limit *config.LimitReq, s rule.Suffered) bool {
	return s.One.Requests > 0 && p.Key(limit.Zone.Key).PerAddress && max(s.One.MaxAddedMs, s.Office.MaxAddedMs) <= unnoticedMs &&
		(min(s.NeedMilli, limit.Burst)-limit.Delay)*1000/limit.Zone.Rate <= unnoticedMs
}

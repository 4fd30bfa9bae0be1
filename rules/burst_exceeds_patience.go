package rules

import (
	"fmt"
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// BurstExceedsPatience reports bursts whose last requests wait longer than anybody waits for an answer.
var BurstExceedsPatience = register(rule.Rule{
	Name:       "burst-exceeds-patience",
	Summary:    "a burst that holds requests for longer than clients and proxies wait",
	Group:      rule.GroupValues,
	Severity:   rule.Warning,
	Confidence: rule.Medium,
	Since:      "0.1.0",
	Why: "Without `nodelay` a request within the burst waits until the rate would have allowed it: at `rate=10r/m` and `burst=20` the last\n" +
		"one for two minutes. Nobody waits that long. A proxy in front gives up after 60 s (the default of nginx's own\n" +
		"`proxy_read_timeout`, and of the idle timeout of most balancers) and answers 504; programs are mostly set to 30 s. nginx\n" +
		"notices that the client has gone and drops the request (before 1.19.9 it went to the upstream all the same), but the room\n" +
		"that it took in the bucket stays taken: whoever tries again stands behind his own earlier tries, and waits longer.\n\n" +
		"Beyond 60 s it is a warning, beyond 30 s a note. `nodelay` lets in at once what the burst has room for; a smaller burst refuses\n" +
		"at once what would not be waited for, so that the client learns of it.\n\n" +
		"A key that no visitor has and a dry run are left alone.\n",
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr zone=login:10m rate=10r/m;
    limit_req_status 429;

    server {
        location = /login {
            limit_req zone=login burst=20;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Good: `events {}

http {
    limit_req_zone $binary_remote_addr zone=login:10m rate=10r/m;
    limit_req_status 429;

    server {
        location = /login {
            limit_req zone=login burst=20 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Links: []string{
		"https://nginx.org/en/docs/http/ngx_http_limit_req_module.html#limit_req",
		"https://nginx.org/en/docs/http/ngx_http_proxy_module.html#proxy_read_timeout",
	},
	Check: checkBurstExceedsPatience,
})

// How long an answer is waited for, in milliseconds.
const (
	proxyPatience   = 60_000 // by proxies and balancers, unless they are set otherwise
	programPatience = 30_000 // by most programs
)

func checkBurstExceedsPatience(p *rule.Pass) {
	told := make(map[waits]rule.Finding)
	for _, list := range p.LimitReqs() {
		for _, limit := range list.Limits {
			if limit.Zone == nil || limit.NoDelay || rule.LongestDelay(limit) <= programPatience || p.Key(limit.Zone.Key).Exempt {
				continue
			}
			if !slices.ContainsFunc(list.Places, func(place rule.Place) bool { return place.Judges() && !place.Settings.LimitReqDryRun.Value }) {
				break
			}
			f := rule.Of(config.Item{Directive: limit.Directive, Via: limit.Via}, list.At)
			key := waits{limit.Zone.Rate, limit.Burst, limit.Delay}
			if _, ok := told[key]; !ok {
				told[key] = tellPatience(limit)
			}
			f.Message, f.Evidence, f.Severity = told[key].Message, told[key].Evidence, told[key].Severity
			f.Related = []rule.Label{{Span: limit.Zone.RateSpan, Message: "the rate"}}
			f.Places = list.Levels
			p.Report(f)
		}
	}
}

// waits are the numbers that message and evidence rest on. They are made once for all limits that are alike.
type waits struct{ rate, burst, delay int64 }

func tellPatience(limit *config.LimitReq) rule.Finding {
	longest, patience, who := rule.LongestDelay(limit), int64(proxyPatience), "a proxy in front gives up after"
	f := rule.Finding{Severity: rule.Warning}
	if longest <= proxyPatience {
		f.Severity = rule.Note
		patience, who = programPatience, "most programs give up after"
	}
	f.Message = fmt.Sprintf("burst=%s at %s holds requests for up to %s: %s %s", rule.Milli(limit.Burst), rule.RateOf(limit.Zone),
		rule.AtMost(longest), who, rule.Duration(patience))
	f.Evidence = map[string]any{
		"rate_milli": limit.Zone.Rate, "burst_milli": limit.Burst, "delay_milli": limit.Delay, "delay_ms_max": longest, "patience_ms": patience,
	}
	return f
}

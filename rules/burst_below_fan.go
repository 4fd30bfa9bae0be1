package rules

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// BurstBelowFan reports limits that refuse requests of one client's page.
var BurstBelowFan = register(rule.Rule{
	Name:       "burst-below-fan",
	Summary:    "a burst smaller than what one page of one client needs",
	Group:      rule.GroupValues,
	Severity:   rule.Warning,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: "A page is a fan of requests: the HTML, then its files, then what its scripts ask for, most of them within a few milliseconds.\n" +
		"The first passes, `burst` has room for as many more, and what comes beyond that is refused: with `burst=5 nodelay` at 10r/s a\n" +
		"page that makes 14 calls at once gets six of them. `nodelay` does not help, since it makes no room; nor does a higher rate,\n" +
		"unless it is hundreds a second. A limit that a single visitor meets by looking at one page protects nothing.\n\n" +
		"The burst that is named is the smallest one that with `nodelay` refuses none of a page: the limiter itself was asked, with the\n" +
		"page's requests at the times at which they come where nothing holds them back. People who share an address need more.\n\n" +
		"Nothing is said of logins and other single addresses, of hooks and what else programs ask for, of servers that name themselves\n" +
		"an API, of what the page does not ask for, of keys that are empty for visitors, of a dry run, nor of a limit without burst,\n" +
		"which missing-burst reports. It is a note where the key rests on what a visitor may or may not send (a cookie, a header), and\n" +
		"where a `delay=` covers half of the page: whoever wrote that has thought of a page, be it another one.\n",
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr zone=api:10m rate=10r/s;
    limit_req_status 429;

    server {
        location /api/ {
            limit_req zone=api burst=5 nodelay;
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
		"https://nginx.org/en/docs/http/ngx_http_limit_req_module.html#limit_req",
		"https://blog.nginx.org/blog/rate-limiting-nginx",
	},
	Settings: []string{"background", "fans", "interactive"},
	Fixable:  true,
	Check:    checkBurstBelowFan,
})

func checkBurstBelowFan(p *rule.Pass) {
	for _, list := range p.LimitReqs() {
		for i, limit := range list.Limits {
			if limit.Burst == 0 || limit.Zone == nil || !p.Key(limit.Zone.Key).Pages {
				continue
			}
			worst := p.SufferedBy(list, i, func(place rule.Place) bool { return takesFan(p, place) })
			if worst.One.Rejected > 0 || limit.Delay >= limit.Burst && worst.Unsent > 0 && worst.NeedMilli > limit.Burst {
				p.Report(belowFanFinding(p, list, limit, worst))
			}
		}
	}
}

// takesFan says whether a refusal at the place breaks what a person looks at. An estimate is not enough to say so.
func takesFan(p *rule.Pass, place rule.Place) bool {
	if !place.Judges() || place.Settings.LimitReqDryRun.Value || !p.Simulated(place.Server) || !place.IsFan() || rule.ForMachines(place.Server) {
		return false
	}
	use := p.Use(place)
	return (use == rule.ForPages || use == rule.ForStatic) && p.WholeIn(place.Server)
}

func belowFanFinding(p *rule.Pass, list rule.List[*config.LimitReq], limit *config.LimitReq, s rule.Suffered) rule.Finding {
	f := rule.Of(config.Item{Directive: limit.Directive, Via: limit.Via}, list.At)
	f.Places = list.Levels
	if !ofVisitors(p, limit) || coversHalf(limit, s.One.Requests) {
		f.Severity, f.Confidence = rule.Note, rule.Medium
	}
	f.Related = []rule.Label{{Span: limit.Zone.RateSpan, Message: "the rate"}}
	needed := s.BurstNeeded()
	then := fmt.Sprintf(", and with nodelay burst=%d refuses none", needed)
	f.Message = fmt.Sprintf("burst=%s at %s is less than one page of one client needs: ", rule.Milli(limit.Burst), rule.RateOf(limit.Zone))
	f.Evidence = map[string]any{
		"rate_milli": limit.Zone.Rate, "burst": limit.Burst / 1000, "burst_needed": needed,
		"page_requests": int64(s.One.All()), "page_rejected": int64(s.One.Rejected),
	}
	if s.One.Rejected > 0 {
		f.Message += fmt.Sprintf("of its %s here %s", rule.Plural(int64(s.One.All()), "request", "requests"), rule.Counts{Rejected: s.One.Rejected, Lost: s.One.Lost}.Words())
	} else {
		f.Message += "its " + rule.Plural(int64(s.Unsent), "request here hangs", "requests here hang") + " on others that are refused elsewhere"
		f.Evidence["page_unsent"] = int64(s.Unsent)
		then = fmt.Sprintf(", and once they come burst=%d with nodelay refuses none", needed)
	}
	if needed*1000 <= limit.Burst {
		return f // what another limit holds back comes in one heap
	}
	f.Message += then
	if limit.NoDelay {
		f.Fix = &rule.Fix{
			Title: fmt.Sprintf("raise burst to %d, which one page needs", needed),
			Edits: rule.ReplaceWord(limit.Directive, "burst=", fmt.Sprintf("burst=%d", needed)),
		}
	}
	return f
}

func refusedWords(n int) string {
	return rule.Plural(int64(n), "is refused", "are refused")
}

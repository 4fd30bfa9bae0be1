package rules

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// LimitSkippedAfterRedirect reports limits that do not see what was judged before.
var LimitSkippedAfterRedirect = register(rule.Rule{
	Name:       "limit-skipped-after-redirect",
	Summary:    "a stricter limit is skipped for requests that another location has judged",
	Group:      rule.GroupReach,
	Severity:   rule.Warning,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: "The limiters judge each request of a client once, at the first location with limits that it comes to. What `try_files`,\n" +
		"`index`, `error_page` or an upstream then sends to another location is not judged again. With 10r/s in `location /` and\n" +
		"`try_files $uri /index.php`, a limit of 1r/s in `location ~ \\.php$` meets only those who ask for a `.php` address themselves;\n" +
		"all pretty addresses run at 10r/s.\n\n" +
		"Reported is a limit that is stricter than those by which the request was judged, or counts by something else, with an address\n" +
		"that shows it. A limit that lets in as much is not missed. Where nothing at all reaches a limit, limit-never-runs says so.\n",
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr zone=pages:10m rate=10r/s;
    limit_req_zone $binary_remote_addr zone=php:10m rate=1r/s;
    limit_req_status 429;

    server {
        root /srv/www;

        location / {
            limit_req zone=pages burst=40 nodelay;
            try_files $uri /index.php?$args;
        }

        location ~ \.php$ {
            limit_req zone=php burst=5 nodelay;
            fastcgi_pass 127.0.0.1:9000;
        }
    }
}
`,
	Good: `events {}

http {
    limit_req_zone $binary_remote_addr zone=php:10m rate=10r/s;
    limit_req_status 429;

    server {
        root /srv/www;

        location / {
            try_files $uri /index.php?$args;
        }

        location ~ \.php$ {
            limit_req zone=php burst=40 nodelay;
            fastcgi_pass 127.0.0.1:9000;
        }
    }
}
`,
	Links: []string{
		"https://nginx.org/en/docs/http/ngx_http_core_module.html#try_files",
		"https://nginx.org/en/docs/dev/development_guide.html#http_phases",
		"https://nginx.org/en/docs/http/ngx_http_limit_req_module.html#limit_req",
	},
	Check: checkLimitSkippedAfterRedirect,
})

func checkLimitSkippedAfterRedirect(p *rule.Pass) {
	leads := p.Leads("limit_req")
	told := make(map[*syntax.Directive]bool)
	for _, h := range p.Handovers() {
		to := h.To.Settings.LimitReqs
		if !h.Judged || len(to.Value) == 0 || to == h.From.Settings.LimitReqs {
			continue
		}
		limit := notCovered(p, to.Value, h.From.Settings.LimitReqs.Value)
		if limit == nil || told[limit.Directive] {
			continue
		}
		if h.To.Internal || h.To.Modifier == "@" {
			if open, _ := leads.To(h.To); !open {
				continue // no request at all comes to it unjudged
			}
		}
		if !p.WholeIn(h.To.Server) {
			continue
		}
		told[limit.Directive] = true
		f := rule.Of(config.Item{Directive: limit.Directive, Via: limit.Via}, to.At)
		f.Message = fmt.Sprintf("zone %s does not count what location %s has judged before: %s is led here from there, and judged only once",
			limit.ZoneName, h.From.Label(), h.URL)
		f.Evidence = map[string]any{"url": h.URL, "rate_milli": limit.Zone.Rate, "rate_milli_before": h.From.Settings.LimitReqs.Value[0].Zone.Rate}
		f.Related = []rule.Label{{Span: h.From.Settings.LimitReqs.Value[0].Directive.Head(), Message: "judges it first"}}
		p.Report(f)
	}
}

// notCovered returns the first limit that the others do not make up for: none of them has its zone, or its key at a rate that
// is as low.
func notCovered(p *rule.Pass, limits, others []*config.LimitReq) *config.LimitReq {
	for _, l := range limits {
		if l.Zone == nil {
			return nil
		}
		line := p.ReqLine(l)
		covered := line.Key.Exempt
		for _, o := range others {
			if o.Zone == nil {
				return nil
			}
			other := p.ReqLine(o)
			covered = covered || other.Zone == line.Zone || other.SameKey(&line) && !other.Looser(&line)
		}
		if !covered {
			return l
		}
	}
	return nil
}

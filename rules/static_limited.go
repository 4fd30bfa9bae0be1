package rules

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// StaticLimited reports limits that static files feel.
var StaticLimited = register(rule.Rule{
	Name:       "static-limited",
	Summary:    "a limit on static files holds up or breaks pages",
	Group:      rule.GroupPlaces,
	Severity:   rule.Warning,
	Confidence: rule.Medium,
	Since:      "0.1.0",
	Why: "nginx serves a small file in some tens of microseconds, and a page asks for all of its files at once: eight within a few\n" +
		"milliseconds are ordinary, fifty are seen. A limit there protects next to nothing and is the first that people feel: at 10r/s with\n" +
		"`burst=5` the last files of a page come half a second late, or not at all. Leave static files unlimited, or give them a burst that\n" +
		"holds a page's files for everybody behind one address.\n\n" +
		"A page was loaded in a simulation; where its files are called otherwise than here, a location whose name says static files is taken\n" +
		"to get them all. It is a warning where files of one visitor's page are held up, and a note where burst-below-fan or missing-burst\n" +
		"says so already, or where only people who share an address feel it. Nothing is said where no file of\n" +
		"a page is held up; of a list that also holds for everything else, which limit-on-root reports; of one total for a server; of keys\n" +
		"that exempt files; of a dry run.\n",
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr zone=files:10m rate=5r/s;
    limit_req_status 429;

    server {
        location /static/ {
            limit_req zone=files burst=20;
            root /srv/www;
        }
    }
}
`,
	Good: `events {}

http {
    limit_req_zone $binary_remote_addr zone=api:10m rate=10r/s;
    limit_req_status 429;

    server {
        location /static/ {
            root /srv/www;
        }

        location /api/ {
            limit_req zone=api burst=60 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Links: []string{
		"https://nginx.org/en/docs/http/ngx_http_limit_req_module.html",
		"https://nginx.org/en/docs/http/ngx_http_core_module.html#location",
	},
	Settings: []string{"background", "clients_per_address", "interactive"},
	Check:    checkStaticLimited,
})

func checkStaticLimited(p *rule.Pass) {
	for _, list := range p.LimitReqs() {
		static := false
		for _, place := range list.Places {
			if place.CatchesAll() {
				static = false
				break // limit-on-root
			}
			static = static || isStatic(p, place)
		}
		if static {
			checkStaticList(p, list)
		}
	}
}

// isStatic says whether a place is for static files, and a limit can hold them up.
func isStatic(p *rule.Pass, place rule.Place) bool {
	return place.Location != nil && p.Use(place) == rule.ForStatic && place.Judges() && !place.Settings.LimitReqDryRun.Value
}

// checkStaticList reports a list once, at the limit of it that does most.
func checkStaticList(p *rule.Pass, list rule.List[*config.LimitReq]) {
	var worst rule.Suffered
	var limit *config.LimitReq
	for i, l := range list.Limits {
		if !perVisitor(p, l) {
			continue
		}
		take := func(place rule.Place) bool { return isStatic(p, place) && p.WholeIn(place.Server) }
		s := p.SufferedBy(list, i, take)
		if s.One.All() == 0 {
			s = p.EstimatedBy(list, i, take)
		}
		if s.WorseThan(worst) {
			worst, limit = s, l
		}
	}
	if limit == nil || !worst.One.Harmed() && !worst.Office.Harmed() {
		return
	}
	f := rule.Of(config.Item{Directive: limit.Directive, Via: limit.Via}, list.At)
	f.Places = list.Levels
	if !worst.One.Harmed() || worst.One.Rejected > 0 && (!worst.Estimated || limit.Burst == 0) {
		f.Severity = rule.Note // a rule about the limit itself stands there, or no one alone feels it
	}
	f.Evidence = map[string]any{"rate_milli": limit.Zone.Rate, "burst_milli": limit.Burst}
	worst.Tell(f.Evidence)
	f.Message = fmt.Sprintf("static files spend this limit: %s", worst.Words())
	p.Report(f)
}

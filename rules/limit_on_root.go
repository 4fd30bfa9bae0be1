package rules

import (
	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// LimitOnRoot reports limits that count pages, their static files and all that no other location takes in one bucket.
var LimitOnRoot = register(rule.Rule{
	Name:       "limit-on-root",
	Summary:    "one limit over everything, static files and pages included",
	Group:      rule.GroupPlaces,
	Severity:   rule.Warning,
	Confidence: rule.Medium,
	Since:      "0.1.0",
	Why: "A limit on `location /`, on a server or on `http` counts every request: the HTML, each style sheet, script and image, and the\n" +
		"calls that the scripts then make. One page of 23 requests takes 23 places of the bucket at once; what the limit should hold\n" +
		"off, a search or a login called again and again, takes one. A number that lets pages through is then too large to protect\n" +
		"anything, and one that protects breaks pages. Limit what is worth protecting, in locations of its own, and leave the rest free.\n\n" +
		"It is a warning where one visitor's page is delayed or refused in part, and a note where only those are who share an address.\n" +
		"A limit that a page does not feel is not reported; nor one whose key is empty for whoever merely looks at pages (only crawlers or\n" +
		"posts count) or for static files, one total for a whole server, a server that names itself an API, nor where the static files have locations without it.\n",
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr zone=per_ip:10m rate=5r/s;
    limit_req_status 429;

    server {
        location / {
            limit_req zone=per_ip burst=10 nodelay;
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
        location / {
            proxy_pass http://127.0.0.1:8080;
        }

        location /search {
            limit_req zone=per_ip burst=10 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Links: []string{
		"https://nginx.org/en/docs/http/ngx_http_limit_req_module.html",
		"https://nginx.org/en/docs/http/ngx_http_core_module.html#location",
	},
	Settings: []string{"background", "clients_per_address", "fans", "interactive"},
	Check:    checkLimitOnRoot,
})

func checkLimitOnRoot(p *rule.Pass) {
	told := make(map[rootTold]rule.Finding)
	for _, list := range p.LimitReqs() {
		checkRootList(p, list, told)
	}
}

// rootTold is all that message and evidence rest on. They are made once for all lists that are alike.
type rootTold struct {
	rate, burst int64
	servers     int
	suffered    rule.Suffered
}

func (k rootTold) tell() rule.Finding {
	evidence := map[string]any{"rate_milli": k.rate, "burst_milli": k.burst}
	if k.servers > 1 {
		evidence["servers"] = int64(k.servers)
	}
	k.suffered.Tell(evidence)
	return rule.Finding{
		Message:  "this limit counts pages, their static files and all that no other location takes in one bucket: " + k.suffered.Words(),
		Evidence: evidence,
	}
}

// perVisitor says whether a limit counts each visitor who looks at pages.
func perVisitor(p *rule.Pass, l *config.LimitReq) bool {
	if l.Zone == nil {
		return false
	}
	key := p.Key(l.Zone.Key)
	return key.Pages && key.Static && !key.Constant
}

// checkRootList reports a list once: at the limit of it that does most to a page, with the server whose page suffers most.
func checkRootList(p *rule.Pass, list rule.List[*config.LimitReq], told map[rootTold]rule.Finding) {
	var worst rule.Suffered
	var limit *config.LimitReq
	for i, l := range list.Limits {
		if !perVisitor(p, l) {
			continue
		}
		if s := p.SufferedBy(list, i, func(place rule.Place) bool { return takesAll(p, place) }); s.WorseThan(worst) {
			worst, limit = s, l
		}
	}
	if limit == nil || !worst.One.Harmed() && !worst.Office.Harmed() {
		return
	}
	var servers int
	var dry bool
	for _, place := range list.Places {
		if takesAll(p, place) {
			servers++
			dry = place.Settings.LimitReqDryRun.Value
		}
	}
	f := rule.Of(config.Item{Directive: limit.Directive, Via: limit.Via}, list.At)
	f.Places = list.Levels
	key := rootTold{limit.Zone.Rate, limit.Burst, servers, worst}
	if _, ok := told[key]; !ok {
		told[key] = key.tell()
	}
	f.Message, f.Evidence = told[key].Message, told[key].Evidence
	if !worst.One.Harmed() || dry {
		f.Severity = rule.Note
	}
	p.Report(f)
}

// takesAll says whether pages and all that belongs to them come to a place.
func takesAll(p *rule.Pass, place rule.Place) bool {
	return place.CatchesAll() && place.Judges() && p.Use(place) == rule.ForPages && !rule.ForMachines(place.Server) && !splitsStatic(p, place) &&
		p.WholeIn(place.Server) // static files may have a location of their own in what was not read
}

// splitsStatic says whether static files of the place's server have a location that this list does not cover.
func splitsStatic(p *rule.Pass, root rule.Place) bool {
	for _, l := range root.Server.Locations {
		if l.Settings.LimitReqs == root.Settings.LimitReqs || l.Modifier == "=" || l.Modifier == "@" {
			continue
		}
		if servesFiles(l, root.Location) || p.Use(rule.Place{Level: &l.Level, Server: l.Server, Location: l}) == rule.ForStatic {
			return true
		}
	}
	return false
}

// servesFiles says whether a location serves files from disk while the rest goes elsewhere.
func servesFiles(l, root *config.Location) bool {
	if l.Handler != nil || root == nil || root.Handler == nil {
		return false
	}
	for _, name := range []string{"alias", "root", "expires"} {
		if _, ok := l.Find(name); ok {
			return true
		}
	}
	return false
}

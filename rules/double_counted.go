package rules

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
	"github.com/ngxlimit/ngxlimit/model/simulate"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// DoubleCounted reports buckets in which one request takes two places.
var DoubleCounted = register(rule.Rule{
	Name:       "double-counted",
	Summary:    "nginx hands a request on to itself, and one bucket counts it twice",
	Group:      rule.GroupReach,
	Severity:   rule.Warning,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: "A request is judged once, however often nginx redirects it within itself. But where `proxy_pass` leads to an address that the\n" +
		"same nginx listens on (a server for TLS in front of one for everything, a cache between two servers), the second one takes\n" +
		"it for a new request. If both have a limit of the same zone and the key is the same, because the second server takes the\n" +
		"client's address from a header, each request spends two places: 10r/s is 5r/s, and `burst=20` holds ten.\n\n" +
		"Both requests were followed through nginx's phases, with the headers that the first server sets. Nothing is said where the\n" +
		"zones or the keys differ, as where all that comes from nginx itself has the key 127.0.0.1.\n",
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr zone=per_ip:10m rate=20r/s;
    limit_req_status 429;
    limit_req zone=per_ip burst=60 nodelay;

    server {
        location / {
            proxy_set_header X-Real-IP $remote_addr;
            proxy_pass http://127.0.0.1:8081;
        }
    }

    server {
        listen 127.0.0.1:8081;
        set_real_ip_from 127.0.0.1;
    }
}
`,
	Good: `events {}

http {
    limit_req_zone $binary_remote_addr zone=per_ip:10m rate=20r/s;
    limit_req_status 429;

    server {
        limit_req zone=per_ip burst=60 nodelay;

        location / {
            proxy_set_header X-Real-IP $remote_addr;
            proxy_pass http://127.0.0.1:8081;
        }
    }

    server {
        listen 127.0.0.1:8081;
        set_real_ip_from 127.0.0.1;
    }
}
`,
	Links: []string{
		"https://nginx.org/en/docs/http/ngx_http_limit_req_module.html#limit_req",
		"https://nginx.org/en/docs/http/ngx_http_realip_module.html",
	},
	Check: checkDoubleCounted,
})

func checkDoubleCounted(p *rule.Pass) {
	loops := p.Loops()
	var probe *rule.Probe
	told := make(map[*syntax.Directive]bool)
	for _, place := range p.Places() {
		if place.Kind != config.KindLocation || !p.Limited(place) || !place.Judges() {
			continue
		}
		_, host, _ := simulate.Reach(place.Server)
		loop, ok := loops.From(place, host)
		if !ok {
			continue
		}
		if probe == nil {
			probe = p.Probe()
		}
		for _, target := range rule.Samples(place.Location) {
			twice(p, probe, place, loop, target, told)
		}
	}
}

// twice follows a request and the one that it becomes, and reports a limit that counts both under one key.
func twice(p *rule.Pass, probe *rule.Probe, place rule.Place, loop rule.Loop, target string, told map[*syntax.Directive]bool) {
	first, ok := probe.Get(place.Server, target)
	if !ok || !first.LimiterRan || first.Location != place.Location {
		return
	}
	keys := make(map[*config.Zone]pipeline.Limit)
	for _, l := range first.Limits {
		if _, known := l.Key.Known(); l.Counted && known {
			keys[l.Zone] = l
		}
	}
	second, ok := probe.Send(loop.Next(place, target, "GET", probe.Visitor().Addr()))
	if !ok || !second.LimiterRan {
		return
	}
	for _, l := range second.Limits {
		before, both := keys[l.Zone]
		key, known := l.Key.Known()
		was, _ := before.Key.Known()
		if !both || !known || !l.Counted || key != was || told[l.Directive] || !p.WholeIn(place.Server) || !p.WholeIn(second.Server) {
			continue
		}
		told[l.Directive] = true
		f := rule.Of(config.Item{Directive: l.Directive, Via: l.Via}, second.LimitedLevel.Settings.LimitReqs.At)
		url := probe.URL(place.Server, target)
		f.Message = fmt.Sprintf("zone %s counts %s twice under one key: location %s hands it on to this nginx, where this limit judges it again",
			l.ZoneName, url, place.Location.Label())
		f.Evidence = map[string]any{"url": url, "rate_milli": l.Zone.Rate}
		f.Related = []rule.Label{{Span: loop.Pass.Head(), Message: "hands it on to this nginx"}}
		if before.Directive != l.Directive {
			f.Related = append(f.Related, rule.Label{Span: before.Directive.Head(), Message: "judges it first"})
		}
		p.Report(f)
	}
}

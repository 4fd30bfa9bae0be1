package rules

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// MergeSlashesBypass reports limits that a second slash leads around.
var MergeSlashesBypass = register(rule.Rule{
	Name:       "merge-slashes-bypass",
	Summary:    "merge_slashes off lets //login go around the limit on /login",
	Group:      rule.GroupReach,
	Severity:   rule.Warning,
	Confidence: rule.Medium,
	Risk:       "5.3",
	Since:      "0.1.0",
	Why: "By default nginx makes one slash of several before it looks for a location. With `merge_slashes off`, `//login` stays what it is,\n" +
		"is not taken by `location /login`, and goes to `location /`, without the limit. Most programs behind it take both for the same\n" +
		"address; whether this one does nginx cannot know.\n\n" +
		"Reported is the directive, once, with an address that was followed through nginx's phases and comes to the same upstream by a\n" +
		"location without any limit. Where addresses need the slashes (a URL within a path), a limit in `location /` too closes the gap.\n",
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr zone=login:10m rate=10r/m;
    limit_req_status 429;

    server {
        merge_slashes off;

        location /login {
            limit_req zone=login burst=5 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }

        location / {
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
        location /login {
            limit_req zone=login burst=5 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }

        location / {
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Links: []string{"https://nginx.org/en/docs/http/ngx_http_core_module.html#merge_slashes"},
	Check: checkMergeSlashes,
})

// A doubled is a merge_slashes off, and what it opens.
type doubled struct {
	item     config.Item
	at       *config.Level
	url      string
	location *config.Location
	gaps     int64 // locations that a second slash leads around
}

func checkMergeSlashes(p *rule.Pass) {
	if p.Tree.HTTP == nil {
		return
	}
	var probe *rule.Probe
	var all []*doubled
	of := make(map[*syntax.Directive]*doubled)
	for _, s := range p.Tree.HTTP.Servers {
		it, at, ok := s.EffectiveAt("merge_slashes")
		if !ok || s.MergeSlashes {
			continue
		}
		for l := range s.AllLocations {
			if l.Internal || l.Modifier == "@" || !p.Limited(rule.PlaceOf(l)) {
				continue
			}
			if probe == nil {
				probe = p.Probe()
			}
			target := aroundBySlash(probe, l)
			if target == "" || !p.WholeIn(s) {
				continue
			}
			d := of[it.Directive]
			if d == nil {
				d = &doubled{item: it, at: at, url: probe.URL(s, target), location: l}
				of[it.Directive] = d
				all = append(all, d)
			}
			d.gaps++
		}
	}
	for _, d := range all {
		f := rule.Of(d.item, d.at)
		f.Message = fmt.Sprintf("%s goes around the limit of location %s, to the same upstream", d.url, d.location.Label())
		if d.gaps > 1 {
			f.Message += fmt.Sprintf("; so does a second slash for %s", rule.Plural(d.gaps-1, "other location", "other locations"))
		}
		f.Evidence = map[string]any{"url": d.url, "locations": d.gaps}
		f.Related = []rule.Label{{Span: d.location.Settings.LimitReqs.Value[0].Directive.Head(), Message: "this limit is gone around"}}
		p.Report(f)
	}
}

// aroundBySlash returns an address of the location with a second slash that comes to its upstream without a limit; "" for
// none.
func aroundBySlash(probe *rule.Probe, l *config.Location) string {
	place := rule.PlaceOf(l)
	for _, sample := range rule.Samples(l) {
		if t, ok := probe.Get(l.Server, sample); !ok || t.Location != l || !t.LimiterRan {
			continue
		}
		t, ok := probe.Get(l.Server, "/"+sample)
		if !ok || t.Location == nil || t.Location == l || !rule.Answers(&t) {
			continue
		}
		if there := rule.PlaceOf(t.Location); there.Backend() != "" && there.Backend() == place.Backend() && there.Unlimited() && !there.Guarded() {
			return "/" + sample
		}
	}
	return ""
}

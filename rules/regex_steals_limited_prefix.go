package rules

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// RegexStealsLimitedPrefix reports regexes that take requests from a limited prefix.
var RegexStealsLimitedPrefix = register(rule.Rule{
	Name:       "regex-steals-limited-prefix",
	Summary:    "a regex without a limit takes requests from below a limited prefix",
	Group:      rule.GroupReach,
	Severity:   rule.Warning,
	Confidence: rule.High,
	Risk:       "5.3",
	Since:      "0.1.0",
	Why: "nginx looks for the longest prefix, and then for the first regex that matches: the regex wins, unless the prefix has `^~` or is\n" +
		"exact. With a limit in `location /admin/` and `location ~ \\.php$` beside it, `/admin/index.php` is taken by the regex and is not\n" +
		"limited; the limit holds for the rest below `/admin/`, which is hardly what needs it.\n\n" +
		"Reported is a limited prefix from which a regex beside it takes an address to an upstream, with no limit in effect there, or only\n" +
		"with a looser one of the server's. The address is followed through nginx's phases first. `^~` before the prefix keeps the regexes out, and what is needed of them goes\n" +
		"into the location, where it inherits the limit. Nothing is said of `location /`, from which regexes are meant to take (limit-misses-path\n" +
		"looks at it), of a prefix that hands its requests on to another upstream than the regex, of regexes for static files, of those that\n" +
		"have a limit of their own, and of those that ask for a password.\n",
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr zone=admin:10m rate=2r/s;
    limit_req_status 429;

    server {
        root /srv/www;

        location /admin/ {
            limit_req zone=admin burst=20 nodelay;
        }

        location ~ \.php$ {
            fastcgi_pass 127.0.0.1:9000;
        }
    }
}
`,
	Good: `events {}

http {
    limit_req_zone $binary_remote_addr zone=admin:10m rate=2r/s;
    limit_req_status 429;

    server {
        root /srv/www;

        location ^~ /admin/ {
            limit_req zone=admin burst=20 nodelay;

            location ~ \.php$ {
                fastcgi_pass 127.0.0.1:9000;
            }
        }

        location ~ \.php$ {
            fastcgi_pass 127.0.0.1:9000;
        }
    }
}
`,
	Links: []string{
		"https://nginx.org/en/docs/http/ngx_http_core_module.html#location",
		"https://nginx.org/en/docs/http/request_processing.html",
	},
	Check: checkRegexSteals,
})

// Bounds for one server: how many regexes are tried on each of its prefixes, and how many addresses with each.
const (
	maxThieves = 12
	maxStolen  = 2
)

func checkRegexSteals(p *rule.Pass) {
	if p.Tree.HTTP == nil {
		return
	}
	var probe *rule.Probe
	for _, s := range p.Tree.HTTP.Servers {
		thieves := thievesAmong(p, s)
		if len(thieves) == 0 {
			continue
		}
		for l := range s.AllLocations {
			place := rule.PlaceOf(l)
			if l.Modifier != "" || l.Pattern == "/" || l.Internal || l.Directive == nil || !p.Limited(place) {
				continue
			}
			if probe == nil {
				probe = p.Probe()
			}
			for _, thief := range thieves {
				if thief.location.Outer == l.Outer && thief.wants(p, place) && steals(p, probe, place, thief) {
					break
				}
			}
		}
	}
}

// steals tries addresses below the prefix, and reports the first that the regex takes.
func steals(p *rule.Pass, probe *rule.Probe, place rule.Place, by thief) bool {
	for _, target := range by.below(place.Location.Pattern) {
		first, known := probe.First(place.Server, target)
		if !known || first != by.location {
			continue
		}
		t, ok := probe.Get(place.Server, target)
		if !ok || t.Location != by.location || t.EndsIn != pipeline.EndContent || !p.WholeIn(place.Server) {
			continue
		}
		f := rule.Of(config.Item{Directive: place.Location.Directive, Via: place.Location.Via}, place.Level)
		url := probe.URL(place.Server, target)
		without := "without a limit"
		if !rule.PlaceOf(by.location).Unlimited() {
			without, f.Confidence = "with other limits", rule.Medium
		}
		f.Message = fmt.Sprintf("the limit here does not hold for %s: location %s takes it, %s", url, by.location.Label(), without)
		f.Evidence = map[string]any{"url": url}
		f.Related = []rule.Label{{Span: by.location.Directive.Head(), Message: "takes it by its regex"}}
		p.Report(f)
		return true
	}
	return false
}

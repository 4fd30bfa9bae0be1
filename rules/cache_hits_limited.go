package rules

import (
	"fmt"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// CacheHitsLimited reports limits in front of a cache.
var CacheHitsLimited = register(rule.Rule{
	Name:       "cache-hits-limited",
	Summary:    "answers from the cache spend the limit too",
	Group:      rule.GroupPlaces,
	Severity:   rule.Note,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: "The limiters run before nginx looks into its cache. A limit that is meant to spare the upstream therefore also counts, holds\n" +
		"back and refuses what the cache would have answered at no cost: a page of 23 cached files spends 23 places of the bucket, and\n" +
		"the upstream sees none of them.\n\n" +
		"nginx has no limit behind the cache. What is worth protecting, because it is not cached, can have a location and a limit of\n" +
		"its own. It is a note, told once for each list of limits: whoever wants to hold off floods from nginx itself has what he\n" +
		"wants. Nothing is said where the cache is `off`, where no limit runs, of a dry run, and of a key that no visitor has.\n",
	Bad: `events {}

http {
    proxy_cache_path cache keys_zone=pages:5m;
    limit_req_zone $binary_remote_addr zone=upstream:10m rate=20r/s;
    limit_req_status 429;

    server {
        location / {
            limit_req zone=upstream burst=60 nodelay;
            proxy_cache pages;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Good: `events {}

http {
    proxy_cache_path cache keys_zone=pages:5m;
    limit_req_zone $binary_remote_addr zone=upstream:10m rate=20r/s;
    limit_req_status 429;

    server {
        location / {
            proxy_cache pages;
            proxy_pass http://127.0.0.1:8080;
        }

        location /search {
            limit_req zone=upstream burst=60 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Links: []string{
		"https://nginx.org/en/docs/dev/development_guide.html#http_phases",
		"https://nginx.org/en/docs/http/ngx_http_proxy_module.html#proxy_cache",
	},
	Check: checkCacheHitsLimited,
})

func checkCacheHitsLimited(p *rule.Pass) {
	for _, list := range p.LimitReqs() {
		var cache config.Item
		var places int64
		for _, place := range list.Places {
			it, ok := cacheOf(place)
			if !ok || place.Settings.LimitReqDryRun.Value || !place.Judges() {
				continue
			}
			if !p.WholeAt(place.Level) {
				continue
			}
			if places++; places == 1 {
				cache = it
			}
		}
		if i := firstOfVisitors(p, list.Limits); places > 0 && i >= 0 {
			limit := list.Limits[i]
			f := rule.Of(config.Item{Directive: limit.Directive, Via: limit.Via}, list.At)
			f.Places = list.Levels
			f.Message = fmt.Sprintf("this limit also counts what %s answers, because it runs before the cache is looked into", rule.Quoted(cache.Directive))
			f.Evidence = map[string]any{"places": places}
			f.Related = []rule.Label{{Span: cache.Head(), Message: "the cache"}}
			p.Report(f)
		}
	}
}

// cacheOf returns the directive by which answers of the place's upstream are cached.
func cacheOf(p rule.Place) (config.Item, bool) {
	pass, ok := p.Upstream()
	if !ok {
		return config.Item{}, false
	}
	module := strings.TrimSuffix(pass.Name().Value, "_pass")
	it, ok := p.Effective(module + "_cache")
	return it, ok && it.Arg(0) != "off"
}

// firstOfVisitors is the index of the first limit that counts a visitor who looks at pages; -1 where there is none.
func firstOfVisitors(p *rule.Pass, limits []*config.LimitReq) int {
	for i, l := range limits {
		if l.Zone != nil && p.Key(l.Zone.Key).Pages {
			return i
		}
	}
	return -1
}

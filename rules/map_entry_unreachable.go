package rules

import (
	"fmt"
	"strings"

	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// MapEntryUnreachable reports entries of a key's maps that no request comes to.
var MapEntryUnreachable = register(rule.Rule{
	Name:       "map-entry-unreachable",
	Summary:    "an entry of a map that no request comes to, so that what it says about a key never holds",
	Group:      rule.GroupKeys,
	Severity:   rule.Warning,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: "A map compares text. nginx takes entries that no text can equal, and what they were to exempt or to limit is not:\n\n" +
		"- `10.0.0.0/8 \"\"` over `$remote_addr`: a map knows no networks, and no address is spelt so. geo does.\n" +
		"- `10.0.0.1 \"\"` over `$binary_remote_addr`: that is 4 or 16 raw bytes, and a geo that reads it finds no address either.\n" +
		"- `2001:db8::0:1` over `$remote_addr`: nginx writes the address as `2001:db8::1`.\n" +
		"- `yes \"\"` over a geo that yields `0` and `1`.\n" +
		"- `api/ ...` over `$uri`, which begins with a slash; `example.com:8080` over `$host`, which has no port; `GET|POST` over\n" +
		"  `$request_method`, which takes a `~` to be a regex; `*.example.com` without `hostnames`.\n" +
		"- a regex behind one that matches everything, or surely all that it could: `~^/api/` behind `~^/`, as the first that matches\n" +
		"  decides. Nothing is said where both lead to the same.\n\n" +
		"Entries for the empty text and `default` are never reported: they are written to be on the safe side.\n",
	Bad: `events {}

http {
    map $remote_addr $limit_key {
        default    $binary_remote_addr;
        10.0.0.0/8 "";
    }

    limit_req_zone $limit_key zone=clients:10m rate=10r/s;
    limit_req_status 429;

    server {
        location /api/ {
            limit_req zone=clients burst=20 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Good: `events {}

http {
    geo $inside {
        default    0;
        10.0.0.0/8 1;
    }

    map $inside $limit_key {
        0 $binary_remote_addr;
        1 "";
    }

    limit_req_zone $limit_key zone=clients:10m rate=10r/s;
    limit_req_status 429;

    server {
        location /api/ {
            limit_req zone=clients burst=20 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Links: []string{
		"https://nginx.org/en/docs/http/ngx_http_map_module.html#map",
		"https://nginx.org/en/docs/http/ngx_http_geo_module.html#geo",
	},
	Check: checkMapEntryUnreachable,
})

func checkMapEntryUnreachable(p *rule.Pass) {
	told := make(map[*rule.Block]bool)
	for _, z := range p.Zones() {
		if !p.Counts(z) {
			continue
		}
		for _, b := range p.Flow(z.Key).Blocks {
			if !told[b] {
				told[b] = true
				checkBlockEntries(p, z, b)
			}
		}
	}
}

func checkBlockEntries(p *rule.Pass, z *rule.Zone, b *rule.Block) {
	finds := finiteReach(p, b)
	all := ""
	var regexes []*rule.Entry
	for i := range b.Entries {
		e := &b.Entries[i]
		if e.Default || e.Key == "" {
			continue
		}
		why := b.NeverEqual(e)
		switch {
		case why != "":
		case all != "" && strings.HasPrefix(e.Key, "~"):
			why = fmt.Sprintf("%q before it matches everything", all)
		case finds != nil && !finds[e.Index] && p.Whole():
			why = fmt.Sprintf("%s never has this value", b.Source.Text)
		case b.IsMap() && strings.HasPrefix(e.Key, "~"):
			if by := coveredBy(regexes, e); by != nil {
				why = fmt.Sprintf("%q before it matches whatever it could", by.Key)
			}
			if len(regexes) < maxCovering {
				regexes = append(regexes, e)
			}
		}
		if b.IsMap() && all == "" && rule.MatchesAnything(e.Key) {
			all = e.Key
		}
		if why == "" {
			continue
		}
		f := rule.Of(e.Item, &p.Tree.HTTP.Level)
		f.Primary = e.WordSpan(e.Name())
		f.Message = fmt.Sprintf("no request comes to the entry %q of $%s: %s", e.Key, b.Name, why)
		f.Evidence = map[string]any{"zone": z.Name, "variable": "$" + b.Name, "source": b.Source.Text, "entry": e.Key}
		f.Related = []rule.Label{{Span: z.KeySpan, Message: "the key"}}
		p.Report(f)
	}
}

package rules

import (
	"fmt"
	"slices"

	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// KeyIncludesURI reports keys with the address that is asked for.
var KeyIncludesURI = register(rule.Rule{
	Name:       "key-includes-uri",
	Summary:    "a key with the URI, and so a bucket for each address that is asked for",
	Group:      rule.GroupKeys,
	Severity:   rule.Warning,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: "With `$request_uri`, `$uri` or `$args` in the key each address that is asked for has a bucket of its own. Whoever walks through a\n" +
		"site, or a list of passwords in a query, meets every bucket once and is never limited; with `$request_uri` and `$args` it is\n" +
		"enough to add `?1`, `?2`, `?3` to one address. What is held is only the same request again and again.\n\n" +
		"The zone fills as well: each address takes a state, of 256 bytes where the key is longer than 48, and when the zone is full\n" +
		"nginx forgets the buckets that were used least recently.\n\n" +
		"Nothing is said where a second limit counts the same requests without the URI, nor of `$uri` where only single locations\n" +
		"(`location = /login`) use the zone, since there it is one text. It is a note where the URI alone is the key: then all clients\n" +
		"share a bucket for each address, which may be meant to protect a page.\n",
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr$request_uri zone=clients:10m rate=2r/s;
    limit_req_status 429;

    server {
        location /search/ {
            limit_req zone=clients burst=5 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Good: `events {}

http {
    limit_req_zone $binary_remote_addr zone=clients:10m rate=2r/s;
    limit_req_status 429;

    server {
        location /search/ {
            limit_req zone=clients burst=5 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Links: []string{
		"https://nginx.org/en/docs/http/ngx_http_limit_req_module.html#limit_req_zone",
		"https://nginx.org/en/docs/http/ngx_http_core_module.html#var_request_uri",
	},
	Check: checkKeyIncludesURI,
})

func checkKeyIncludesURI(p *rule.Pass) {
	for _, z := range p.Zones() {
		texts := p.Flow(z.Key).Texts
		i := slices.IndexFunc(texts, func(l rule.Leaf) bool { return rule.OfURI(l.Name) && !rule.Chosen(l.Name) && !oneURI(z, l.Name) })
		if i < 0 || !p.Counts(z) || p.Held(z) || !p.WholeFor(z) {
			continue
		}
		f := z.Of(p.Facts)
		f.Evidence["variable"] = "$" + texts[i].Name
		f.Message = fmt.Sprintf("$%s gives each address that is asked for a bucket of its own in zone %q", texts[i].Name, z.Name)
		if !texts[i].Direct() {
			f.Related = []rule.Label{{Span: texts[i].Span, Message: "it comes in here"}}
		}
		if !p.Key(z.Key).PerAddress {
			f.Severity, f.Confidence = rule.Note, rule.Medium
			f.Message += ", shared by all clients"
		}
		p.Report(f)
	}
}

// oneURI says whether a variable has one text at each place that uses the zone: the path, where the location is a single
// one.
func oneURI(z *rule.Zone, name string) bool {
	switch name {
	case "is_args":
		return true
	case "uri", "document_uri", "request_filename":
	default:
		return false
	}
	for i := range z.Uses {
		for _, place := range z.Uses[i].Places {
			if place.Judges() && (place.Location == nil || place.Location.Modifier != "=") {
				return false
			}
		}
	}
	return len(z.Uses) > 0
}

package rules

import (
	"fmt"
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// MapWithoutDefault reports maps that leave whatever they do not list without a key.
var MapWithoutDefault = register(rule.Rule{
	Name:       "map-without-default",
	Summary:    "a map without default leaves whatever it does not list without a key",
	Group:      rule.GroupKeys,
	Severity:   rule.Warning,
	Confidence: rule.Medium,
	Since:      "0.1.0",
	Why: "Without `default` a map yields an empty value for whatever it does not list, and a request with an empty key is not counted. A\n" +
		"map that lists whom to exempt, `10.0.0.1 \"\"`, and has no `default` exempts everybody; one that lists customers by their API\n" +
		"key counts those, and nobody who invents a key.\n\n" +
		"Where only what is listed shall be counted, `default \"\";` says so.\n\n" +
		"Nothing is said where the map lists all values that its source can have (the flags of a geo), nor where it picks what to count\n" +
		"by method, URI, host, user agent or address and exempts nothing: then the empty value for the rest is what was wanted.\n",
	Bad: `events {}

http {
    map $remote_addr $limit_key {
        192.0.2.10 "";
        192.0.2.11 "";
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
    map $remote_addr $limit_key {
        default    $binary_remote_addr;
        192.0.2.10 "";
        192.0.2.11 "";
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
	Links:   []string{"https://nginx.org/en/docs/http/ngx_http_map_module.html#map"},
	Fixable: true,
	Check:   checkMapWithoutDefault,
})

func checkMapWithoutDefault(p *rule.Pass) {
	told := make(map[*rule.Block]bool)
	for _, z := range p.Zones() {
		if !p.Counts(z) {
			continue
		}
		for _, b := range p.Flow(z.Key).Whole {
			if told[b] || !b.IsMap() {
				continue
			}
			told[b] = true
			if m := missingDefault(p, b); m.missing && p.Whole() {
				p.Report(missingDefaultFinding(p, z, b, m))
			}
		}
	}
}

// A defaultCase is what a map without default comes to.
type defaultCase struct {
	missing bool
	counts  string // a value that it gives as a key; "" where it gives none to anybody
	exempts bool
	left    string // a value of the source that it does not list; "" where the source may have any
}

func missingDefault(p *rule.Pass, b *rule.Block) defaultCase {
	var c defaultCase
	for i := range b.Entries {
		e := &b.Entries[i]
		switch {
		case e.Default:
			return defaultCase{}
		case e.Value.Text == "":
			c.exempts = true
		case c.counts == "":
			c.counts = e.Value.Text
		}
	}
	if c.counts == "" && !c.exempts {
		return c // it lists nothing
	}
	if values, finite := p.Possible(b.Source); finite {
		for _, v := range values {
			if index, known := p.EntryFor(b, v); known && index < 0 {
				c.missing, c.left = true, v
				return c
			}
		}
		return c
	}
	c.missing = c.exempts || identifies(b)
	return c
}

// identifies says whether a map looks at what tells customers apart, so that those who are not listed are meant to be
// counted as well.
func identifies(b *rule.Block) bool {
	return slices.ContainsFunc(b.Source.Variables(), func(name string) bool { return rule.Chosen(name) && rule.Credential(name) })
}

func missingDefaultFinding(p *rule.Pass, z *rule.Zone, b *rule.Block, c defaultCase) rule.Finding {
	f := rule.Of(b.Item, &p.Tree.HTTP.Level)
	f.Related = []rule.Label{{Span: z.KeySpan, Message: "the key"}}
	f.Evidence = map[string]any{"zone": z.Name, "variable": "$" + b.Name, "entries": int64(len(b.Entries))}
	switch {
	case c.counts == "":
		f.Severity, f.Confidence = rule.Error, rule.High
		f.Message = fmt.Sprintf("without default the map exempts everybody: its entries are empty, and so is $%s for whatever they do not list", b.Name)
	case c.left != "":
		f.Confidence = rule.High
		f.Message = fmt.Sprintf("without default $%s is empty where %s is %q, and zone %q does not count such a request", b.Name, b.Source.Text, c.left, z.Name)
		f.Evidence["left"] = c.left
	default:
		f.Message = fmt.Sprintf("without default $%s is empty for whatever the map does not list, and zone %q does not count such a request", b.Name, z.Name)
	}
	if first := b.Entries[0].Item; first.File == b.File {
		f.Fix = &rule.Fix{Title: "add default $binary_remote_addr", Edits: []source.Edit{rule.InsertBefore(first.Directive, "default $binary_remote_addr;")}}
	}
	return f
}

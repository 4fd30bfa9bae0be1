package rules

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// KeyLiteralVariable reports blocks that are taken to expand variables and do not.
var KeyLiteralVariable = register(rule.Rule{
	Name:       "key-literal-variable",
	Summary:    "a key from a geo or split_clients block that writes a variable and gets its name",
	Group:      rule.GroupKeys,
	Severity:   rule.Warning,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: "Of the blocks that define variables only `map` expands variables in its values. In `geo` and `split_clients` a value is text: with\n" +
		"`default $binary_remote_addr` the key of every client is the 19 letters `$binary_remote_addr`, and all of them share one bucket.\n" +
		"At 10r/s a site then serves 10 requests a second in all. nginx takes it without a word.\n\n" +
		"Let the geo yield a flag, and a map lead from the flag to the address or to an empty key.\n",
	Bad: `events {}

http {
    geo $limit_key {
        default      $binary_remote_addr;
        192.0.2.0/24 "";
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
    geo $exempt {
        default      0;
        192.0.2.0/24 1;
    }

    map $exempt $limit_key {
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
		"https://nginx.org/en/docs/http/ngx_http_geo_module.html",
		"https://nginx.org/en/docs/http/ngx_http_split_clients_module.html",
		"https://blog.nginx.org/blog/rate-limiting-nginx",
	},
	Check: checkKeyLiteralVariable,
})

func checkKeyLiteralVariable(p *rule.Pass) {
	told := make(map[*rule.Block]bool)
	for _, z := range p.Zones() {
		if !p.Counts(z) {
			continue
		}
		for _, b := range p.Flow(z.Key).Blocks {
			if b.IsMap() || told[b] {
				continue
			}
			told[b] = true
			for i := range b.Entries {
				e := &b.Entries[i]
				name := rule.WrittenVariable(e.Value.Text)
				if name == "" {
					continue
				}
				f := rule.Of(e.Item, &p.Tree.HTTP.Level)
				f.Primary = e.ValueSpan()
				f.Message = fmt.Sprintf("%s does not expand variables: whoever this entry takes has the text %q in the key of zone %q", b.Item.Name().Value, e.Value.Text, z.Name)
				f.Evidence = map[string]any{"zone": z.Name, "variable": name, "block": b.Item.Name().Value}
				f.Related = []rule.Label{{Span: z.KeySpan, Message: "the key"}}
				p.Report(f)
			}
		}
	}
}

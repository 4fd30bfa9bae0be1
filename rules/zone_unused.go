package rules

import (
	"fmt"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// ZoneUnused reports zones that no limit names.
var ZoneUnused = register(rule.Rule{
	Name:       "zone-unused",
	Summary:    "a zone that no limit names",
	Group:      rule.GroupZones,
	Severity:   rule.Warning,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: "`limit_req_zone` and `limit_conn_zone` only prepare a zone: they reserve its memory, and limit nothing. Requests are counted where a\n" +
		"`limit_req` or a `limit_conn` names the zone. A zone `login` that nothing names is usually a limit that was planned and is not\n" +
		"there: the logins are open, while the file looks as if they were not.\n\n" +
		"The fix removes the line, which changes nothing for any request. Where the limit was meant, write it instead.\n\n" +
		"A limit counts as naming the zone wherever it stands, also where none of its requests come. Nothing is said of a fragment, nor\n" +
		"where a part of the configuration could not be read or an include by pattern led to no file: the limit may stand in what is\n" +
		"missing.\n",
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr zone=login:10m rate=10r/m;
    limit_req_zone $binary_remote_addr zone=site:10m rate=20r/s;
    limit_req_status 429;

    server {
        location / {
            limit_req zone=site burst=80 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }

        location = /login {
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Good: `events {}

http {
    limit_req_zone $binary_remote_addr zone=login:10m rate=10r/m;
    limit_req_zone $binary_remote_addr zone=site:10m rate=20r/s;
    limit_req_status 429;

    server {
        location / {
            limit_req zone=site burst=80 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }

        location = /login {
            limit_req zone=login burst=5 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Links: []string{
		"https://nginx.org/en/docs/http/ngx_http_limit_req_module.html#limit_req_zone",
		"https://nginx.org/en/docs/http/ngx_http_limit_conn_module.html#limit_conn_zone",
	},
	Fixable: true,
	SafeFix: true,
	Check:   checkZoneUnused,
})

func checkZoneUnused(p *rule.Pass) {
	var named map[string]bool
	for _, z := range p.Zones() {
		if len(z.Uses) > 0 {
			continue
		}
		if named == nil {
			named = namedZones(p)
		}
		if named[z.Name] || !p.Whole() || !p.AllMatched() {
			continue
		}
		limit, directive := "limit_req", "limit_req_zone"
		if z.Conn != nil {
			limit, directive = "limit_conn", "limit_conn_zone"
		}
		f := z.Of(p.Facts)
		f.Primary = z.Item.Head()
		f.Message = fmt.Sprintf("no %s names zone %q: it takes %s bytes and limits nothing", limit, z.Name, rule.Count(z.Size))
		f.Evidence = map[string]any{"zone": z.Name, "zone_bytes": z.Size}
		f.Fix = &rule.Fix{Title: "remove the " + directive + " line", Safe: true, Edits: []source.Edit{rule.RemoveDirective(z.Item.Directive)}}
		p.Report(f)
	}
}

// namedZones returns the zones that a limit names at any level, be it in effect, refused or replaced everywhere.
func namedZones(p *rule.Pass) map[string]bool {
	named := make(map[string]bool)
	add := func(l *config.Level) {
		for _, item := range l.Items {
			switch item.Name().Value {
			case "limit_conn":
				named[item.Arg(0)] = true
			case "limit_req":
				for _, w := range item.Args() {
					if name, ok := strings.CutPrefix(w.Value, "zone="); ok {
						named[name] = true
					}
				}
			}
		}
	}
	add(&p.Tree.HTTP.Level)
	for _, place := range p.Places() {
		add(place.Level)
	}
	return named
}

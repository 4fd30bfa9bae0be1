package rules

import (
	"fmt"
	"slices"

	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// WhitelistInverted reports keys that count those who were to be exempt, and nobody else.
var WhitelistInverted = register(rule.Rule{
	Name:       "whitelist-inverted",
	Summary:    "a key that counts the addresses that were to be exempt, and nobody else",
	Group:      rule.GroupKeys,
	Severity:   rule.Error,
	Confidence: rule.Medium,
	Risk:       "5.3",
	Since:      "0.1.0",
	Why: "The usual exemption goes over two blocks: a geo gives a flag to an address, and a map leads from the flag to the key or to an empty\n" +
		"one. It is easily written the wrong way round, with the empty value at the flag of everybody. Then the office is limited and\n" +
		"the rest of the world is not, which nobody notices as long as nobody attacks.\n\n" +
		"The key was asked for visitors from the outside, of whom none is counted, and for an address of each network that the blocks\n" +
		"list, of which some are. That alone may be meant: to limit a list of abusers is done in the same way. So a name has to say\n" +
		"that those listed are friends (`$whitelist`, `$trusted`, `$office`), a flag called `$limit` has to be on for everybody while\n" +
		"they are not counted, or all networks listed have to be private ones; for the last the confidence is low and it is a warning.\n" +
		"Names like `$blacklist`, `$bots` or `$abuse` end it.\n",
	Bad: `events {}

http {
    geo $whitelist {
        default      0;
        192.0.2.0/24 1;
    }

    map $whitelist $limit_key {
        0 "";
        1 $binary_remote_addr;
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
    geo $whitelist {
        default      0;
        192.0.2.0/24 1;
    }

    map $whitelist $limit_key {
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
		"https://nginx.org/en/docs/http/ngx_http_map_module.html",
		"https://blog.nginx.org/blog/rate-limiting-nginx",
	},
	Check: checkWhitelistInverted,
})

func checkWhitelistInverted(p *rule.Pass) {
	told := make(map[*rule.Block]bool)
	for _, z := range p.Zones() {
		flow := p.Flow(z.Key)
		if !p.Counts(z) || len(flow.Whole) == 0 || told[flow.Whole[0]] {
			continue
		}
		counted := p.CountedBy(z.Key)
		if !counted.Known || !counted.None || len(counted.Listed) == 0 {
			continue
		}
		why, sure := invertedBy(p, z, flow, counted)
		if why == "" || !p.Whole() {
			continue
		}
		told[flow.Whole[0]] = true
		f := rule.Of(flow.Whole[0].Item, &p.Tree.HTTP.Level)
		f.Message = fmt.Sprintf("zone %q counts %s, which is listed here, and no visitor from elsewhere: %s", z.Name, counted.Listed[0].Text, why)
		f.Evidence = map[string]any{"zone": z.Name, "counted": counted.Listed[0].Text, "listed_counted": int64(len(counted.Listed))}
		f.Related = []rule.Label{{Span: z.KeySpan, Message: "the key"}}
		if !sure {
			f.Severity, f.Confidence = rule.Warning, rule.Low
		}
		p.Report(f)
	}
}

// invertedBy says what speaks for a list of friends; "" where nothing does, or something speaks for one of foes.
func invertedBy(p *rule.Pass, z *rule.Zone, flow *rule.Flow, c rule.Counted) (why string, sure bool) {
	if rule.StanceOf(z.Name) == rule.Foes {
		return "", false
	}
	for _, b := range flow.Blocks {
		whole := slices.Contains(flow.Whole, b)
		switch rule.StanceOf(b.Name) {
		case rule.Foes:
			return "", false
		case rule.Friends:
			if !whole {
				why, sure = fmt.Sprintf("$%s tells whom to let off", b.Name), true
			}
		case rule.Limits:
			if whole {
				continue
			}
			if text := p.SameOutside("$" + b.Name); text == "" || rule.MeansNo(text) {
				return "", false // the flag is off for those who are not counted, as it should
			}
			why, sure = fmt.Sprintf("$%s is on for them", b.Name), true
		case rule.Neutral:
		}
	}
	if why == "" && len(flow.Blocks) > 1 && !slices.ContainsFunc(c.Listed, func(a rule.Listed) bool { return !a.IsPrivate() && !a.IsLoopback() }) {
		why = "only private networks are listed"
	}
	return why, sure
}

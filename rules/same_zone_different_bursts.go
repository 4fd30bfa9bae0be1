package rules

import (
	"fmt"
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// SameZoneDifferentBursts reports limits that share a bucket and measure it with different bursts.
var SameZoneDifferentBursts = register(rule.Rule{
	Name:       "same-zone-different-bursts",
	Summary:    "limits with different bursts share one zone, and so one bucket",
	Group:      rule.GroupValues,
	Severity:   rule.Warning,
	Confidence: rule.Medium,
	Since:      "0.1.0",
	Why: "A zone has one bucket for each key, wherever its limits stand; `burst` only says up to which level of it a request is still let\n" +
		"in. With `burst=60` on `/api/` and `burst=5` on `/login`, both of one zone at 10r/s, a client whose page has made 40 calls\n" +
		"stands at a level of 39 and is refused at `/login`, though it has not tried a single login, until the bucket has room for it\n" +
		"again: for 3.5 s. The smaller burst does not protect its own place, it makes that place the first one to be closed by the others.\n\n" +
		"Give each of them a zone of its own: two zones with the same key and different rates cost a few megabytes.\n\n" +
		"It is a warning where the smaller burst is less than half of the larger one and both stand in one server, else a note. Nothing is\n" +
		"said where the key holds the URI, because then the places have different buckets, of limits in different servers where it holds\n" +
		"the server's name, nor of keys that no visitor has.\n",
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr zone=per_ip:10m rate=10r/s;
    limit_req_status 429;

    server {
        location /api/ {
            limit_req zone=per_ip burst=60 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }

        location = /login {
            limit_req zone=per_ip burst=5 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Good: `events {}

http {
    limit_req_zone $binary_remote_addr zone=per_ip:10m rate=10r/s;
    limit_req_zone $binary_remote_addr zone=login:10m rate=10r/m;
    limit_req_status 429;

    server {
        location /api/ {
            limit_req zone=per_ip burst=60 nodelay;
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
		"https://nginx.org/en/docs/http/ngx_http_limit_req_module.html#limit_req",
	},
	Check: checkSameZoneDifferentBursts,
})

func checkSameZoneDifferentBursts(p *rule.Pass) {
	servers := make(map[*config.Server]burstPair)
	for _, z := range p.Zones() {
		if z.Req == nil || z.Req.Rate <= 0 {
			continue
		}
		key := p.Key(z.Key)
		if key.Exempt || slices.ContainsFunc(key.Variables, rule.OfURI) {
			continue
		}
		everywhere := !slices.ContainsFunc(key.Variables, rule.OfServer)
		if !differ(z) {
			continue
		}
		if pair := apartInBurst(z, everywhere, servers); pair.small != nil && pair.small.Req.Burst < pair.large.Req.Burst {
			p.Report(burstsFinding(p, z, pair))
		}
	}
}

func differ(z *rule.Zone) bool {
	return slices.ContainsFunc(z.Uses, func(u rule.ZoneUse) bool { return u.Req.Burst != z.Uses[0].Req.Burst })
}

func burstsFinding(p *rule.Pass, z *rule.Zone, pair burstPair) rule.Finding {
	small, large := pair.small.Req, pair.large.Req
	f := rule.Of(pair.small.Item(), pair.small.At)
	f.Places = pair.small.Levels
	closed := rule.ClosedFor(large.Burst, small.Burst, z.Req.Rate)
	f.Message = fmt.Sprintf("zone %q is one bucket, measured with burst=%s here and burst=%s elsewhere: what fills it there refuses everything here for %s",
		z.Name, rule.Milli(small.Burst), rule.Milli(large.Burst), rule.Duration(closed))
	f.Evidence = map[string]any{
		"zone": z.Name, "rate_milli": z.Req.Rate, "burst_milli": small.Burst, "burst_milli_elsewhere": large.Burst, "closed_ms": closed,
	}
	f.Related = []rule.Label{{Span: large.Directive.Head(), Message: "the larger burst"}}
	if pair.server == nil || 2*small.Burst >= large.Burst || p.Key(z.Key).Constant {
		f.Severity = rule.Note
	}
	return f
}

package rules

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/model/limitconn"
	"github.com/ngxlimit/ngxlimit/model/limitreq"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// ZoneTooSmall reports zones that hold fewer states than keys are to be expected.
var ZoneTooSmall = register(rule.Rule{
	Name:       "zone-too-small",
	Summary:    "a zone holds fewer states than keys are expected",
	Group:      rule.GroupZones,
	Severity:   rule.Warning,
	Confidence: rule.Medium,
	Since:      "0.1.0",
	Why: "A zone keeps one state for each key: 80 bytes and the key, rounded up to 128, 256, 512 and so on, on a 64-bit nginx. 1m holds\n" +
		"8,095 states with keys of up to 48 bytes (an address in any form), 32k holds 191, and with keys of 49 to 176 bytes (a URI, a\n" +
		"session) it is half of that. When a zone is full nginx forgets the key that was used least recently, and with it how much\n" +
		"that key had used up; if that does not make room the request is refused. A zone of `limit_conn`, whose states are half as\n" +
		"large, forgets nothing: when it is full each further address is refused.\n\n" +
		"How many keys are to be expected is in no configuration. Say it in the settings; without that, 10,000 are taken for a key by\n" +
		"address, about as many as the usual 1m nearly holds, so that a zone of 1m gives a note and one that holds less than a tenth\n" +
		"a warning; a zone that only logins use gives none, since few people log in at a time. Whoever has an IPv6 network can bring 2^64 addresses, and so flush a zone of any size.\n",
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr zone=api:64k rate=10r/s;
    limit_req_status 429;

    server {
        location /api/ {
            limit_req zone=api burst=20 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Good: `events {}

http {
    limit_req_zone $binary_remote_addr zone=api:10m rate=10r/s;
    limit_req_status 429;

    server {
        location /api/ {
            limit_req zone=api burst=20 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Links:    []string{"https://nginx.org/en/docs/http/ngx_http_limit_req_module.html#limit_req_zone"},
	Settings: []string{"background", "interactive", "zones"},
	Check:    checkZoneTooSmall,
})

// What a zone is taken to meet where the settings do not say: addresses within the time that a rate needs to drain, and
// addresses with a request in progress, which is all that limit_conn counts.
const (
	expectedAddresses  = 10_000
	expectedConcurrent = 1_000
)

func checkZoneTooSmall(p *rule.Pass) {
	seen := make(map[string]bool) // zones of both kinds share their names
	meets := meetVisitors(p)
	for _, list := range p.LimitReqs() {
		for _, limit := range list.Limits {
			if z := limit.Zone; z != nil && !seen[z.Name] {
				seen[z.Name] = true
				checkZone(p, sizedZone{z.Name, z.Size, p.Key(z.Key), config.Item{Directive: z.Directive, Via: z.Via}, z.SizeSpan, expectedAddresses, meets[z.Name], limitreq.Capacity})
			}
		}
	}
	for _, list := range p.LimitConns() {
		for _, limit := range list.Limits {
			if z := limit.Zone; z != nil && !seen[z.Name] {
				seen[z.Name] = true
				checkZone(p, sizedZone{z.Name, z.Size, p.Key(z.Key), config.Item{Directive: z.Directive, Via: z.Via}, z.SizeSpan, expectedConcurrent, meets[z.Name], limitconn.Capacity})
			}
		}
	}
}

// A sizedZone is a zone of either limiter.
type sizedZone struct {
	name     string
	size     int64
	key      rule.Key
	item     config.Item
	span     source.Span
	usual    int64 // keys expected by address
	visitors bool  // others than those who log in are counted
	capacity func(size int64, nameLen, keyLen int) int
}

func checkZone(p *rule.Pass, z sizedZone) {
	expected, said := p.Settings.ExpectedKeys[z.name]
	if clients, known := p.Settings.ExpectedClients[z.name]; !said && z.key.PerAddress {
		expected, said = clients, known
	}
	if !said {
		if !z.key.PerAddress || z.key.Exempt || !z.visitors {
			return // how many such keys there are cannot be guessed
		}
		expected = z.usual
	}
	holds := int64(z.capacity(z.size, len(z.name), z.key.Bytes))
	if holds == 0 || holds >= expected || z.key.Never {
		return
	}
	f := rule.Of(z.item, &p.Tree.HTTP.Level)
	f.Primary = z.span
	f.Evidence = map[string]any{"zone": z.name, "states": holds, "keys_expected": expected, "key_bytes": int64(z.key.Bytes), "zone_bytes": z.size}
	f.Message = fmt.Sprintf("zone %q holds %s states, and %s keys are expected", z.name, rule.Count(holds), rule.Count(expected))
	if said {
		f.Confidence = rule.High
	} else {
		f.Message = fmt.Sprintf("zone %q holds the states of %s addresses, and a key by address may well meet %s", z.name, rule.Count(holds), rule.Count(expected))
		if holds*10 >= expected {
			f.Severity, f.Confidence = rule.Note, rule.Low
		}
	}
	p.Report(f)
}

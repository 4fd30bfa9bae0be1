package rules

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/model/limitreq"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// ZoneMixedKeySizes reports zones whose keys take states of several sizes.
var ZoneMixedKeySizes = register(rule.Rule{
	Name:       "zone-mixed-key-sizes",
	Summary:    "a zone whose keys take states of several sizes, and which refuses clients when it is full",
	Group:      rule.GroupZones,
	Severity:   rule.Note,
	Confidence: rule.Medium,
	Since:      "0.1.0",
	Why: "A state of `limit_req` takes 80 bytes and the key, rounded up to 128, 256, 512 and so on: 128 with keys of up to 48 bytes, 256 with\n" +
		"keys of up to 176. nginx divides a zone into pages of 4,096 bytes, and each page holds states of one size. When the zone is full it\n" +
		"drops, for a new key, the state that was used least recently, up to three of them. Where all states are of one size that\n" +
		"makes room. Where they are of several, the dropped ones may leave a hole of the wrong size in a page that still holds others,\n" +
		"and the request is refused: `could not allocate node in limit_req zone` stands in the log, and the client has done\n" +
		"nothing.\n\n" +
		"A zone of 1m was sent 20,000 different keys within a minute, half of 16 bytes and half of 100 at random: nginx refused 4,852 of the\n" +
		"clients at their first request. With keys of 16 bytes alone it refused none.\n\n" +
		"Use a key of one length: the address in binary form, one zone for addresses and another one for what is longer, or a map that\n" +
		"leads to short names. A larger zone is full later. How many keys are active in a minute is in no configuration: say it in the\n" +
		"settings. Where it is more than the zone holds it is a warning.\n",
	Bad: `events {}

http {
    map $http_authorization $customer {
        default $http_authorization;
        ""      $binary_remote_addr;
    }

    limit_req_zone $customer zone=customers:10m rate=10r/s;
    limit_req_status 429;

    server {
        location /api/ {
            limit_req zone=customers burst=20 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Good: `events {}

http {
    map $http_authorization $customer {
        default          $binary_remote_addr;
        "Bearer 77a0c1"  north;
        "Bearer 8d1f4e"  south;
    }

    limit_req_zone $customer zone=customers:10m rate=10r/s;
    limit_req_status 429;

    server {
        location /api/ {
            limit_req zone=customers burst=20 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Links:    []string{"https://nginx.org/en/docs/http/ngx_http_limit_req_module.html#limit_req_zone"},
	Settings: []string{"zones"},
	Check:    checkZoneMixedKeySizes,
})

func checkZoneMixedKeySizes(p *rule.Pass) {
	for _, z := range p.Zones() {
		if z.Req == nil || !p.Counts(z) {
			continue
		}
		length, known := p.KeyLength(z.Key)
		if !known {
			continue
		}
		many := int64(limitreq.Capacity(z.Size, len(z.Name), length.Least))
		few := int64(limitreq.Capacity(z.Size, len(z.Name), length.Most))
		if few == 0 || few >= many {
			continue
		}
		f := z.Of(p.Facts)
		f.Message = fmt.Sprintf("keys of zone %q have from %d to about %d bytes, and take states of several sizes: full of one (%s of the small, %s of the large), it refuses keys of another",
			z.Name, length.Least, length.Most, rule.Count(many), rule.Count(few))
		f.Evidence["key_bytes_min"], f.Evidence["key_bytes_max"] = int64(length.Least), int64(length.Most)
		f.Evidence["states_small"], f.Evidence["states_large"] = many, few
		if expected, said := p.Settings.ExpectedKeys[z.Name]; said {
			f.Evidence["keys_expected"] = expected
			if expected <= few {
				continue
			}
			f.Severity = rule.Warning
		}
		p.Report(f)
	}
}

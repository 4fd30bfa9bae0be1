package rules

import (
	"fmt"
	"slices"

	"github.com/ngxlimit/ngxlimit/model/limitconn"
	"github.com/ngxlimit/ngxlimit/model/limitreq"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// KeyTextAddress reports keys that hold the client's address as text.
var KeyTextAddress = register(rule.Rule{
	Name:       "key-text-address",
	Summary:    "a key with the client's address as text, which takes more room than in binary form",
	Group:      rule.GroupKeys,
	Severity:   rule.Note,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: "`$remote_addr` is the address as text: 7 to 15 bytes of IPv4, up to 39 of IPv6. `$binary_remote_addr` is the same address in 4 or\n" +
		"16 bytes, and tells the same clients apart. In a zone of `limit_conn` it is half of the room for IPv6: a state takes 36 bytes\n" +
		"and the key, rounded up to a power of two, 64 with the one and 128 with the other. In a zone of `limit_req` (80 bytes and the\n" +
		"key) both come to 128 as long as nothing else stands in the key; with more beside it the text reaches 256 sooner.\n\n" +
		"The fix writes the other variable. nginx refuses to reload a zone with another key (`uses the \"$binary_remote_addr\" key while\n" +
		"previously it used the \"$remote_addr\" key`) and goes on with the old configuration: it takes a restart, or another name for\n" +
		"the zone.\n",
	Bad: `events {}

http {
    limit_conn_zone $remote_addr zone=conns:10m;
    limit_conn_status 429;

    server {
        location /download/ {
            limit_conn conns 10;
        }
    }
}
`,
	Good: `events {}

http {
    limit_conn_zone $binary_remote_addr zone=conns:10m;
    limit_conn_status 429;

    server {
        location /download/ {
            limit_conn conns 10;
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
	Check:   checkKeyTextAddress,
})

// How many bytes an address has at most.
const (
	textAddress   = 39
	binaryAddress = 16
)

func checkKeyTextAddress(p *rule.Pass) {
	for _, z := range p.Zones() {
		texts := p.Flow(z.Key).Texts
		i := slices.IndexFunc(texts, func(l rule.Leaf) bool { return l.Name == "remote_addr" && !l.Part })
		if i < 0 || !p.Counts(z) {
			continue
		}
		f := z.Of(p.Facts)
		f.Evidence["address_bytes"], f.Evidence["address_bytes_binary"] = int64(textAddress), int64(binaryAddress)
		f.Message = fmt.Sprintf("$remote_addr takes up to %d bytes of the key, and $binary_remote_addr %d at most", textAddress, binaryAddress)
		if now, then := states(z, textAddress), states(z, binaryAddress); len(z.Key.Parts) == 1 && now < then {
			f.Message += fmt.Sprintf(": zone %q holds %s states of IPv6, and would hold %s", z.Name, rule.Count(now), rule.Count(then))
			f.Evidence["states"], f.Evidence["states_binary"] = now, then
		}
		if texts[i].Direct() {
			f.Fix = binaryFix(z)
		} else {
			f.Related = []rule.Label{{Span: texts[i].Span, Message: "it comes in here"}}
		}
		p.Report(f)
	}
}

func states(z *rule.Zone, bytes int) int64 {
	if z.Conn != nil {
		return int64(limitconn.Capacity(z.Size, len(z.Name), bytes))
	}
	return int64(limitreq.Capacity(z.Size, len(z.Name), bytes))
}

// binaryFix writes the binary form in the key. It is safe where nothing stands beside it: with more in the key, which clients
// share one may change ("10.0.0.1" and "1" are "10.0.0.11" and nothing).
func binaryFix(z *rule.Zone) *rule.Fix {
	edits := rule.ReplaceVariable(z.KeySpan, "remote_addr", "binary_remote_addr")
	if len(edits) == 0 {
		return nil
	}
	return &rule.Fix{Title: "write $binary_remote_addr (nginx takes another key only when it is restarted)", Safe: len(z.Key.Parts) == 1, Edits: edits}
}

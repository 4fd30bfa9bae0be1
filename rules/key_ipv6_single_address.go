package rules

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// KeyIPv6SingleAddress reports keys that count each address of IPv6 for itself.
var KeyIPv6SingleAddress = register(rule.Rule{
	Name:       "key-ipv6-single-address",
	Summary:    "a key by single IPv6 addresses, of which one customer has 2^64",
	Group:      rule.GroupKeys,
	Severity:   rule.Note,
	Confidence: rule.High,
	Risk:       "5.3",
	Since:      "0.1.0",
	Why: "An IPv4 address stands for a household or an office; of IPv6 a customer is given a network of 64 bits, and may use each of its\n" +
		"2^64 addresses. A limit by `$binary_remote_addr` gives every one of them a bucket of its own: a program that takes another\n" +
		"address for each request is never limited, and fills a zone of any size (1m holds 8,095 states) until nginx forgets the\n" +
		"buckets of others. For a login, where the limit slows down guessing, that is the whole limit.\n\n" +
		"nginx cannot cut an address, but a map can: the address as text up to its fourth group stands for the network. (Of a network\n" +
		"whose groups are zero the text is shorter, so that a few such networks share a bucket, or one has two.) Against floods of all\n" +
		"addresses together a limit by `$server_name` beside it helps.\n\n" +
		"It is reported where a server with such a limit listens on an IPv6 address that clients can reach.\n",
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr zone=login:10m rate=10r/m;
    limit_req_status 429;

    server {
        listen 80;
        listen [::]:80;

        location = /login {
            limit_req zone=login burst=5 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Good: `events {}

http {
    map $remote_addr $network {
        default                      $binary_remote_addr;
        "~^((?:[0-9a-f]+:){1,4})"    $1;
    }

    limit_req_zone $network zone=login:10m rate=10r/m;
    limit_req_status 429;

    server {
        listen 80;
        listen [::]:80;

        location = /login {
            limit_req zone=login burst=5 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Links: []string{
		"https://nginx.org/en/docs/http/ngx_http_core_module.html#var_binary_remote_addr",
		"https://nginx.org/en/docs/http/ngx_http_map_module.html",
	},
	Check: checkKeyIPv6SingleAddress,
})

func checkKeyIPv6SingleAddress(p *rule.Pass) {
	if p.Tree.HTTP == nil {
		return
	}
	six := make(map[*config.Server]*config.Listen)
	for _, s := range p.Tree.HTTP.Servers {
		if i := slices.IndexFunc(s.Listens, isOpen6); i >= 0 {
			six[s] = s.Listens[i]
		}
	}
	if len(six) == 0 {
		return
	}
	for _, z := range p.Zones() {
		if p.Key(z.Key).Exempt || !p.CountsEach6(z.Key) {
			continue
		}
		listen := firstOf(z, six)
		if listen == nil || len(p.Flow(z.Key).Blocks) > 0 && !p.Whole() {
			continue
		}
		f := z.Of(p.Facts)
		f.Message = fmt.Sprintf("zone %q counts each IPv6 address for itself, and one customer has 2^64 of them", z.Name)
		f.Evidence["network_bits"] = int64(64)
		f.Related = []rule.Label{{Span: listen.Span, Message: "clients come by IPv6 here"}}
		p.Report(f)
	}
}

// isOpen6 says whether clients of the internet can connect to an address by IPv6.
func isOpen6(l *config.Listen) bool {
	addr, err := netip.ParseAddr(l.Address)
	return l.Directive != nil && err == nil && addr.Is6() && !addr.IsLoopback() && !addr.IsPrivate() && !addr.IsLinkLocalUnicast()
}

// firstOf returns the first of the addresses on which clients come to the zone's limits; nil where there is none.
func firstOf(z *rule.Zone, listens map[*config.Server]*config.Listen) *config.Listen {
	for i := range z.Uses {
		for _, place := range z.Uses[i].Places {
			if l := listens[place.Server]; l != nil && place.Judges() {
				return l
			}
		}
	}
	return nil
}

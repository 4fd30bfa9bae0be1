package rules

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/model/fronts"
	"github.com/ngxlimit/ngxlimit/model/realip"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// RealipRecursiveOff reports chains of proxies of which nginx takes the outer one for the client.
var RealipRecursiveOff = register(rule.Rule{
	Name:       "realip-recursive-off",
	Summary:    "behind a chain of proxies the last entry of X-Forwarded-For is a proxy, and it is the key",
	Group:      rule.GroupAddress,
	Severity:   rule.Warning,
	Confidence: rule.Medium,
	Since:      "0.1.0",
	Why: "Each proxy adds to `X-Forwarded-For` the address that connected to it. Behind a CDN and a balancer the header ends with the\n" +
		"CDN's address, and `real_ip_recursive off`, nginx's default, takes that last entry: all people behind one node of the CDN are one\n" +
		"client. With `on` nginx goes back over the entries that `set_real_ip_from` names, to the first one that is not a proxy. One proxy\n" +
		"alone needs no recursion: the last entry is the client.\n\n" +
		"Google Cloud's global balancers add two entries, the client and the address of the forwarding rule: there `on` is needed, and that\n" +
		"address in the list.\n\n" +
		"With `--chain` or `chain` in the settings the proxies are known, and the fix writes `real_ip_recursive on`. Without,\n" +
		"that there is a chain is taken from trust in private and in public networks at once. Where the public ones are single hosts they\n" +
		"may as well be another way in, so that it is a note. A header with one address, such as `CF-Connecting-IP`, needs no\nrecursion.\n",
	Bad: `events {}

http {
    set_real_ip_from 10.0.0.0/16;
    set_real_ip_from 198.51.100.0/24;
    real_ip_header X-Forwarded-For;

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
	Good: `events {}

http {
    set_real_ip_from 10.0.0.0/16;
    set_real_ip_from 198.51.100.0/24;
    real_ip_header X-Forwarded-For;
    real_ip_recursive on;

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
	Links: []string{
		"https://nginx.org/en/docs/http/ngx_http_realip_module.html#real_ip_recursive",
		"https://cloud.google.com/load-balancing/docs/https#x-forwarded-for_header",
	},
	Settings: []string{"chain"},
	Fixable:  true,
	SafeFix:  true,
	Check:    checkRealipRecursiveOff,
})

func checkRealipRecursiveOff(p *rule.Pass) {
	for _, t := range p.Trusts() {
		if t.Recursive.Value || len(t.From.Value) == 0 || len(tooWide(t.From.Value)) > 0 {
			continue
		}
		if b, chained := behindChain(p, t); chained {
			if b.onlyRecursion(t) && p.WholeAt(t.Places[0].Level) {
				p.Report(recursionNeeded(p, t, &b))
			}
			continue
		}
		if !t.Forwarded() {
			continue
		}
		if inner, outer := chainOf(t.From.Value); outer != nil && p.WholeAt(t.Places[0].Level) {
			p.Report(realipRecursiveOffFinding(t, inner, outer))
		} else if front, x, _ := t.Front(p.Settings.Known()); front != nil && addsItself(front) && p.WholeAt(t.Places[0].Level) {
			p.Report(addsItselfFinding(t, front, x))
		}
	}
}

// addsItself says whether a front adds its own address to X-Forwarded-For behind the client's.
func addsItself(front *fronts.Front) bool {
	h, ok := front.Sends(realip.XForwardedFor)
	return ok && h.Adds > 1
}

func addsItselfFinding(t *rule.Trust, front *fronts.Front, x *config.Trusted) rule.Finding {
	f := t.AtRecursive()
	f.Message = fmt.Sprintf("%s (%s is trusted) add their own address to X-Forwarded-For behind the client's, and with real_ip_recursive off it is the key of everybody", front.Name, x.Text)
	f.Evidence = map[string]any{"front": front.ID}
	f.Related = []rule.Label{{Span: x.Span, Message: "one of their networks"}}
	return f
}

// chainOf finds two proxies of which one stands behind the other: one of a private network, and one of a public one,
// networks before single hosts. Both are nil where there are no such two.
func chainOf(list []*config.Trusted) (inner, outer *config.Trusted) {
	for _, x := range list {
		switch {
		case !x.Prefix.IsValid() || x.Prefix.Addr().IsLoopback() || x.Prefix.Bits() == 0:
		case rule.IsInner(x.Prefix.Addr()):
			if inner == nil {
				inner = x
			}
		case outer == nil || outer.Prefix.IsSingleIP() && !x.Prefix.IsSingleIP():
			outer = x
		}
	}
	if inner == nil || outer == nil {
		return nil, nil
	}
	return inner, outer
}

func realipRecursiveOffFinding(t *rule.Trust, inner, outer *config.Trusted) rule.Finding {
	f := t.AtRecursive()
	f.Message = fmt.Sprintf("%s and %s are trusted with real_ip_recursive off: behind both, the header's last entry is the outer proxy, and it is the key of all its clients", inner.Text, outer.Text)
	f.Evidence = map[string]any{"inner": inner.Text, "outer": outer.Text, "trusted": int64(len(t.From.Value))}
	f.Related = []rule.Label{{Span: inner.Span, Message: "the inner proxies"}, {Span: outer.Span, Message: "the outer proxies"}}
	if outer.Prefix.IsSingleIP() {
		f.Severity, f.Confidence = rule.Note, rule.Low
	}
	return f
}

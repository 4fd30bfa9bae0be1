package rules

import (
	"fmt"
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// RealipListReplaced reports servers whose own list of trusted proxies drops the outer one.
var RealipListReplaced = register(rule.Rule{
	Name:       "realip-list-replaced",
	Summary:    "a server's set_real_ip_from drops the whole list of http",
	Group:      rule.GroupAddress,
	Severity:   rule.Warning,
	Confidence: rule.Medium,
	Since:      "0.1.0",
	Why: "`set_real_ip_from` is inherited as a list, and only where a level has none of its own. One line in a server does not add to the\n" +
		"list of `http`, it replaces it: the proxies that only the outer list names are not believed there any more, their clients'\n" +
		"addresses are not taken from the header, and all of them share the proxy's bucket. Write the whole list again, or include it\n" +
		"from one file.\n\n" +
		"A server that covers all of the outer list is left alone, and so is one with a `real_ip_header` of its own, which has another\n" +
		"front. In a location the server's list is asked first, as soon as a request has come, so that a list of its own there adds to it\n" +
		"(seen in nginx 1.22.1); that is no finding.\n",
	Bad: `events {}

http {
    set_real_ip_from 10.0.0.0/22;
    set_real_ip_from 10.0.4.0/22;
    real_ip_header X-Forwarded-For;

    limit_req_zone $binary_remote_addr zone=api:10m rate=10r/s;
    limit_req_status 429;

    server {
        set_real_ip_from 10.9.0.0/24;

        location /api/ {
            limit_req zone=api burst=20 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Good: `events {}

http {
    set_real_ip_from 10.0.0.0/22;
    set_real_ip_from 10.0.4.0/22;
    real_ip_header X-Forwarded-For;

    limit_req_zone $binary_remote_addr zone=api:10m rate=10r/s;
    limit_req_status 429;

    server {
        set_real_ip_from 10.0.0.0/22;
        set_real_ip_from 10.0.4.0/22;
        set_real_ip_from 10.9.0.0/24;

        location /api/ {
            limit_req zone=api burst=20 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Links: []string{"https://nginx.org/en/docs/http/ngx_http_realip_module.html#set_real_ip_from"},
	Check: checkRealipListReplaced,
})

func checkRealipListReplaced(p *rule.Pass) {
	for _, t := range p.Trusts() {
		if t.From.From() != config.KindServer {
			continue
		}
		outer := t.From.At.Parent.Settings
		if h := t.Header; h.From() == config.KindServer && h.Value != outer.RealIPHeader.Value {
			continue // another front
		}
		if lost := lostTrust(t, outer.RealIPFrom.Value); len(lost) > 0 && p.WholeAt(t.From.At) {
			p.Report(realipListReplacedFinding(t, lost, len(outer.RealIPFrom.Value)))
		}
	}
}

// lostTrust returns what the outer list has and the inner one does not cover; this machine's own addresses aside.
func lostTrust(t *rule.Trust, outer []*config.Trusted) []*config.Trusted {
	var lost []*config.Trusted
	for _, x := range outer {
		switch {
		case x.Unix:
			if !t.Unix() && slices.ContainsFunc(t.Servers, rule.AnyUnix) {
				lost = append(lost, x)
			}
		case x.HostName != "":
			if !t.Names(x.HostName) {
				lost = append(lost, x)
			}
		case !x.Prefix.Addr().IsLoopback() && !t.Set().ContainsPrefix(x.Prefix):
			lost = append(lost, x)
		}
	}
	return lost
}

func realipListReplacedFinding(t *rule.Trust, lost []*config.Trusted, of int) rule.Finding {
	f := t.At(t.From.Value[0])
	f.Primary = f.Subject.Head()
	names := make([]string, len(lost))
	for i, x := range lost {
		names[i] = x.Text
	}
	f.Message = fmt.Sprintf("the list of this server replaces that of http, of which %d of %d are not trusted here (%s): a proxy there is the key of all its clients in zone %q",
		len(lost), of, rule.Some(names), t.Bucket.Zone)
	f.Evidence = map[string]any{"lost": names, "outer": int64(of), "own": int64(len(t.From.Value)), "zone": t.Bucket.Zone}
	f.Related = []rule.Label{{Span: lost[0].Span, Message: "not in effect in this server"}}
	return f
}

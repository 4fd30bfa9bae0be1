package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/value"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// KeyAlwaysEmpty reports keys that have no value where the limit is asked.
var KeyAlwaysEmpty = register(rule.Rule{
	Name:       "key-always-empty",
	Summary:    "a key that has no value where the limit is asked, so that nothing is counted",
	Group:      rule.GroupKeys,
	Severity:   rule.Error,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: "nginx does not count a request whose key is empty, and some variables are empty whenever a limit is asked:\n\n" +
		"- `$server_name` is the first name of the server, and empty in one without `server_name`: a limit for all clients together, by\n" +
		"  that key, limits nobody there. `$host` has a value everywhere.\n" +
		"- What `auth_request_set` sets, and `$upstream_...` and `$sent_http_...`, come after the limiters: they run before\n" +
		"  authentication and before the upstream is asked. A key by the user whom `auth_request` names is empty for everybody.\n" +
		"- `$request_body` is not read yet.\n" +
		"- What only another server sets is not set here.\n" +
		"- `$proxy_protocol_addr` has a value only where `listen` says `proxy_protocol`, `$ssl_...` where it says `ssl`, and\n" +
		"  `$ssl_client_...` where `ssl_verify_client` asks for a certificate.\n\n" +
		"nginx takes all of them without a word. A map whose values are all empty, which is how a limit is switched off for a location,\n" +
		"is left alone, and so is a server that answers everything by `return`.\n",
	Bad: `events {}

http {
    limit_req_zone $server_name zone=total:1m rate=300r/s;
    limit_req_status 429;

    server {
        location /api/ {
            limit_req zone=total burst=120 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Good: `events {}

http {
    limit_req_zone $server_name zone=total:1m rate=300r/s;
    limit_req_status 429;

    server {
        server_name www.example.com;

        location /api/ {
            limit_req zone=total burst=120 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Links: []string{
		"https://nginx.org/en/docs/http/ngx_http_core_module.html#var_server_name",
		"https://nginx.org/en/docs/http/ngx_http_auth_request_module.html#auth_request_set",
		"https://nginx.org/en/docs/dev/development_guide.html#http_phases",
	},
	Check: checkKeyAlwaysEmpty,
})

func checkKeyAlwaysEmpty(p *rule.Pass) {
	for _, z := range p.Zones() {
		if !p.MayLack(z.Key) {
			continue
		}
		empty := emptyUses(p, z)
		all := len(empty) > 0 && len(empty) == len(z.Uses)
		for _, e := range empty {
			all = all && e.counted == 0
		}
		for i, e := range empty {
			if all && i > 0 {
				break // the key stands in one place
			}
			p.Report(alwaysEmptyFinding(p, z, e, all))
		}
	}
}

func alwaysEmptyFinding(p *rule.Pass, z *rule.Zone, e emptyUse, all bool) rule.Finding {
	f := z.Of(p.Facts)
	subject := fmt.Sprintf("the key of zone %q is", z.Name)
	if !all {
		f = rule.Of(e.use.Item(), e.use.At)
		f.Places = e.use.Levels
		f.Evidence = map[string]any{"zone": z.Name, "key": z.Key.Text}
		f.Related = []rule.Label{{Span: z.KeySpan, Message: "the key"}}
		subject = fmt.Sprintf("the key of zone %q is here", z.Name)
		if e.counted > 0 {
			subject = fmt.Sprintf("the key of zone %q is in %d of %d places", z.Name, e.empty, e.empty+e.counted)
		}
	}
	var why string
	switch {
	case e.variable == "server_name":
		why = "is empty in a server without server_name"
		if names, ok := e.server.Find("server_name"); ok {
			why = "is the first name of the server, and that is empty"
			f.Related = append(f.Related, rule.Label{Span: names.Head(), Message: "the names"})
		} else if e.server.Directive != nil {
			f.Related = append(f.Related, rule.Label{Span: e.server.Directive.Head(), Message: "the server"})
		}
	case strings.HasPrefix(e.variable, "proxy_protocol_"):
		why = "has a value only where listen says proxy_protocol"
	case strings.HasPrefix(e.variable, "ssl_client_") && slices.ContainsFunc(e.server.Listens, p.Encrypts):
		why = "has a value only where ssl_verify_client asks for a certificate"
	case strings.HasPrefix(e.variable, "ssl_"):
		why = "has a value only where listen says ssl"
	case value.Builtin(e.variable):
		f.Confidence = rule.Medium // an internal redirect behind the upstream's answer may lead here
		why = "gets its value only after the limit was asked"
	default:
		f.Confidence = rule.Medium
		why = "gets its value elsewhere, or only after the limit was asked"
	}
	f.Message = fmt.Sprintf("%s always empty, so that nothing is counted: $%s %s", subject, e.variable, why)
	f.Evidence["variable"] = "$" + e.variable
	return f
}

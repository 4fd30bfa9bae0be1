package rules

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/model/realip"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// RealipHeaderUnusual reports a real_ip_header in which the trusted front does not hand on the client's address.
var RealipHeaderUnusual = register(rule.Rule{
	Name:       "realip-header-unusual",
	Summary:    "the header that is read is not one in which the front hands on the client's address",
	Group:      rule.GroupAddress,
	Severity:   rule.Warning,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: "`real_ip_header` has to name the header that the trusted proxies send. If it names another one, nothing is replaced, and the\n" +
		"proxies' addresses are the keys of all their clients; if it names one that they hand on as the client sent it, the client chooses.\n" +
		"Reported are\n\n" +
		"- names that cannot work: with `_`, as nginx drops such headers unless `underscores_in_headers` is on; a variable, which is not\n" +
		"  expanded; `Forwarded`, whose `for=` nginx does not read; headers that hold a scheme, a port or a host;\n" +
		"- the header of another provider than the one whose networks are trusted, `X-Real-IP` with Cloudflare's among them;\n" +
		"- as a warning of less confidence, headers that the front takes over from the client (`Fastly-Client-IP`);\n" +
		"- with `--chain` or `chain` in the settings: every header in which the proxies do not hand on the client's address, with one in\n" +
		"  which they do;\n" +
		"- as a note, `x-forwarded-for` in other letters: only `X-Forwarded-For` is read as a list over several lines; and `X-Real-IP` where\n" +
		"  it is read because nothing is written: balancers and CDNs send `X-Forwarded-For`.\n\n" +
		"A header of your own name, set at the edge, is fine and is not reported.\n",
	Bad: `events {}

http {
    set_real_ip_from 10.0.0.0/22;
    set_real_ip_from 10.0.4.0/22;
    real_ip_header X_Forwarded_For;

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
    set_real_ip_from 10.0.0.0/22;
    set_real_ip_from 10.0.4.0/22;
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
	Links: []string{
		"https://nginx.org/en/docs/http/ngx_http_realip_module.html#real_ip_header",
		"https://nginx.org/en/docs/http/ngx_http_core_module.html#underscores_in_headers",
		"https://developers.cloudflare.com/fundamentals/reference/http-headers/",
		"https://www.fastly.com/documentation/reference/http/http-headers/Fastly-Client-IP",
	},
	Settings: []string{"chain"},
	Check:    checkRealipHeaderUnusual,
})

func checkRealipHeaderUnusual(p *rule.Pass) {
	for _, t := range p.Trusts() {
		if len(t.From.Value) == 0 {
			continue
		}
		if text, severity, confidence := judgeHeader(p, t); text != "" && (t.Header.Origin != nil || p.WholeAt(t.Places[0].Level)) {
			f := t.AtHeader()
			f.Message, f.Severity, f.Confidence = text, severity, confidence
			f.Evidence = map[string]any{"header": t.Header.Value, "zone": t.Bucket.Zone}
			p.Report(f)
		}
	}
}

// judgeHeader says what is wrong with the header that is read; "" where nothing is.
func judgeHeader(p *rule.Pass, t *rule.Trust) (text string, s rule.Severity, c rule.Confidence) {
	name := t.Header.Value
	if why := deadHeader(p, t); why != "" {
		return fmt.Sprintf("%s %s: the proxies' addresses stay the keys of all their clients", name, why), rule.Error, rule.High
	}
	b, chained := behindChain(p, t)
	if chained && p.WholeAt(t.Places[0].Level) {
		if text := behindHeader(t, &b); text != "" {
			return text, rule.Error, rule.High
		}
	}
	if text, c := foreignHeader(t, p.Settings.Known()); text != "" && !chained && p.WholeAt(t.Places[0].Level) {
		return text, rule.Warning, c
	}
	switch {
	case t.Forwarded() && name != realip.XForwardedFor:
		return fmt.Sprintf("%s is read as an ordinary header, of which the first line counts: only %s is one list over several lines", name, realip.XForwardedFor), rule.Note, rule.High
	case name == realip.XRealIP && t.Header.Origin == nil && !chained:
		return "X-Real-IP is read, because no real_ip_header is in effect: balancers and CDNs send X-Forwarded-For", rule.Note, rule.Low
	}
	return "", "", ""
}

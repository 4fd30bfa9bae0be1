package rules

import (
	"fmt"
	"strings"

	"github.com/ngxlimit/ngxlimit/model/fronts"
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

// deadHeader says why no client's address can ever be in a header; "" where one can.
func deadHeader(p *rule.Pass, t *rule.Trust) string {
	name := t.Header.Value
	switch lower := strings.ToLower(name); {
	case name == realip.ProxyProtocol:
	case strings.HasPrefix(name, "$"):
		return "is no header's name, and a variable is not expanded there"
	case strings.ContainsAny(name, " :,;=/"):
		return "is no header's name"
	case strings.Contains(name, "_") && !p.AnyUnderscores() && p.Whole():
		return "has an underscore, and nginx drops such headers, as underscores_in_headers is off"
	case lower == "forwarded":
		return "holds for=..., which nginx does not read"
	case lower == "x-forwarded-proto" || lower == "x-forwarded-port" || lower == "x-forwarded-host" || lower == "x-forwarded-scheme" || lower == "x-forwarded-ssl" || lower == "host" || lower == "via":
		return "holds no address"
	}
	return ""
}

// foreignHeader compares the header with what the front sends whose networks are trusted.
func foreignHeader(t *rule.Trust, known *fronts.Table) (string, rule.Confidence) {
	name := t.Header.Value
	front, x, alone := t.Front(known)
	if front == nil || name == realip.ProxyProtocol {
		return "", ""
	}
	if h, ok := front.Sends(name); ok {
		if h.Open {
			return fmt.Sprintf("%s hands on %s as the client sent it: each client of zone %q may choose its bucket, unless your own configuration at the edge sets it", front.Name, name, t.Bucket.Zone), rule.Medium
		}
		return "", ""
	}
	if !strings.EqualFold(name, realip.XRealIP) && !sentByOther(known, front, name) {
		return "", "" // of your own, set at the edge
	}
	confidence := rule.High
	if !alone {
		confidence = rule.Medium // what else is trusted may send it
	}
	return fmt.Sprintf("%s is trusted (%s), which sends %s, and %s is read: its own addresses stay the key of all its clients", front.Name, x.Text, front.Headers[0].Name, name), confidence
}

func sentByOther(known *fronts.Table, front *fronts.Front, name string) bool {
	for _, f := range known.Fronts {
		if _, sends := f.Sends(name); sends && f != front {
			return true
		}
	}
	return false
}

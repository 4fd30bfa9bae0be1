package rules

import (
	"fmt"
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/model/peers"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// RealipMissing reports keys by address behind a proxy whose address is then the key of everybody.
var RealipMissing = register(rule.Rule{
	Name:       "realip-missing",
	Summary:    "a key by address where a proxy may connect and none is trusted",
	Group:      rule.GroupAddress,
	Severity:   rule.Warning,
	Confidence: rule.Medium,
	Since:      "0.1.0",
	Why: "`$binary_remote_addr` is the address that connects. Behind a balancer, a CDN or another proxy that is the proxy's, so all its\n" +
		"clients share one bucket: at 10r/s and burst 10 a thousand visitors have together what was meant for one. `set_real_ip_from`\n" +
		"names the proxies, and `real_ip_header` the header in which they hand on the client's address; with both the key is the\n" +
		"client's own.\n\n" +
		"That a proxy stands in front is taken from `proxy_protocol` on `listen`, an address on which only this machine or a private\n" +
		"network can connect, a forwarding header that is used or logged (the log format\n" +
		"`main` of nginx's own packages names `$http_x_forwarded_for` everywhere and says nothing), or from the settings. Where nothing\n" +
		"says so, one note tells that it cannot be known; setting that nothing stands in front ends it.\n",
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr zone=api:10m rate=10r/s;
    limit_req_status 429;

    server {
        listen 80 proxy_protocol;

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
    real_ip_header proxy_protocol;

    limit_req_zone $binary_remote_addr zone=api:10m rate=10r/s;
    limit_req_status 429;

    server {
        listen 80 proxy_protocol;

        location /api/ {
            limit_req zone=api burst=20 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Links: []string{
		"https://nginx.org/en/docs/http/ngx_http_realip_module.html",
		"https://nginx.org/en/docs/http/ngx_http_core_module.html#listen",
	},
	Settings: []string{"proxies", "chain"},
	Fixable:  true,
	SafeFix:  true,
	Check:    checkRealipMissing,
})

func checkRealipMissing(p *rule.Pass) {
	if p.Settings.Front == rule.FrontNone {
		return
	}
	var first *rule.Bucket
	var best *rule.FrontSign
	var servers []*config.Server
	for bucket, place := range p.ByAddress() {
		if len(place.Settings.RealIPFrom.Value) > 0 || otherwiseTold(place) || !p.WholeAt(place.Level) {
			continue
		}
		if !slices.Contains(servers, place.Server) {
			servers = append(servers, place.Server)
		}
		sign := p.FrontSign(place)
		if first == nil || sign.Surer(best) {
			first, best = bucket, sign
		}
		if best != nil && best.Confidence == rule.High && len(p.Settings.Fronts) == 0 {
			break
		}
	}
	if first != nil {
		f := realipMissingFinding(p, first, best)
		f.Fix = realipMissingFix(p, first, servers)
		p.Report(f)
	}
}

// otherwiseTold says whether a rule of its own tells of the fault: that the header is never read, or that all of a unix
// socket's clients are one.
func otherwiseTold(place rule.Place) bool {
	return place.Settings.RealIPHeader.From() != config.Default || rule.OnlyUnix(place.Server)
}

// realipMissingFinding is one for the whole configuration: the cause is one, and so is what mends it.
func realipMissingFinding(p *rule.Pass, b *rule.Bucket, sign *rule.FrontSign) rule.Finding {
	f := rule.Of(b.Item, &p.Tree.HTTP.Level)
	f.Primary = b.Key
	f.Evidence = map[string]any{"zone": b.Zone}
	var seen []peers.Group
	if p.Settings.Peers != nil {
		seen = p.Settings.Peers.Groups(nil)
	}
	switch {
	case len(seen) > 0:
		f.Confidence = rule.High
		f.Message = fmt.Sprintf("logs show %s as the client, which hands on others (%s), and no set_real_ip_from is in effect: zone %q counts all its clients as one address; %s",
			seenText(&seen[0]), seenCounts(p, &seen[0]), b.Zone, coverText(&seen[0]))
		f.Evidence = seenEvidence(&seen[0])
		f.Evidence["zone"] = b.Zone
	case p.Settings.Front == rule.FrontProxy:
		f.Confidence = rule.High
		f.Message = fmt.Sprintf("a proxy connects, as the settings say, and no set_real_ip_from is in effect: zone %q counts all its clients as one address", b.Zone)
	case sign != nil:
		f.Confidence = sign.Confidence
		f.Message = fmt.Sprintf("%s, and no set_real_ip_from is in effect: zone %q counts all clients behind a proxy as one address", sign.Text, b.Zone)
		f.Related = []rule.Label{{Span: sign.Span, Message: "the sign of a proxy"}}
	default:
		f.Severity, f.Confidence = rule.Note, rule.Low
		f.Message = fmt.Sprintf("whether a proxy stands in front cannot be known: if one does, zone %q counts all its clients as one address, as no set_real_ip_from is in effect", b.Zone)
	}
	return f
}

package rules

import (
	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// LimitDroppedByChild reports blocks whose own limits replace those around them.
var LimitDroppedByChild = register(rule.Rule{
	Name:       "limit-dropped-by-child",
	Summary:    "a block's own limit drops the limits around it",
	Group:      rule.GroupReach,
	Severity:   rule.Warning,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: "A server or a location inherits `limit_req` only where it has none of its own, and then the whole list; lists are never put\n" +
		"together. With 90r/s against floods at the server and 20r/m in `location = /login`, logins are no longer counted against floods,\n" +
		"nor by any other limit of the server, such as one for crawlers. What should hold as well has to be repeated. The same is true\n" +
		"of `limit_conn`; the two lists are apart from each other.\n\n" +
		"A limit that the inner block replaces by a looser one of the same key is taken as meant, because there is no other way to loosen\n" +
		"it; so is an inner limit whose key is always empty, which switches the outer ones off. Where the inner block has a stricter\n" +
		"limit of the same key, the loss is small (its requests no longer spend the outer bucket) and the confidence medium. Nothing is\n" +
		"said of blocks where no limit runs.\n\n" +
		"The fix repeats the outer limits. It is not safe: requests may be refused that were not before.\n",
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr zone=login:10m rate=20r/m;
    limit_req_zone $server_name zone=total:1m rate=300r/s;
    limit_req_status 429;

    server {
        server_name www.example.com;
        limit_req zone=total burst=500 nodelay;

        location = /login {
            limit_req zone=login burst=5 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Good: `events {}

http {
    limit_req_zone $binary_remote_addr zone=login:10m rate=20r/m;
    limit_req_zone $server_name zone=total:1m rate=300r/s;
    limit_req_status 429;

    server {
        server_name www.example.com;
        limit_req zone=total burst=500 nodelay;

        location = /login {
            limit_req zone=total burst=500 nodelay;
            limit_req zone=login burst=5 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Links: []string{
		"https://nginx.org/en/docs/http/ngx_http_limit_req_module.html#limit_req",
		"https://nginx.org/en/docs/http/ngx_http_limit_conn_module.html#limit_conn",
	},
	Fixable: true,
	Check:   checkLimitDroppedByChild,
})

func checkLimitDroppedByChild(p *rule.Pass) {
	reqs := func(l *config.Level) *config.Setting[[]*config.LimitReq] { return l.Settings.LimitReqs }
	conns := func(l *config.Level) *config.Setting[[]*config.LimitConn] { return l.Settings.LimitConns }
	d := dropping{told: make(map[string]map[string]any)}
	for _, place := range p.Places() {
		if place.Parent != nil && place.Kind != config.KindIf {
			checkDropped(p, place, "limit_req", reqs, p.ReqLine, &d)
			checkDropped(p, place, "limit_conn", conns, p.ConnLine, &d)
		}
	}
}

// A dropping is what serves for one list after another.
type dropping struct {
	inner, around, lost []rule.Line
	told                map[string]map[string]any // the evidence for each set of zones
}

// checkDropped compares a place's own list with those around it.
func checkDropped[L any](p *rule.Pass, place rule.Place, kind string, of func(*config.Level) *config.Setting[[]L], line func(L) rule.Line, d *dropping,
) {
	around := of(place.Parent)
	own := of(place.Level)
	if own.At != place.Level || len(around.Value) == 0 {
		return
	}
	d.inner, d.lost = d.inner[:0], d.lost[:0]
	off := true
	for _, l := range own.Value {
		d.inner = append(d.inner, line(l))
		off = off && d.inner[len(d.inner)-1].Key.Never
	}
	if _, answered := place.Answerer(); off || answered || place.Location != nil && !place.Judges() {
		return
	}
	covered := true
	d.around = wanted(d.around[:0], place.Parent, of, line)
	for i := range d.around {
		if kept, alike := keeps(d.inner, &d.around[i]); !kept {
			d.lost = append(d.lost, d.around[i])
			covered = covered && alike
		}
	}
	if len(d.lost) > 0 && p.WholeAt(place.Level) { // else they may be repeated in what was not read
		p.Report(droppedFinding(place, kind, around.At, d, covered))
	}
}

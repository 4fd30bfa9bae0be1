package rules

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
	"github.com/ngxlimit/ngxlimit/model/simulate"
	"github.com/ngxlimit/ngxlimit/model/traffic"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// EditorLimited reports limits that break WordPress' editor.
var EditorLimited = register(rule.Rule{
	Name:       "editor-limited",
	Summary:    "a limit breaks the block editor of WordPress",
	Group:      rule.GroupPlaces,
	Severity:   rule.Warning,
	Confidence: rule.Medium,
	Since:      "0.1.0",
	Why: "The block editor opens with fifty and more calls at once, to `/wp-json/` and `/wp-admin/admin-ajax.php`, all from one address and\n" +
		"one person who is logged in. A limit that is wide enough for readers refuses most of them: on a busy site with 10r/s and\n" +
		"`burst=10` it was the visible sign of 363,000 refusals in a day. Authors see an editor that does not load, or loses what they wrote.\n\n" +
		"Where paths of a server show WordPress, the editor was opened in a simulation (73 requests, the fan `block-editor`). It is a\n" +
		"warning where some are refused, and a note where they only wait, or where an ordinary page is refused too at the same limit\n" +
		"(burst-below-fan or missing-burst says so). Give `/wp-admin/` and `/wp-json/` a limit of their own with room for 80, or none: whoever\n" +
		"comes there is logged in.\n",
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr zone=wp:10m rate=10r/s;
    limit_req_status 429;

    server {
        server_name blog.example.com;
        limit_req zone=wp burst=40 nodelay;

        location / {
            proxy_pass http://127.0.0.1:8080;
        }

        location /wp-admin/ {
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Good: `events {}

http {
    limit_req_zone $binary_remote_addr zone=wp:10m rate=20r/s;
    limit_req_zone $binary_remote_addr zone=editor:10m rate=20r/s;
    limit_req_status 429;

    server {
        server_name blog.example.com;
        limit_req zone=wp burst=60 nodelay;

        location / {
            proxy_pass http://127.0.0.1:8080;
        }

        location ~ ^/(wp-admin|wp-json)/ {
            limit_req zone=editor burst=120 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Links: []string{
		"https://nginx.org/en/docs/http/ngx_http_limit_req_module.html#limit_req",
		"https://developer.wordpress.org/rest-api/",
	},
	Check: checkEditorLimited,
})

// editorFan is the load that stands for opening the editor.
const editorFan = "block-editor"

func checkEditorLimited(p *rule.Pass) {
	if p.Tree.HTTP == nil {
		return
	}
	e := editor{Pass: p, told: make(map[*syntax.Directive]bool)}
	for _, s := range p.Tree.HTTP.Servers {
		if !isWordPress(s) {
			continue
		}
		if e.fan == nil {
			e.fan = builtin(editorFan)
		}
		page := p.PageOf(s, e.fan)
		for i := 0; page != nil && i < len(page.Locations); i++ {
			e.at(s, &page.Locations[i])
		}
	}
}

type editor struct {
	*rule.Pass
	fan  *traffic.Fan
	told map[*syntax.Directive]bool
}

// at reports the limit that does most to the editor at one location.
func (e *editor) at(s *config.Server, at *simulate.PageLocation) {
	list := listAt(s, at)
	var limit *config.LimitReq
	var stat simulate.LimitStat
	for i, l := range list.Value {
		if i < len(at.Limits) && l.Zone != nil {
			if n := at.Limits[i].One; limit == nil || n.Rejected > stat.Rejected || n.Rejected == stat.Rejected && n.Delayed > stat.Delayed {
				limit, stat = l, n
			}
		}
	}
	if limit == nil || stat.Rejected == 0 && stat.MaxAddedMs <= unnoticedMs || e.told[limit.Directive] || !e.WholeIn(s) {
		return
	}
	e.told[limit.Directive] = true
	f := rule.Of(config.Item{Directive: limit.Directive, Via: limit.Via}, list.At)
	if stat.Rejected == 0 || ordinaryRefused(e.Pass, s, limit) {
		f.Severity = rule.Note
	}
	all := int64(at.One.Requests + at.One.NotIssued)
	counts := rule.Counts{Delayed: stat.Delayed, Rejected: stat.Rejected}
	f.Message = fmt.Sprintf("of %d requests by which the block editor opens, %s come to this limit: %s", len(e.fan.Requests), rule.Count(all), counts.Words())
	f.Evidence = map[string]any{
		"rate_milli": limit.Zone.Rate, "burst_milli": limit.Burst, "editor_requests": all,
		"editor_delayed": int64(stat.Delayed), "editor_rejected": int64(stat.Rejected), "delay_ms_max": stat.MaxAddedMs,
	}
	e.Report(f)
}

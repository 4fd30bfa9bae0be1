package rules

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// DryRunEnabled reports limits that only count.
var DryRunEnabled = register(rule.Rule{
	Name:       "dry-run-enabled",
	Summary:    "a dry run: the limit counts and marks, and refuses nothing",
	Group:      rule.GroupReach,
	Severity:   rule.Note,
	Confidence: rule.High,
	Since:      "0.1.0",
	Why: "With `limit_req_dry_run on` (nginx 1.17.1; `limit_conn_dry_run` 1.17.6) a limit keeps its buckets as in earnest, logs what it\n" +
		"would do and sets `$limit_req_status` to `DELAYED_DRY_RUN` or `REJECTED_DRY_RUN`; nobody is held back or refused, attackers\n" +
		"neither. That is right for the first working day of a new limit, and wrong once it is forgotten there.\n\n" +
		"It is told once for each such line, with the number of blocks whose limits it switches off. A dry run where no limit is in effect\n" +
		"is not reported.\n",
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr zone=api:10m rate=10r/s;
    limit_req_status 429;

    server {
        location /api/ {
            limit_req zone=api burst=20 nodelay;
            limit_req_dry_run on;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Good: `events {}

http {
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
		"https://nginx.org/en/docs/http/ngx_http_limit_req_module.html#limit_req_dry_run",
		"https://nginx.org/en/docs/http/ngx_http_limit_conn_module.html#limit_conn_dry_run",
	},
	Check: checkDryRunEnabled,
})

func checkDryRunEnabled(p *rule.Pass) {
	d := dryRuns{of: make(map[*syntax.Directive]*dryRun)}
	for list := range p.Lists() {
		if list.OffHere {
			continue
		}
		for _, place := range list.Places {
			s := place.Settings.LimitReqDryRun
			if list.Kind == "limit_conn" {
				s = place.Settings.LimitConnDryRun
			}
			if s.Value && s.Origin != nil && place.Judges() && p.WholeAt(place.Level) {
				d.add(s, list)
			}
		}
	}
	for _, r := range d.all {
		p.Report(r.finding())
	}
}

// A dryRun is one directive and what it switches off.
type dryRun struct {
	set    *config.Setting[bool]
	kind   string
	places int64
	first  config.Item // limit
}

type dryRuns struct {
	all []*dryRun
	of  map[*syntax.Directive]*dryRun
}

func (d *dryRuns) add(s *config.Setting[bool], list rule.Written) {
	r := d.of[s.Origin]
	if r == nil {
		r = &dryRun{set: s, kind: list.Kind, first: list.Lines[0].Item}
		d.of[s.Origin] = r
		d.all = append(d.all, r)
	}
	r.places++
}

func (r *dryRun) finding() rule.Finding {
	f := rule.Of(config.Item{Directive: r.set.Origin, Via: r.set.Via}, r.set.At)
	f.Message = fmt.Sprintf("a dry run: %s in %s counts and marks, and refuses nothing", r.kind, rule.Plural(r.places, "block", "blocks"))
	f.Evidence = map[string]any{"places": r.places}
	f.Related = []rule.Label{{Span: r.first.Head(), Message: "this limit does not act"}}
	return f
}

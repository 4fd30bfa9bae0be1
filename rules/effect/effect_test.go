package effect_test

import (
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/load"
	"github.com/ngxlimit/ngxlimit/rules"
	"github.com/ngxlimit/ngxlimit/rules/effect"
	"github.com/ngxlimit/ngxlimit/rules/rule"
	"github.com/ngxlimit/ngxlimit/rules/run"
)

func side(t *testing.T, text string) effect.Side {
	t.Helper()
	in, err := load.Load([]string{"-"}, load.Options{Stdin: strings.NewReader(text)})
	if err != nil {
		t.Fatal(err)
	}
	facts := rule.NewFacts(config.Resolve(in[0], config.Options{}), rule.Settings{})
	// Without fingerprints, as the formats that show none are judged.
	return effect.Side{Facts: facts, Result: run.On(facts, rules.All(), run.Options{Known: rules.All(), NoFingerprints: true, Everything: true})}
}

const shop = `events {}
http {
    limit_req_zone $binary_remote_addr zone=pages:10m rate=5r/s;
    server {
        listen 80;
        server_name shop.example;
        location / {
            limit_req zone=pages burst=30;
            proxy_pass http://127.0.0.1:8080;
        }
        location /static/ {
            root /srv;
        }
    }
}
`

// A change is told once, and what only looks like one is not.
func TestEffect(t *testing.T) {
	replace := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(shop) }
	for _, c := range []struct {
		name, renewed          string
		worst                  rule.Severity
		limits, answers, pages int
		come, mended           string // a rule among those that come and go
	}{
		{name: "nothing", renewed: shop},
		{name: "comments and blanks", renewed: replace(";\n", "; # as before\n\n")},
		{name: "renamed", renewed: replace("pages", "per_ip", "rate=5r/s", "rate=300r/m")},
		{name: "mended", renewed: replace("burst=30", "burst=30 nodelay"), worst: rule.Warning, limits: 1, pages: 1, mended: "missing-nodelay"},
		{name: "removed", renewed: replace("limit_req zone=pages burst=30;", ""), worst: rule.Warning, limits: 1, pages: 1, mended: "missing-nodelay", come: "zone-unused"},
		{name: "broken", renewed: replace("burst=30", "burst=3 nodelay"), worst: rule.Error, limits: 1, pages: 1, come: "page-rejected"},
		{name: "elsewhere", renewed: replace("root /srv;", "proxy_pass http://127.0.0.1:8081;"), answers: 1},
		{name: "another location, the same answer", renewed: replace("location /static/", "location ^~ /static/")},
		{name: "refused", renewed: replace("burst=30;", "burst=0;"), worst: rule.Error, limits: 1, pages: 1, come: "invalid-burst"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := effect.Of(side(t, shop), side(t, c.renewed))
			if c.limits+c.answers+c.pages == 0 && c.worst == "" && !e.Empty() {
				t.Errorf("told %+v", e)
			}
			if worst := e.Worst(); worst != c.worst && c.worst != "" {
				t.Errorf("worst %q, want %q", worst, c.worst)
			}
			if len(e.Limits) != c.limits || len(e.Answers) != c.answers || len(e.Pages) > 0 != (c.pages > 0) {
				t.Errorf("%d limits, %d answers, %d pages: %+v", len(e.Limits), len(e.Answers), len(e.Pages), e)
			}
			if c.come != "" && !names(e.New)[c.come] {
				t.Errorf("%s is not among what is new: %v", c.come, names(e.New))
			}
			if c.mended != "" && !names(e.Mended)[c.mended] {
				t.Errorf("%s is not among what is mended: %v", c.mended, names(e.Mended))
			}
		})
	}
}

func names(found []rule.Finding) map[string]bool {
	set := map[string]bool{}
	for i := range found {
		set[found[i].Rule.Name] = true
	}
	return set
}

package rules

import (
	"fmt"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// LoginUnlimited reports places to guess passwords at that no limit slows down.
var LoginUnlimited = register(rule.Rule{
	Name:       "login-unlimited",
	Summary:    "passwords, codes or tokens can be guessed here as fast as the upstream answers",
	Group:      rule.GroupReach,
	Severity:   rule.Warning,
	Confidence: rule.Medium,
	Risk:       "6.5",
	Since:      "0.1.0",
	Why: "A login, the reset of a password, a token endpoint, WordPress' `wp-login.php` and `xmlrpc.php` answer whoever guesses, at some\n" +
		"hundred tries a second if nothing slows them down. 10r/m with `burst=5 nodelay` lets a person mistype five times at once, and\n" +
		"leaves a guesser some 14,300 tries a day. It does not replace locking an account or a second factor.\n\n" +
		"Reported is a location whose name says login, password, token or the like and whose requests go to an upstream without any\n" +
		"`limit_req`; in servers whose paths show WordPress, also the location that takes `/wp-login.php` or `/xmlrpc.php`. A request was\n" +
		"followed through nginx's phases first. It is a note where the configuration has no limit at all: perhaps something in front limits.\n" +
		"Nothing is said of what is internal, answered by nginx itself, refused, or asks for a password or a certificate before.\n" +
		"Where the program limits logins itself, switch the rule off in `.ngxlimit.yaml` (`rules: {login-unlimited: off}`) or for the\n" +
		"line, with that as the reason.\n",
	Bad: `events {}

http {
    limit_req_zone $binary_remote_addr zone=api:10m rate=20r/s;
    limit_req_status 429;

    server {
        location /api/ {
            limit_req zone=api burst=60 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }

        location = /login {
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Good: `events {}

http {
    limit_req_zone $binary_remote_addr zone=api:10m rate=20r/s;
    limit_req_zone $binary_remote_addr zone=login:10m rate=10r/m;
    limit_req_status 429;

    server {
        location /api/ {
            limit_req zone=api burst=60 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }

        location = /login {
            limit_req zone=login burst=5 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Links: []string{
		"https://nginx.org/en/docs/http/ngx_http_limit_req_module.html#limit_req",
		"https://blog.nginx.org/blog/rate-limiting-nginx",
	},
	Check: checkLoginUnlimited,
})

func checkLoginUnlimited(p *rule.Pass) {
	if p.Tree.HTTP == nil {
		return
	}
	l := logins{Pass: p, known: make(map[label][]string)}
	for _, s := range p.Tree.HTTP.Servers {
		var found []guessable
		wordpress := false
		for loc := range s.AllLocations {
			for _, target := range l.targets(loc) {
				found = l.try(found, s, target)
			}
			wordpress = wordpress || strings.Contains(loc.Pattern, "wp-")
		}
		if wordpress {
			found = l.try(l.try(found, s, "/wp-login.php"), s, "/xmlrpc.php")
		}
		for _, g := range found {
			l.report(g)
		}
	}
}

func (l *logins) report(g guessable) {
	if !l.WholeIn(g.location.Server) {
		return
	}
	f := rule.Of(config.Item{Directive: g.location.Directive, Via: g.location.Via}, &g.location.Level)
	urls := make([]string, len(g.targets))
	for i, target := range g.targets {
		urls[i] = l.probe.URL(g.location.Server, target)
	}
	list := strings.Join(urls, " and ")
	f.Message = fmt.Sprintf("%s %s to the upstream without a limit: whoever guesses there is not slowed down", list, plural(len(urls), "goes", "go"))
	f.Evidence = map[string]any{"urls": list}
	if len(l.Tree.HTTP.Zones) == 0 {
		f.Severity, f.Confidence = rule.Note, rule.Low
	}
	l.Report(f)
}

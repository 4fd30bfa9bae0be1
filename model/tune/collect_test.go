package tune

import (
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/load"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/analyzer/route"
)

// What return or rewrite answers never comes to a limit, so that none is proposed for it: not for a login either, which a server
// for plain http sends on to https.
func TestNoLimitWhereNginxAnswersBefore(t *testing.T) {
	for _, c := range []struct {
		answer string
		logins int
	}{
		{"return 301 https://$host$request_uri;", 0},
		{"rewrite ^ https://$host$request_uri? permanent;", 0},
		{"location / { return 204; }", 0},
		{"location / { proxy_pass http://127.0.0.1:1; }", 1},
	} {
		text := "events {}\nhttp { server { listen 80; server_name a.example; " + c.answer + " } }"
		inputs, err := load.Load([]string{"-"}, load.Options{Stdin: strings.NewReader(text)})
		if err != nil {
			t.Fatal(err)
		}
		tree := config.Resolve(inputs[0], config.Options{})
		collector := NewCollector(tree, route.New(tree), Options{Share: 1, Login: func(string) bool { return true }, Static: func(string) bool { return false }})
		if err := collector.Add(&Visit{Request: &request.Request{Method: post, Host: "a.example", Target: "/login"}}); err != nil {
			t.Fatal(err)
		}
		plan, err := collector.Plan()
		if err != nil || len(plan.Groups) != c.logins || plan.Other != 1-c.logins {
			t.Errorf("%s: %d limits, %d others, %v", c.answer, len(plan.Groups), plan.Other, err)
		}
	}
}

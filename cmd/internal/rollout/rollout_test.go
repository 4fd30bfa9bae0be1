package rollout

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/load"
	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/analyzer/route"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/model/traffic"
	"github.com/ngxlimit/ngxlimit/model/tune"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

func resolve(t *testing.T, text, version string) *config.Tree {
	t.Helper()
	inputs, err := load.Load([]string{"-"}, load.Options{Stdin: strings.NewReader(text)})
	if err != nil {
		t.Fatal(err)
	}
	return config.Resolve(inputs[0], config.Options{Version: version})
}

// proposed tunes a configuration for a page of one document, two files, five calls of /api/ and a login.
func proposed(t *testing.T, text, version string) *Proposal {
	t.Helper()
	return proposedFor(t, text, version, "/", "/static/a.css", "/static/a.js", "/api/1", "/api/2", "/api/3", "/api/4", "/api/5", "/api/login")
}

func proposedFor(t *testing.T, text, version string, targets ...string) *Proposal {
	t.Helper()
	tree := resolve(t, text, version)
	c := tune.NewCollector(tree, route.New(tree), tune.Options{
		Share: 1, Login: func(uri string) bool { return strings.HasSuffix(uri, "login") }, Static: traffic.IsStaticFile,
	})
	at := int64(0)
	for range 3 {
		for _, target := range targets {
			method := "GET"
			if strings.HasSuffix(target, "login") {
				method = "POST"
			}
			if err := c.Add(&tune.Visit{At: at, Request: &request.Request{Method: method, Host: "a.example", Target: target}}); err != nil {
				t.Fatal(err)
			}
			at += 10
		}
	}
	plan, err := c.Plan()
	if err != nil {
		t.Fatal(err)
	}
	p, err := Of(rule.NewFacts(tree, rule.Settings{}), plan, Options{Headroom: 1})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const head = "events {}\nhttp {\n    limit_req_zone $binary_remote_addr zone=all:1m rate=5r/s;\n    access_log off;\n"

var cases = []struct {
	name, text string
	has, lacks []string // in the text of the limits in earnest
	notes      []string
}{
	{
		name: "one location for everything",
		text: head + "    server {\n        listen 8080;\n        location / {\n            limit_req zone=all burst=10;\n            proxy_pass http://127.0.0.1:9000/app/;\n        }\n    }\n}\n",
		has: []string{
			"location = /api/login {", "proxy_pass http://127.0.0.1:9000/app/api/login;", "location /api/ {", "proxy_pass http://127.0.0.1:9000/app/api/;",
			"limit_req zone=login_per_ip burst=", "limit_req zone=api_per_ip burst=", "limit_req zone=total burst=", "rate=1r/m;", "limit_req_status 429;",
		},
		lacks: []string{"zone=all"},
		notes: []string{"location / has no limit_req any more"},
	},
	{
		name:  "a location of its own",
		text:  head + "    server {\n        listen 8080;\n        location /api/ { limit_req zone=all burst=10; proxy_pass http://127.0.0.1:9000; }\n        location / { root /srv; }\n    }\n}\n",
		has:   []string{"location /api/ { limit_req zone=api_per_ip burst=", "location = /api/login {"},
		lacks: []string{"zone=all"},
	},
	{
		name: "a login below a location that is limited for it",
		text: head + "    server {\n        listen 8080;\n        location /api/login { limit_req zone=all burst=5; proxy_pass http://127.0.0.1:9000; }\n        location / { limit_req zone=all burst=10; proxy_pass http://127.0.0.1:9000; }\n    }\n}\n",
		has:  []string{"location = /api/login {", "location /api/login { limit_req zone=all burst=5; proxy_pass http://127.0.0.1:9000; }"},
	},
	{
		name:  "an inherited limit",
		text:  head + "    limit_req zone=all burst=10;\n    server {\n        listen 8080;\n        location /api/ { proxy_pass http://127.0.0.1:9000; }\n        location / { proxy_pass http://127.0.0.1:9000; }\n    }\n}\n",
		has:   []string{"limit_req zone=api_per_ip burst="},
		lacks: []string{"zone=all"},
	},
	{
		name:  "locations within the location",
		text:  head + "    server {\n        listen 8080;\n        location / {\n            limit_req zone=all burst=10;\n            proxy_pass http://127.0.0.1:9000;\n            location /x/ { return 204; }\n        }\n    }\n}\n",
		has:   []string{"limit_req zone=all burst=10;"},
		lacks: []string{"location /api/"},
		notes: []string{"write location /api/ by hand: the location that takes its requests today holds locations of its own; until then the limit of today stays"},
	},
	{
		name: "requests that are handed on to a front controller",
		text: head + "    server {\n        listen 8080;\n        location / { try_files $uri /index.php?$args; }\n        location ~ \\.php$ {\n            limit_req zone=all burst=10;\n" +
			"            fastcgi_param SCRIPT_FILENAME $document_root$fastcgi_script_name;\n            fastcgi_pass 127.0.0.1:9000;\n        }\n    }\n}\n",
		has:   []string{"location ~ \\.php$ {"},
		lacks: []string{"location = /api/login"},
		notes: []string{"write location = /api/login by hand: another location takes its requests first, and hands them on"},
	},
	{
		name:  "a location of the same name that hands its requests on",
		text:  head + "    server {\n        listen 8080;\n        location = /api/login { rewrite ^ /auth/do last; }\n        location /auth/ { limit_req zone=all burst=10; proxy_pass http://127.0.0.1:9000; }\n    }\n}\n",
		has:   []string{"location = /api/login { rewrite ^ /auth/do last; }", "limit_req zone=all burst=10;"},
		lacks: []string{"zone=login_per_ip burst"},
		notes: []string{"write location = /api/login by hand: another location takes its requests first"},
	},
	{
		name: "no limit at all",
		text: "events {}\nhttp {\n    access_log off;\n    server {\n        listen 8080;\n        location / { proxy_pass http://127.0.0.1:9000; }\n    }\n}\n",
		has:  []string{"location = /api/login {", "location /api/ {", "limit_req_zone $server_name zone=total:10m"},
	},
	{
		name: "names that are taken, an empty location and a snippet",
		text: "events {}\nhttp {\n    limit_req_zone $binary_remote_addr zone=api_per_ip:1m rate=5r/s;\n    access_log off;\n    server {\n        listen 8080;\n        location / { limit_req zone=api_per_ip; }\n        location /other/ { limit_req zone=api_per_ip burst=3; }\n    }\n}\n",
		has:  []string{"zone=api_per_ip_2:", "location /other/ { limit_req zone=api_per_ip burst=3; }"},
	},
}

func TestProposals(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p := proposed(t, c.text, "")
			text := p.Enforce.Tree.Input.Main.File.Text
			for _, want := range c.has {
				if !strings.Contains(text, want) {
					t.Errorf("no %q in:\n%s", want, text)
				}
			}
			for _, not := range c.lacks {
				if strings.Contains(text, not) {
					t.Errorf("there is %q in:\n%s", not, text)
				}
			}
			for _, want := range c.notes {
				if !strings.Contains(strings.Join(p.Notes, "\n"), want) {
					t.Errorf("no note %q in %q", want, p.Notes)
				}
			}
			dry := p.DryRun.Tree.Input.Main.File.Text
			if !strings.Contains(dry, "limit_req_dry_run on;") && strings.Contains(dry, "limit_req zone=total") {
				t.Errorf("the dry run refuses:\n%s", dry)
			}
			if same := func(f *source.File) (string, string) { return f.Path, f.Path }; p.Enforce.Diff(same) == "" {
				t.Error("the diff is empty")
			}
		})
	}
}

// TestNginxTakesProposals has the real nginx read each stage.
func TestNginxTakesProposals(t *testing.T) {
	nginxtest.Binary(t)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p := proposed(t, c.text, "1.22.1")
			for _, stage := range []*Stage{p.DryRun, p.Enforce} {
				dir := t.TempDir()
				path := filepath.Join(dir, "nginx.conf")
				text := "pid nginx.pid;\n" + strings.ReplaceAll(stage.Tree.Input.Main.File.Text, "/var/log/nginx/", "")
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				if v := nginxtest.Check(t, dir, path); !v.Accepted {
					t.Errorf("%s\n%s", v.Output, text)
				}
			}
		})
	}
}

func TestNoDryRunBefore1_17_1(t *testing.T) {
	p := proposed(t, cases[0].text, "1.16.1")
	if p.DryRun != nil || !strings.Contains(strings.Join(p.Notes, "\n"), "nginx 1.16.1 has no limit_req_dry_run") {
		t.Errorf("dry run %v, notes %q", p.DryRun, p.Notes)
	}
}

// A log of whole seconds cannot show what a dry run does within one: the server gets a log with milliseconds beside it.
func TestLogsMilliseconds(t *testing.T) {
	for _, c := range []struct {
		time string
		adds bool
	}{{"$time_iso8601", true}, {"$msec", false}} {
		p := proposed(t, "events {}\nhttp {\n    log_format own '"+c.time+" $limit_req_status $request_time $upstream_response_time';\n    access_log /var/log/nginx/a.log own;\n"+
			"    server {\n        listen 8080;\n        location / { proxy_pass http://127.0.0.1:9000; }\n    }\n}\n", "")
		if got := strings.Contains(p.DryRun.Tree.Input.Main.File.Text, `"msec":$msec`); got != c.adds {
			t.Errorf("%s: a log format is added: %v", c.time, got)
		}
	}
}

// A path that a client made of characters that do not show, or turn the text around, gets into no text that is to be taken.
func TestHiddenCharactersAreLeftOut(t *testing.T) {
	for _, part := range []string{"/\u202egnp/", "/a\u200bb/", "/\x1b[2J/", "/\x9b2J/"} {
		sent := strings.ReplaceAll(part, "\x1b", "%1B") // raw, it is refused
		p := proposedFor(t, cases[0].text, "", "/", sent+"1", sent+"2", sent+"3", sent+"login", "/api/1", "/api/2")
		texts := []string{p.Enforce.Diff(func(f *source.File) (string, string) { return f.Path, f.Path }), p.DryRun.Diff(func(f *source.File) (string, string) { return f.Path, f.Path })}
		for _, r := range append(p.Enforce.Rest, p.DryRun.Rest...) {
			texts = append(texts, r.Where, r.Text)
		}
		for _, l := range p.Limits {
			texts = append(texts, l.Zone, l.Line())
		}
		for _, text := range texts {
			if strings.Contains(text, part) {
				t.Errorf("%q is written: %q", part, text)
			}
		}
		if !strings.Contains(texts[0], "limit_req zone=") || !slices.ContainsFunc(p.Notes, func(n string) bool { return strings.Contains(n, "characters that do not show") && shows(n) }) {
			t.Errorf("%q: %q in %s", part, p.Notes, texts[0])
		}
	}
}

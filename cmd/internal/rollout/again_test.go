package rollout

import (
	"slices"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
)

// After the dry run the same command is given again: what it finds then has to fit the configuration as the dry run left it. The
// same traffic changes nothing of the dry run, and what is in earnest only lacks it.
func TestTunedAgainAfterTheDryRun(t *testing.T) {
	const limitedAbove = "    limit_req zone=all burst=10;\n    limit_req_dry_run on;\n"
	again := map[string]string{
		"a dry run around": head + limitedAbove + "    server {\n        listen 8080;\n        location /api/ { proxy_pass http://127.0.0.1:9000; }\n        location / { proxy_pass http://127.0.0.1:9000; }\n    }\n}\n",
		"a dry run around the locations": head + "    server {\n        listen 8080;\n    " + limitedAbove +
			"        location /api/ { limit_req zone=all; proxy_pass http://127.0.0.1:9000; }\n        location / { proxy_pass http://127.0.0.1:9000; }\n    }\n}\n",
		"one line": head + "    server { listen 8080; location / { limit_req zone=all burst=10; proxy_pass http://127.0.0.1:9000; } }\n}\n",
		"tabs":     strings.ReplaceAll(cases[0].text, "    ", "\t"),
		"CRLF":     strings.ReplaceAll(cases[0].text, "\n", "\r\n"),
	}
	for _, c := range cases {
		if !strings.Contains(strings.Join(c.notes, " "), "by hand") {
			again[c.name] = c.text
		}
	}
	for name, text := range again {
		t.Run(name, func(t *testing.T) {
			first := proposed(t, text, "")
			dry := first.DryRun.Tree.Input.Main.File.Text
			second := proposed(t, dry, "")
			if got := second.DryRun.Tree.Input.Main.File.Text; got != dry {
				t.Errorf("the dry run changes:\n%s\nto\n%s", dry, got)
			}
			for _, p := range []*Proposal{first, second} {
				for l := range p.Enforce.Tree.HTTP.Servers[0].AllLocations {
					if l.Settings.LimitReqDryRun.Value && slices.ContainsFunc(l.Settings.LimitReqs.Value, p.writes) {
						t.Errorf("location %s only counts in earnest:\n%s", l.Label(), p.Enforce.Tree.Input.Main.File.Text)
					}
				}
			}
		})
	}
}

// The traffic of another day comes in another order, and every server keeps the zones that it has.
func TestZonesStayWithTheirServers(t *testing.T) {
	const server = "    server {\n        listen 8080;\n        server_name NAME;\n        location / { limit_req zone=all; proxy_pass http://127.0.0.1:9000; }\n        location = /login { return 204; }\n    }\n"
	text := head + strings.ReplaceAll(server, "NAME", "a.example") + strings.ReplaceAll(server, "NAME", "b.example") + "}\n"
	targets := []string{"http://a.example/api/1", "http://a.example/api/2", "http://a.example/login", "http://b.example/api/1", "http://b.example/api/2", "http://b.example/login"}
	dry := proposedFor(t, text, "", targets...).DryRun.Tree.Input.Main.File.Text
	slices.Reverse(targets)
	of := func(text string) (lines []string) {
		for line := range strings.Lines(text) {
			if strings.Contains(line, "limit_req_zone ") {
				lines = append(lines, line)
			}
			if strings.Contains(line, "limit_req zone=") {
				words := strings.Fields(strings.ReplaceAll(line, "{", "{\n"))
				lines = append(lines, words[slices.Index(words, "limit_req")+1])
			}
		}
		return lines
	}
	again := proposedFor(t, dry, "", targets...).DryRun.Tree.Input.Main.File.Text
	if was, is := of(dry), of(again); !slices.Equal(was, is) || !slices.Contains(was, "zone=total_2") {
		t.Errorf("%q became %q:\n%s", was, is, again)
	}
}

// writes says that a limit is one of the proposal.
func (p *Proposal) writes(l *config.LimitReq) bool {
	return slices.ContainsFunc(p.Limits, func(own Limit) bool { return own.Zone == l.ZoneName })
}

// What is written is laid out as what stands around it.
func TestLayout(t *testing.T) {
	for _, c := range []struct{ name, from, to string }{
		{"CRLF", "\n", "\r\n"},
		{"tabs", "    ", "\t"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := proposed(t, strings.ReplaceAll(cases[0].text, c.from, c.to), "")
			plain := proposed(t, cases[0].text, "")
			for i, s := range []*Stage{p.DryRun, p.Enforce} {
				want := []*Stage{plain.DryRun, plain.Enforce}[i].Tree.Input.Main.File.Text
				if got := s.Tree.Input.Main.File.Text; got != strings.ReplaceAll(want, c.from, c.to) {
					t.Errorf("%q", got)
				}
			}
		})
	}
	text := proposed(t, head+"    server { listen 8080; location / { limit_req zone=all burst=10; proxy_pass http://127.0.0.1:9000; } }\n}\n", "").Enforce.Tree.Input.Main.File.Text
	for _, want := range []string{"listen 8080;\n    location = /api/login {\n        limit_req zone=", "    }\n\n    location / { proxy_pass http://127.0.0.1:9000; } }\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
}

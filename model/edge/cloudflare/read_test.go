package cloudflare

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/model/edge"
	"github.com/ngxlimit/ngxlimit/model/edge/document"
	"github.com/ngxlimit/ngxlimit/model/edge/lang"
)

const limited = `{"ref": "r", "expression": "http.host eq \"a.example\"", "action": "block", "ratelimit": {"characteristics": ["cf.colo.id", "ip.src"], "period": 10, "requests_per_period": 5, "mitigation_timeout": 60}}`

func ruleset(rules string) string {
	return `{"id": "1", "kind": "zone", "phase": "http_ratelimit", "rules": [` + rules + `]}`
}

// TestForms reads the same rule in each of its forms.
func TestForms(t *testing.T) {
	v4 := `
locals { host = "a.example" }
variable "limit" { default = 5 }
resource "cloudflare_zone" "z" { zone = "a.example" }
resource "cloudflare_ruleset" "limits" {
  zone_id = cloudflare_zone.z.id
  phase   = "http_ratelimit"
  kind    = "zone"
  name    = "limits"
  rules {
    ref        = "r"
    expression = "http.host eq \"${local.host}\""
    action     = "block"
    ratelimit {
      characteristics     = ["cf.colo.id", "ip.src"]
      period              = 10
      requests_per_period = var.limit
      mitigation_timeout  = 60
    }
  }
}`
	v5 := `
resource "cloudflare_ruleset" "limits" {
  zone_id = var.zone
  phase   = "http_ratelimit"
  kind    = "zone"
  rules = [{
    ref        = "r"
    expression = "http.host eq \"a.example\""
    action     = "block"
    ratelimit = {
      characteristics     = ["cf.colo.id", "ip.src"]
      period              = 10
      requests_per_period = 5
      mitigation_timeout  = 60
    }
  }]
}
variable "zone" {}`
	shown := `{"format_version": "1.0", "values": {"root_module": {"resources": [{"type": "cloudflare_ruleset", "name": "x", "mode": "managed", "values": ` + ruleset(limited) + `}]}}}`
	for name, text := range map[string]string{
		"ruleset": ruleset(limited), "envelope": `{"result": ` + ruleset(limited) + `, "success": true, "errors": [], "messages": []}`,
		"list": `{"result": [` + ruleset(limited) + `], "success": true}`, "rules": `[` + limited + `]`, "rule": limited,
		"v4": v4, "v5": v5, "tf.json": `{"resource": {"cloudflare_ruleset": {"x": ` + ruleset(limited) + `}}}`, "show": shown,
	} {
		var r *Reading
		if strings.HasPrefix(name, "v") {
			all, err := document.Terraform([]*source.File{{Path: name, Text: text}})
			if err != nil {
				t.Fatal(err)
			}
			if r, err = Terraform(all, &lang.Env{}); err != nil {
				t.Fatal(err)
			}
		} else {
			r = read(t, text, nil)
		}
		u := r.Rulesets[0].Rules[0]
		if u.Name != "r" || u.Unknown != "" || len(u.Problems) > 0 || u.Limit.Requests != 5 || u.Limit.PeriodS != 10 || u.Limit.TimeoutS != 60 || !u.Limit.Colo || u.Expression.Text != `http.host eq "a.example"` {
			t.Errorf("%s: %+v", name, u)
		}
		if name == "v4" && r.Rulesets[0].Domain != "a.example" {
			t.Errorf("the domain of the zone is %q", r.Rulesets[0].Domain)
		}
		l, err := New(r.Rulesets, Options{})
		if err != nil {
			t.Fatal(err)
		}
		stopped := 0
		for range 7 {
			if l.Decide(0, &edge.Request{Host: "a.example", Target: "/", Client: request.Addr4(1)}).Action == edge.Block {
				stopped++
			}
		}
		if stopped != 2 {
			t.Errorf("%s: %d stopped", name, stopped)
		}
	}
}

// TestProblems names what is not understood at its place; the rule is unknown, and the others run.
func TestProblems(t *testing.T) {
	for change, want := range map[[2]string][2]string{
		{`"action": "block"`, `"action": "blok"`}:                                        {`"blok"`, `did you mean "block"?`},
		{`"action": "block"`, `"action": "redirect"`}:                                    {`"redirect"`, "want block"},
		{`"action": "block", `, ``}:                                                      {``, "has no action"},
		{`http.host eq`, `http.hots eq`}:                                                 {`http.hots`, "did you mean http.host?"},
		{`http.host eq`, `lowr(http.host) eq`}:                                           {`lowr`, "unknown function"},
		{`"period": 10`, `"perod": 10`}:                                                  {`"perod"`, `did you mean "period"?`},
		{`"period": 10`, `"period": "ten"`}:                                              {`"ten"`, "whole number"},
		{`"period": 10`, `"period": 0`}:                                                  {`0`, "the period is 0"},
		{`"requests_per_period": 5, `, ``}:                                               {``, "neither requests_per_period"},
		{`"requests_per_period": 5`, `"requests_per_period": 5, "score_per_period": 10`}: {`10`, "stand together"},
		{`"requests_per_period": 5`, `"score_per_period": 10`}:                           {`10`, "without score_response_header_name"},
		{`"ip.src"]`, `"ip.sr"]`}:                                                        {`ip.sr`, "characteristic: unknown field"},
		{`"ref": "r"`, `"ref": "r", "colour": 1`}:                                        {`"colour"`, "unknown field"},
		{`"ratelimit": {`, `"ratelimits": {`}:                                            {`"ratelimits"`, `did you mean "ratelimit"?`},
	} {
		bad := strings.Replace(limited, change[0], change[1], 1)
		if bad == limited {
			t.Fatalf("%s is not in the rule", change[0])
		}
		good := strings.Replace(limited, `"r"`, `"good"`, 1)
		r := read(t, ruleset(bad+", "+good), nil)
		u := r.Rulesets[0].Rules[0]
		if u.Unknown == "" || len(u.Problems) == 0 {
			t.Errorf("%s: no problem", change[1])
			continue
		}
		p := u.Problems[0]
		if want[0] != "" && p.Span.Text() != want[0] || !strings.Contains(p.Text, want[1]) {
			t.Errorf("%s: at %q: %s", change[1], p.Span.Text(), p.Text)
		}
		l, err := New(r.Rulesets, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var d edge.Decision
		for range 6 {
			d = l.Decide(0, &edge.Request{Host: "a.example", Target: "/", Client: request.Addr4(1)})
		}
		if rep := l.Report(); d.Rule != "good" || d.Action != edge.Block || rep.Rules[0].Unknown != 6 || rep.Rules[0].Why == "" {
			t.Errorf("%s: %+v, %+v", change[1], d, rep.Rules)
		}
	}
}

func TestNotRules(t *testing.T) {
	for text, says := range map[string]string{
		`{"id": "1", "phase": "http_request_firewall_managed", "rules": []}`:                     "of phase http_request_firewall_managed",
		`{"id": "1", "phase": "http_request_firewall_custom", "rules": []}`:                      "of phase http_request_firewall_custom",
		`{"result": null, "success": true}`:                                                      "result is null",
		`{"result": null, "success": false, "errors": [{"code": 1, "message": "not entitled"}]}`: "not entitled",
		`[]`: "empty list", `5`: "want a ruleset", `{"a": 1}`: "neither a ruleset", `[5]`: "item 1 is neither",
		`{"threshold": 5, "match": {}, "period": 10}`: "retired", `{"result": {"result": {"result": {"result": {}}}}}`: "envelopes",
	} {
		v, err := document.JSON(&source.File{Path: "f", Text: text})
		if err != nil {
			t.Fatal(err)
		}
		_, err = JSON(v, &lang.Env{})
		if _, ok := errors.AsType[*NoRules](err); !ok || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %s", text, err, says)
		}
	}
}

// TestSkip has a custom rule pass over rate limiting, and a custom rule that blocks before it.
func TestSkip(t *testing.T) {
	custom := `{"kind": "zone", "phase": "http_request_firewall_custom", "rules": [
		{"ref": "office", "expression": "ip.src eq 10.0.0.1", "action": "skip", "action_parameters": {"phases": ["http_ratelimit"]}},
		{"ref": "rest", "expression": "http.request.uri.path eq \"/rest\"", "action": "skip", "action_parameters": {"ruleset": "current"}},
		{"ref": "bad", "expression": "http.user_agent eq \"\"", "action": "block"}]}`
	l, err := New(read(t, `[`+ruleset(limited)+`, `+custom+`]`, nil).Rulesets, Options{})
	if err != nil {
		t.Fatal(err)
	}
	send := func(client uint32, agent, path string) (d edge.Decision) {
		for range 6 {
			d = l.Decide(0, &edge.Request{Host: "a.example", Target: path, Client: request.Addr4(client), Headers: []request.Header{{Name: "User-Agent", Value: agent}}})
		}
		return d
	}
	if d := send(0x0a000001, "x", "/"); d.Rule != "" {
		t.Errorf("office: %+v", d)
	}
	if d := send(0x0a000002, "x", "/"); d.Rule != "r" || d.Action != edge.Block {
		t.Errorf("others: %+v", d)
	}
	if d := send(0x0a000003, "", "/"); d.Rule != "bad" || d.Status != 403 {
		t.Errorf("without an agent: %+v", d)
	}
	if d := send(0x0a000004, "", "/rest"); d.Rule != "r" {
		t.Errorf("the rest of the custom rules: %+v", d)
	}
}

// TestZones has each host judged by the rules of its own zone, and an account's rules by all.
func TestZones(t *testing.T) {
	a := strings.Replace(ruleset(limited), `"id": "1"`, `"id": "a", "zone_id": "za"`, 1)
	b := strings.Replace(strings.ReplaceAll(ruleset(limited), "a.example", "b.example"), `"id": "1"`, `"id": "b", "zone_id": "zb"`, 1)
	b = strings.Replace(b, `"ref": "r"`, `"ref": "rb"`, 1)
	custom := `{"id": "acc", "kind": "custom", "phase": "http_ratelimit", "rules": [` + strings.ReplaceAll(strings.ReplaceAll(limited, `"ref": "r"`, `"ref": "account"`), `http.host eq \"a.example\"`, `http.request.uri.path eq \"/all\"`) + `]}`
	root := `{"id": "root", "kind": "root", "phase": "http_ratelimit", "rules": [{"ref": "deploy", "expression": "cf.zone.plan eq \"ENT\"", "action": "execute", "action_parameters": {"id": "acc"}}]}`
	all := read(t, `[`+a+`, `+b+`, `+custom+`, `+root+`]`, &lang.Env{Plan: "ENT"}).Rulesets
	if _, err := New(all, Options{}); err == nil || !strings.Contains(err.Error(), "--edge-zone") {
		t.Errorf("several zones: %v", err)
	}
	l, err := New(all, Options{Domains: map[string]string{"za": "a.example", "zb": "B.Example."}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ host, path, rule string }{
		{"a.example", "/", "r"}, {"b.example:443", "/", "rb"}, {"c.example", "/", ""}, {"sub.b.example", "/all", "account"}, {"a.example", "/all", "account"}, {"xa.example", "/all", ""},
	} {
		var d edge.Decision
		for range 8 {
			d = l.Decide(0, &edge.Request{Host: c.host, Target: c.path, Client: request.Addr4(1)})
		}
		if d.Rule != c.rule {
			t.Errorf("%s%s: %+v, want %s", c.host, c.path, d, c.rule)
		}
	}
}

// TestUnknown takes a rule that depends on what no request holds for one that does not act, and says why.
func TestUnknown(t *testing.T) {
	text := strings.Replace(limited, `http.host eq \"a.example\"`, `cf.threat_score gt 10 and http.host eq \"a.example\"`, 1)
	l, err := New(read(t, ruleset(text), nil).Rulesets, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		host := "a.example"
		if i%2 == 0 {
			host = "b.example" // of that it is known: it does not match
		}
		if d := l.Decide(0, &edge.Request{Host: host, Target: "/"}); d.Rule != "" {
			t.Errorf("%+v", d)
		}
	}
	if st := l.Report().Rules[0]; st.Unknown != 5 || !strings.Contains(st.Why, "cf.threat_score") {
		t.Errorf("%+v", st)
	}
}

// BenchmarkMillion is the story of the size: requests through ten rules of different kinds.
func BenchmarkMillion(b *testing.B) {
	l, reqs := tenRules(b)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		req := &reqs[i%len(reqs)]
		if d := l.Decide(0, req); !d.Action.Stops() {
			l.Observe(0, req, &answer, d)
		}
	}
}

var answer = edge.Response{Status: 200, Known: true}

// TestNoAllocation has requests through ten rules take no memory, once their counters are there.
func TestNoAllocation(t *testing.T) {
	if underRace {
		t.Skip("under the race detector the pools of regexp allocate")
	}
	l, reqs := tenRules(t)
	run := func() {
		for i := range reqs {
			if d := l.Decide(0, &reqs[i]); !d.Action.Stops() {
				l.Observe(0, &reqs[i], &answer, d)
			}
		}
	}
	run()
	if n := testing.AllocsPerRun(3, run); n > 0 {
		t.Errorf("%v allocations for %d requests", n, len(reqs))
	}
}

func tenRules(t testing.TB) (*Layer, []edge.Request) {
	var rules []string
	for i, e := range []string{
		`http.host eq "a.example"`, `starts_with(http.request.uri.path, "/api/")`, `http.request.uri.path wildcard "/API/*" and http.request.method in {"GET" "POST"}`,
		`lower(http.request.uri.path) contains "/login"`, `http.request.uri.path matches "^/api/v[0-9]+/"`, `any(http.request.headers["content-type"][*] eq "application/json")`,
		`ip.src in {10.0.0.0/8 192.0.2.0/24} or not ssl`, `http.request.uri.args["q"][0] eq "x"`, `http.user_agent contains "Mozilla" and not cf.client.bot`, `http.request.cookies["session"][0] ne ""`,
	} {
		keys, counting := `"cf.colo.id", "ip.src"`, ""
		if i%3 == 1 {
			keys += `, "http.request.headers[\"x-api-key\"]"`
		}
		if i == 4 {
			counting = `, "counting_expression": "http.response.code eq 404"`
		}
		rules = append(rules, fmt.Sprintf(`{"ref": "r%d", "expression": %q, "action": "block", "ratelimit": {"characteristics": [%s], "period": 60, "requests_per_period": 1000000000, "mitigation_timeout": 60%s}}`, i, e, keys, counting))
	}
	l, err := New(read(t, ruleset(strings.Join(rules, ", ")), nil).Rulesets, Options{})
	if err != nil {
		t.Fatal(err)
	}
	reqs := make([]edge.Request, 1000)
	for i := range reqs {
		reqs[i] = edge.Request{
			Client: request.Addr4(uint32(i % 200)), Method: "GET", Scheme: "https", Host: "a.example", Target: fmt.Sprintf("/api/v%d/orders?q=x&page=%d", i%5, i),
			Headers: []request.Header{
				{Name: "Accept", Value: "*/*"},
				{Name: "Content-Type", Value: "application/json"},
				{Name: "User-Agent", Value: "Mozilla/5.0 (X11; Linux x86_64)"},
				{Name: "Cookie", Value: "theme=dark; session=0123456789"},
				{Name: "X-Api-Key", Value: fmt.Sprint("key", i%50)},
			},
		}
	}
	return l, reqs
}

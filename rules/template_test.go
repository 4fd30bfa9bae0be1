package rules

import (
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
)

func TestTemplateOf(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"server { listen {{ port }}; }", "Jinja2, Go or Mustache"},
		{"{% for l in locations %}\nlocation {{ l }} { }\n{% endfor %}", "Jinja2:"},
		{"<% if @ssl -%>\nlisten 443 ssl;\n<% end -%>", "ERB"},
		{"server { listen ${PORT}; }", "envsubst"},
		{"server { listen ${port}; }", ""},
		{"location ~ ^/[0-9]{{ {\n}\nif ($a) { return 403; }}", ""},
		{"server { listen 80 }", ""},
		{`[{"action":"block","ratelimit" : {"period":10}}]`, "ngxlimit edge check"},
		{`{"Rules":[{"Statement":{"RateBasedStatement":{"Limit":100}}}]}`, "ngxlimit edge check"},
		{"resource \"cloudflare_ruleset\" \"rl\" {\n  name = \"x\"\n}", "ngxlimit edge check"},
		{"statement {\n  rate_based_statement {\n    limit = 100\n", "ngxlimit edge check"},
		{"rules = [{\n  ratelimit = {\n    period = 10 } }]", "ngxlimit edge check"},
		{"# ratelimit\nlimit_req_zone $uri zone=ratelimit:1m rate=1r/s\nserver { }", ""},
		{"{%" + strings.Repeat("\n{%", 100_000), ""},
	} {
		got := templateOf(&source.File{Text: c.text})
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%.40q looks like %q, want %q", c.text, got, c.want)
		}
	}
}

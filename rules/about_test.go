package rules_test

import (
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/rules"
	"github.com/ngxlimit/ngxlimit/rules/rule"
	"github.com/ngxlimit/ngxlimit/rules/ruletest"
	"github.com/ngxlimit/ngxlimit/rules/run"
)

// TestDefaultsKeepTheirName holds that what is said of a default has the same fingerprint whichever limit shows it first.
func TestDefaultsKeepTheirName(t *testing.T) {
	const zones = "limit_req_zone $binary_remote_addr zone=a:10m rate=10r/s;\nlimit_conn_zone $binary_remote_addr zone=c:10m;\n"
	const server = "location /api/ { limit_req zone=a burst=20; limit_conn c 20; proxy_pass http://127.0.0.1:8080; }"
	first := "server { listen 80; " + server + " }\n"
	tests := []struct {
		name, before string
		rules        []*rule.Rule
	}{
		{"log format that is nginx's own", "", []*rule.Rule{rules.LimitStatusNotLogged, rules.UpstreamTimeNotLogged}},
		{"log format named by access_log", "access_log /var/log/nginx/access.log combined;\n", []*rule.Rule{rules.LimitStatusNotLogged, rules.UpstreamTimeNotLogged}},
		{"status", "", []*rule.Rule{rules.DefaultRejectStatus, rules.DefaultConnStatus}},
		{"answer", "limit_req_status 429;\n", []*rule.Rule{rules.NoRetryAfter}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			of := func(servers string) map[string]string {
				prints := map[string]string{}
				text := "events {}\nhttp {\n" + zones + tt.before + servers + "}\n"
				r := ruletest.All(t, tt.rules, ruletest.Resolve(t, text, ""), run.Options{})
				for i := range r.Findings {
					prints[r.Findings[i].Rule.Name] += r.Findings[i].Fingerprint
				}
				return prints
			}
			alone := of(first)
			other := strings.NewReplacer("/api/", "/shop/", "listen 80", "listen 81", "burst=20", "burst=9").Replace(first)
			if tt.name == "answer" {
				other = strings.Replace(other, "listen", "limit_req_status 503; listen", 1)
			}
			behind := of(other + first)
			for _, r := range tt.rules {
				if alone[r.Name] == "" || alone[r.Name] != behind[r.Name] {
					t.Errorf("%s: %q alone, %q behind another server", r.Name, alone[r.Name], behind[r.Name])
				}
			}
		})
	}
}

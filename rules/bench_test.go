package rules_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/rules"
	"github.com/ngxlimit/ngxlimit/rules/rule"
	"github.com/ngxlimit/ngxlimit/rules/ruletest"
	"github.com/ngxlimit/ngxlimit/rules/run"
)

// manyServers is a configuration of n servers with a dozen locations each, of which no two have quite the same limits.
func manyServers(n int) string {
	var b strings.Builder
	b.WriteString("events {}\nhttp {\n")
	for i := range 40 {
		fmt.Fprintf(&b, "    limit_req_zone $binary_remote_addr zone=z%d:1m rate=%dr/s;\n", i, 5*(i+1))
	}
	for i := range n {
		mode := []string{"", " nodelay", " delay=4"}[i%3]
		fmt.Fprintf(&b, "    server {\n        listen 8080;\n        server_name site%d.example.com;\n", i)
		fmt.Fprintf(&b, "        limit_req zone=z%d burst=%d%s;\n", i%40, 5+i%75, mode)
		b.WriteString("        location = /api/auth/login { limit_req zone=z1 burst=5 nodelay; proxy_pass http://127.0.0.1:9000; }\n")
		fmt.Fprintf(&b, "        location /api/ { limit_req zone=z%d burst=%d%s; proxy_pass http://127.0.0.1:9000; }\n", (i*7)%40, 5+(i*3)%75, mode)
		for k := range 6 {
			fmt.Fprintf(&b, "        location ^~ /assets/%d/ { alias /srv/site%d/assets/%d/; expires 7d; }\n", k, i, k)
		}
		b.WriteString("        location ~ \\.php$ { limit_req zone=z2 burst=10; fastcgi_pass 127.0.0.1:9001; }\n")
		b.WriteString("        location / { proxy_pass http://127.0.0.1:9000; }\n    }\n")
	}
	b.WriteString("}\n")
	return b.String()
}

func BenchmarkCatalogue(b *testing.B) {
	tree := ruletest.Resolve(b, manyServers(10_000), "")
	b.ReportAllocs()
	for b.Loop() {
		run.All(rules.All(), tree, run.Options{})
	}
}

func BenchmarkRule(b *testing.B) {
	tree := ruletest.Resolve(b, manyServers(10_000), "")
	for _, r := range rules.All() {
		b.Run(r.Name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				run.All([]*rule.Rule{r}, tree, run.Options{})
			}
		})
	}
}

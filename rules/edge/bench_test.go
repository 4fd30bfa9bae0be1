package edge

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/model/traffic"
)

// BenchmarkRules judges many rules of which each has to do with few others, in all their forms: the time should grow as
// their number does.
func BenchmarkRules(b *testing.B) {
	fan, err := traffic.Builtin("portal")
	if err != nil {
		b.Fatal(err)
	}
	for _, n := range []int{500, 1000, 2000, 4000} {
		var before, rules []string
		for i := range n {
			before = append(before, fmt.Sprintf(`{"ref": "c%[1]d", "expression": "http.host eq \"h%[1]d.example\" and http.request.uri.path eq \"/x%[1]d\"", "action": "block"}`, i))
			rules = append(rules, fmt.Sprintf(`{"ref": "r%[1]d", "expression": "http.host eq \"h%[1]d.example\" and starts_with(http.request.uri.path, \"/api/\")", "action": "block",
				"ratelimit": {"characteristics": ["cf.colo.id", "ip.src", "http.request.headers[\"x-key\"]"], "period": 60, "requests_per_period": 100000, "mitigation_timeout": 600}}`, i))
		}
		text := `[{"kind": "zone", "phase": "http_request_firewall_custom", "rules": [` + strings.Join(before, ",") + `]}, {"kind": "zone", "phase": "http_ratelimit", "rules": [` + strings.Join(rules, ",") + `]}]`
		read := reading(b, text)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				if found := Check(read, Options{Fan: fan, Clients: 29}); len(found) != n {
					b.Fatalf("%d findings", len(found))
				}
			}
		})
	}
}

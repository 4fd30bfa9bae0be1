package rules_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/load"
	"github.com/ngxlimit/ngxlimit/rules"
	"github.com/ngxlimit/ngxlimit/rules/run"
)

// TestDeep: locations within each other, each with a list that drops the outer one's, are judged however deep they are, and
// name the list that is lost.
func TestDeep(t *testing.T) {
	const deep = 2_000
	var b strings.Builder
	b.WriteString("events {} http { limit_req_zone $binary_remote_addr zone=a:10m rate=5r/s; limit_req_zone $server_name zone=b:10m rate=90r/s;\nserver { listen 80;\n")
	for i := range deep {
		fmt.Fprintf(&b, "location /%s { limit_req zone=%c burst=90 nodelay;\n", strings.Repeat("x", i/2), "ab"[i%2])
	}
	b.WriteString("proxy_pass http://127.0.0.1:1; " + strings.Repeat("}", deep) + "}}\n")
	inputs, err := load.Load([]string{"-"}, load.Options{Stdin: strings.NewReader(b.String())})
	if err != nil || len(inputs) != 1 {
		t.Fatalf("%d inputs, %v", len(inputs), err)
	}
	result := run.All(rules.All(), config.Resolve(inputs[0], config.Options{}), run.Options{})
	dropped := 0
	for i := range result.Findings {
		if f := &result.Findings[i]; f.Rule.Name == rules.LimitDroppedByChild.Name && strings.Contains(f.Message, "replaces the list of location /x") {
			dropped++
		}
	}
	if dropped < deep/2 {
		t.Errorf("%d lists are said to be lost", dropped)
	}
}

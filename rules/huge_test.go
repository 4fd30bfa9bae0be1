package rules_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/load"
	"github.com/ngxlimit/ngxlimit/rules"
	"github.com/ngxlimit/ngxlimit/rules/run"
)

// TestHuge: a map of many entries, and servers of many names, cost as much as they are long. The square of it takes
// minutes.
func TestHuge(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	const many = 300_000
	head := "events {} http { limit_req_zone $key zone=a:10m rate=5r/s;\n"
	var entries, names strings.Builder
	for i := range many {
		fmt.Fprintf(&entries, "k%d v%d;\n", i, i%7)
		if i%100 == 0 {
			fmt.Fprintf(&names, "; location / { limit_req zone=a; } }\nserver { listen 80; server_name")
		}
		fmt.Fprintf(&names, " n%d.example", i)
	}
	server := "server { listen 80; location / { limit_req zone=a burst=20; } }"
	for what, text := range map[string]string{
		"map":   head + "map $http_x $key { default ''; " + entries.String() + "} " + server + " }",
		"names": head + "map $http_x $key { default ''; } server { server_name a" + names.String() + "; } }",
	} {
		inputs, err := load.Load([]string{"-"}, load.Options{Stdin: strings.NewReader(text)})
		if err != nil || len(inputs) != 1 {
			t.Fatalf("%s: %d inputs, %v", what, len(inputs), err)
		}
		start := time.Now()
		run.All(rules.All(), config.Resolve(inputs[0], config.Options{}), run.Options{})
		if took := time.Since(start); took > time.Minute {
			t.Errorf("%s: %v", what, took)
		}
	}
}

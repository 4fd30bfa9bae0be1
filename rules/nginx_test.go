package rules_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/rules"
	"github.com/ngxlimit/ngxlimit/rules/rule"
	"github.com/ngxlimit/ngxlimit/rules/ruletest"
	"github.com/ngxlimit/ngxlimit/rules/run"
)

// judged is the nginx whose words the recorded material has; others may word a refusal differently.
const judged = "1.22.1"

// TestExamplesAgainstNginx asks nginx about the examples: it takes every good one, takes the bad ones of rules about what
// is legal but wrong, and refuses what the tree says it refuses, in the words of the first finding.
func TestExamplesAgainstNginx(t *testing.T) {
	nginxtest.Binary(t)
	port := nginxtest.Port(t)
	for _, r := range rules.All() {
		if r.For != "" {
			continue // for another nginx than the one that is installed
		}
		t.Run(r.Name, func(t *testing.T) {
			if v := ask(t, r.Good, port); !v.Accepted {
				t.Errorf("the good example: %s", v.Output)
			}
			v := ask(t, r.Bad, port)
			tree := ruletest.Resolve(t, r.Bad, judged)
			found := ruletest.All(t, []*rule.Rule{r}, tree, run.Options{Known: rules.All()}).Findings
			if len(found) == 0 {
				t.Fatal("the bad example has no finding")
			}
			refuses := slices.ContainsFunc(tree.Refusals, func(f config.Refusal) bool { return !f.Warning })
			switch {
			case refuses == v.Accepted:
				t.Errorf("the bad example: accepted %v, and here refused %v: %s", v.Accepted, refuses, v.Output)
			case refuses && v.Message != found[0].Message:
				t.Errorf("nginx says %q, the rule %q", v.Message, found[0].Message)
			}
		})
	}
}

var listenDirective = regexp.MustCompile(`\n\s*listen [^;]*;`)

// ask runs nginx -t on an example whose servers listen on the loopback interface alone.
func ask(t *testing.T, text string, port int) nginxtest.Verdict {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "nginx.conf")
	proxied := ""
	if strings.Contains(text, "listen 80 proxy_protocol") {
		proxied = " proxy_protocol"
	}
	text = listenDirective.ReplaceAllString(text, "")
	text = strings.ReplaceAll(text, "server {", fmt.Sprintf("server { listen 127.0.0.1:%d%s;", port, proxied))
	text = "pid nginx.pid; error_log error.log;\n" + text
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return nginxtest.Check(t, dir, path)
}

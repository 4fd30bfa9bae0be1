package rules_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/rules"
	"github.com/ngxlimit/ngxlimit/rules/rule"
	"github.com/ngxlimit/ngxlimit/rules/ruletest"
	"github.com/ngxlimit/ngxlimit/rules/run"
)

// judged is the nginx whose words the recorded material has; others may word a refusal differently.
const judged = "1.22.1"

// TestExamplesAgainstNginx asks nginx about the examples: it takes every good one, takes the bad ones of rules about what
// is legal but wrong, and refuses the others in the words of their first finding.
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
			found := ruletest.All(t, []*rule.Rule{r}, ruletest.Resolve(t, r.Bad, judged), run.Options{Known: rules.All()}).Findings
			if len(found) == 0 {
				t.Fatal("the bad example has no finding")
			}
			switch refuses := r.Severity == rule.Error; {
			case refuses == v.Accepted:
				t.Errorf("the bad example: accepted %v, while the rule is of severity %s: %s", v.Accepted, r.Severity, v.Output)
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

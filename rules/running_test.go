package rules_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/rules"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// TestExamplesOnRunningNginx runs examples of rules about what happens to a refusal, and what the key is, on the real
// nginx: the bad one shows the fault, the good one does not.
func TestExamplesOnRunningNginx(t *testing.T) {
	for _, tt := range []struct {
		rule *rule.Rule
		show func(t *testing.T, s *running) bool // whether the fault shows
	}{
		{rules.StatusCollidesWithErrorPage, func(t *testing.T, s *running) bool {
			return s.count(t, 30, "/api/x", 429) == 0 // the upstream answers all of them
		}},
		{rules.ErrorPageLimited, func(t *testing.T, s *running) bool { return s.count(t, 70, "/static/none", 429) > 0 }},
		{rules.AddHeaderNotAlways, func(t *testing.T, s *running) bool {
			return s.refused(t, "/api/x").Get("Access-Control-Allow-Origin") == ""
		}},
		{rules.NoRetryAfter, func(t *testing.T, s *running) bool {
			if _, header := s.get(t, "/api/x", ""); header.Get("Retry-After") != "" {
				t.Error("an answer of 200 has it as well")
			}
			return s.refused(t, "/api/x").Get("Retry-After") == ""
		}},
		{rules.LogLevelHidden, func(t *testing.T, s *running) bool {
			s.refused(t, "/api/x")
			return !strings.Contains(s.log(t), "limiting requests")
		}},
		{rules.RealipTooLate, twoClientsShare},
		{rules.RealipHeaderWithoutTrust, twoClientsShare},
		{rules.RealipHeaderUnusual, twoClientsShare},
		{rules.RealipListReplaced, twoClientsShare},
	} {
		t.Run(tt.rule.Name, func(t *testing.T) {
			if !tt.show(t, start(t, tt.rule.Bad)) {
				t.Error("the fault of the bad example does not show")
			}
			if tt.show(t, start(t, tt.rule.Good)) {
				t.Error("the good example has the fault")
			}
		})
	}
}

// twoClientsShare says whether a client is refused for what another one behind the same proxy did.
func twoClientsShare(t *testing.T, s *running) bool {
	for range 25 {
		s.get(t, "/api/x", "203.0.113.1")
	}
	status, _ := s.get(t, "/api/x", "203.0.113.2")
	return status == http.StatusTooManyRequests
}

var rateArgument = regexp.MustCompile(`\brate=\d+r/[sm]`)

// running is an example that runs: with a proxy's networks that this machine lies in, and an upstream that answers.
type running struct {
	port int
	*nginxtest.Server
}

func start(t *testing.T, example string) *running {
	t.Helper()
	port, upstream := nginxtest.Port(t), nginxtest.Port(t)
	text := listenDirective.ReplaceAllString(example, "")
	text = strings.ReplaceAll(text, "server {", fmt.Sprintf("server { listen 127.0.0.1:%d;", port))
	text = strings.NewReplacer(
		"127.0.0.1:8080", fmt.Sprintf("127.0.0.1:%d", upstream),
		"10.0.0.0/22", "127.0.0.0/8", "10.0.4.0/22", "127.0.0.0/8",
		"/var/log/nginx/", "",
	).Replace(text)
	text = rateArgument.ReplaceAllString(text, "rate=1r/m") // so that nothing drains while the test runs
	end := strings.LastIndexByte(text, '}')
	var b strings.Builder
	b.WriteString("pid nginx.pid; error_log error.log;\n" + text[:end] + "access_log off;\n")
	for _, d := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		fmt.Fprintf(&b, "%s_temp_path tmp_%s;\n", d, d)
	}
	fmt.Fprintf(&b, "server { listen 127.0.0.1:%d; return 200 upstream; }\n}\n", upstream)
	return &running{port, nginxtest.Start(t, b.String(), port, nil)}
}

// get asks for a path on behalf of a client, and returns what nginx answers.
func (s *running) get(t *testing.T, path, client string) (status int, header http.Header) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, fmt.Sprintf("http://127.0.0.1:%d%s", s.port, path), nil)
	if err != nil {
		t.Fatal(err)
	}
	if client != "" {
		for _, name := range []string{"X-Forwarded-For", "X-Real-IP"} {
			req.Header.Set(name, client)
		}
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, res.Header
}

// count says how many of n requests are answered with a status.
func (s *running) count(t *testing.T, n int, path string, status int) int {
	t.Helper()
	found := 0
	for range n {
		if got, _ := s.get(t, path, ""); got == status {
			found++
		}
	}
	return found
}

// refused returns the header of the first refusal.
func (s *running) refused(t *testing.T, path string) http.Header {
	t.Helper()
	for range 40 {
		if status, header := s.get(t, path, ""); status == http.StatusTooManyRequests {
			return header
		}
	}
	t.Fatal("nothing is refused")
	return nil
}

// log is all that nginx has written to error logs.
func (s *running) log(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.Prefix, "error.log"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

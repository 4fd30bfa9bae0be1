package rules_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/rules"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// keyAttempts say how a client gets round each bad example of a key, or how one client gets another refused.
var keyAttempts = []struct {
	rule    *rule.Rule
	path    string
	vary    string // a header with %d for the number of the request; the path may have one as well
	other   string // address of the client that asks when the first one has used up its burst; "" for one client
	local   string // what in the example is the network that the loopback interface stands for
	refuses bool   // the bad example refuses whom the good one lets in; else the other way round
}{
	{rule: rules.KeySpoofableHeader, path: "/api/x", vary: "X-Forwarded-For: 192.0.2.%d"},
	{rule: rules.KeyClientControlled, path: "/api/x", vary: "User-Agent: a%d"},
	{rule: rules.KeyMayBeEmpty, path: "/api/x"},
	{rule: rules.KeyAlwaysEmpty, path: "/api/x"},
	{rule: rules.KeyUnbounded, path: "/api/x"},
	{rule: rules.KeyIncludesURI, path: "/search/x?%d"},
	{rule: rules.WhitelistInverted, path: "/api/x"},
	{rule: rules.MapWithoutDefault, path: "/api/x"},
	{rule: rules.KeyLiteralVariable, path: "/api/x", other: "127.0.0.2", refuses: true},
	{rule: rules.KeyConstant, path: "/api/x", other: "127.0.0.2", refuses: true},
	{rule: rules.MapEntryUnreachable, path: "/api/x", local: "10.0.0.0/8", refuses: true},
}

// TestKeysAgainstNginx shows on nginx itself what the rules about keys say of their examples: with the bad one a client gets
// round the limit, or is refused for what another one did; with the good one neither.
func TestKeysAgainstNginx(t *testing.T) {
	nginxtest.Binary(t)
	for _, a := range keyAttempts {
		t.Run(a.rule.Name, func(t *testing.T) {
			refused := func(example string) int {
				if a.local != "" {
					example = strings.ReplaceAll(example, a.local, "127.0.0.0/8")
				}
				return attempt(t, example, a.path, a.vary, a.other)
			}
			bad, good := refused(a.rule.Bad), refused(a.rule.Good)
			if bad > 0 != a.refuses || good > 0 == a.refuses {
				t.Errorf("refused with the bad example %d, with the good one %d", bad, good)
			}
		})
	}
}

var (
	anyRate  = regexp.MustCompile(`rate=\w+/[sm]`)
	anyBurst = regexp.MustCompile(`burst=\d+`)
)

// attempt sends a few requests more to an example than its burst takes, with the last ones from another client where one is
// named, and counts the refusals of all of them, or of that client.
func attempt(t *testing.T, example, path, vary, other string) (refused int) {
	t.Helper()
	port := nginxtest.Port(t)
	conf := listenDirective.ReplaceAllString(example, "")
	conf = strings.ReplaceAll(conf, "server {", fmt.Sprintf("server { listen 127.0.0.1:%d;", port))
	conf = strings.ReplaceAll(conf, "proxy_pass http://127.0.0.1:8080;", "try_files /none =404;")
	conf = anyRate.ReplaceAllString(anyBurst.ReplaceAllString(conf, "burst=4"), "rate=1r/m")
	server := nginxtest.Start(t, "pid nginx.pid; error_log error.log info;\n"+conf, port, nil)
	for i := range 10 {
		from := "127.0.0.1"
		if i >= 7 && other != "" {
			from = other
		}
		head := "GET " + number(path, i) + " HTTP/1.1\r\nHost: www.example.com\r\nConnection: close"
		if vary != "" {
			head += "\r\n" + number(vary, i)
		}
		switch r := server.Ask(t, from, port, head); {
		case r.Status != 429 && r.Status != 404:
			t.Fatalf("%s answers %d", path, r.Status)
		case r.Status == 429 && (other == "" || from == other):
			refused++
		}
	}
	return refused
}

func number(text string, n int) string {
	if strings.Contains(text, "%d") {
		return fmt.Sprintf(text, n)
	}
	return text
}

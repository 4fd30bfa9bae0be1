package pipeline

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
)

func get(host, target string) *request.Request {
	return &request.Request{Host: host, Target: target, Peer: netip.MustParseAddr("127.0.0.1")}
}

// TestExceeded: where a regex takes more than PCRE's limit, nginx answers 500 wherever the regex stands. The request ends in
// "unknown", and an assumption says why; a subject that is harmless goes on as ever.
func TestExceeded(t *testing.T) {
	bad := strings.Repeat("a", 60) + "!"
	for _, c := range []struct{ name, conf, host, target string }{
		{"location", `server { location / { return 200; } location ~ "^/(a|a)+$" { return 200; } location ~ ! { return 201; } }`, "h", "/" + bad},
		{"rewrite", `server { rewrite "^/(a|a)+$" /x; return 200; }`, "h", "/" + bad},
		{"if", `server { if ($uri ~ "^/(a|a)+$") { return 201; } return 200; }`, "h", "/" + bad},
		{"not if", `server { if ($uri !~ "^/(a|a)+$") { return 201; } return 200; }`, "h", "/" + bad},
		{"name", `server { server_name "~^(a|a)+$"; return 200; } server { return 201; }`, strings.Repeat("a", 60) + "-", "/"},
	} {
		p := pipelineOfText(t, c.conf)
		if tr := p.Do(0, get(c.host, c.target)); tr.EndsIn != EndUnknown || tr.Status != 0 || !strings.Contains(strings.Join(tr.Assumptions, "\n"), "nginx answers 500 if its own limit is exceeded") {
			t.Errorf("%s: ends in %s, %d, %q", c.name, tr.EndsIn, tr.Status, tr.Assumptions)
		}
		if tr := p.Do(0, get("b", "/b!")); tr.EndsIn != EndReturn || len(tr.Assumptions) > 0 {
			t.Errorf("%s: a harmless one ends in %s, %q", c.name, tr.EndsIn, tr.Assumptions)
		}
	}
}

// TestLongValues: whatever a configuration multiplies, a request stays within bounds and says what was too long.
func TestLongValues(t *testing.T) {
	grow := strings.Repeat("set $x $x$x$x$x$x$x$x$x$x$x$x;\n", 200)
	for _, c := range []struct{ name, conf, want string }{
		{"key", `limit_req_zone $x zone=z:1m rate=1r/s; server { set $x 0123456789; ` + grow + ` location / { limit_req zone=z; } }`, "$x would be longer than 1 MiB; nginx counts no key"},
		{"composite", `limit_req_zone ` + strings.Repeat("$uri", 900) + ` zone=z:1m rate=1r/s; server { location / { limit_req zone=z; } }`, "the value would be longer than 1 MiB; nginx counts no key"},
		{"return", `server { set $x 0123456789; ` + grow + ` return 302 /$x; }`, "$x would be longer than 1 MiB; it is taken as empty"},
		{"if", `server { set $x 0123456789; ` + grow + ` if ($x) { return 201; } return 200; }`, "$x would be longer than 1 MiB; its condition"},
		{"rewrite", `server { ` + strings.Repeat("rewrite ^(.*)$ $1$1$1$1$1$1$1$1$1;\n", 50) + ` return 200; }`, "rewrite: the value would be longer than 1 MiB"},
	} {
		tr := pipelineOfText(t, c.conf).Do(0, get("h", "/"+strings.Repeat("a", 2000)))
		if !strings.Contains(strings.Join(tr.Assumptions, "\n"), c.want) || tr.LimiterRan {
			t.Errorf("%s: %.300q, limiter ran: %v", c.name, tr.Assumptions, tr.LimiterRan)
		}
	}
}

package value_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
)

// TestLiveCycle asks nginx for a cycle of maps, and for a match beyond PCRE's limit.
func TestLiveCycle(t *testing.T) {
	port := nginxtest.Port(t)
	s := nginxtest.Start(t, fmt.Sprintf(`pid nginx.pid; error_log error.log; events {} http { access_log off;
		map $uri $a { default x$b; } map $uri $b { default $a; }
		server { listen 127.0.0.1:%d; location / { return 200 "[$a]"; } location ~ "^/(a|a)+$" { return 200; } } }`, port), port, nil)
	c := nginxtest.NewClient(t, port)
	if got := c.Send(t, "GET / HTTP/1.1\r\nHost: h\r\n\r\n"); got.Body != "["+strings.Repeat("x", 50)+"]" {
		t.Errorf("%q", got.Body)
	}
	if log := s.ErrorLog(t); !strings.Contains(log, `cycle while evaluating variable`) {
		t.Errorf("%s", log)
	}
	if got := c.Send(t, "GET /"+strings.Repeat("a", 60)+"! HTTP/1.1\r\nHost: h\r\n\r\n"); got.Status != 500 {
		t.Errorf("%d", got.Status)
	}
}

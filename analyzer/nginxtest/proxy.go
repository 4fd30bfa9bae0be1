package nginxtest

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// Loopback returns an address of the loopback network that is nobody else's in a test: 127.0.0.N. Elsewhere than on Linux only
// 127.0.0.1 is there, and the test is skipped.
func Loopback(t testing.TB, n int) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("several loopback addresses are needed, which only Linux has")
	}
	return fmt.Sprintf("127.0.0.%d", n)
}

// Bare returns a configuration around the inside of its http block, whose files all lie below the prefix.
func Bare(http string) string {
	var b strings.Builder
	b.WriteString("pid nginx.pid; error_log error.log; events {}\nhttp { access_log off; keepalive_requests 1000000;\n")
	for _, d := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		fmt.Fprintf(&b, "%s_temp_path tmp_%s;\n", d, d)
	}
	return b.String() + http + "\n}\n"
}

// StartProxy starts an nginx that hands requests on to a port of this machine, and connects from the address given. The
// server's text stands in front of its locations. It returns the port on which it listens.
func StartProxy(t testing.TB, address string, to int, server string) int {
	t.Helper()
	port := Port(t)
	Start(t, Bare(fmt.Sprintf(`server { listen 127.0.0.1:%d; proxy_bind %s; proxy_http_version 1.1; proxy_set_header Connection "";
%s
location / { proxy_pass http://127.0.0.1:%d; } }`, port, address, server, to)), port, nil)
	return port
}

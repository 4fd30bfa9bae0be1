package route

import (
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
)

// TestLiveHeadSizes sends long request lines and headers to servers with small and large buffers.
func TestLiveHeadSizes(t *testing.T) {
	nginxtest.Binary(t)
	r := nginxtest.Random(t)
	const perConfiguration = 50
	answers := map[int]int{}
	for asked, cases := 0, nginxtest.Cases(t, 200); asked < cases && !t.Failed(); asked += perConfiguration {
		port := nginxtest.Port(t)
		var b strings.Builder
		b.WriteString("events {}\npid nginx.pid;\nhttp {\naccess_log off;\n")
		for _, p := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
			fmt.Fprintf(&b, "%s_temp_path %s;\n", p, p)
		}
		for i := range 2 {
			fmt.Fprintf(&b, "server { listen 127.0.0.1:%d; server_name s%d; error_page 414 =415 /e; error_page 494 =418 /e;\n", port, i)
			fmt.Fprintf(&b, "client_header_buffer_size %s; large_client_header_buffers %s %s; location / { return 200; } }\n",
				oneOf(r, "600", "1k", "1500", "4k"), oneOf(r, "1", "2", "3", "4"), oneOf(r, "512", "700", "1k", "3k"))
		}
		b.WriteString("}\n")
		path := filepath.Join(t.TempDir(), "nginx.conf")
		if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		nginxtest.Start(t, b.String(), port, nil)
		router := New(resolveFile(t, path))
		long := func() string {
			return strings.Repeat("x", []int{1, r.IntN(100), 400 + r.IntN(200), r.IntN(3500)}[r.IntN(4)])
		}
		for range perConfiguration {
			req := &request.Request{
				Host: fmt.Sprintf("s%d", r.IntN(2)), Target: "/" + long(), Peer: netip.MustParseAddr("127.0.0.1"),
				Server: netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), uint16(port)), Headers: []request.Header{{Name: "Connection", Value: "close"}},
			}
			if r.IntN(5) == 0 {
				req.Target = fmt.Sprintf("http://s%d", r.IntN(2)) + req.Target
			}
			for range r.IntN(5) {
				req.Headers = append(req.Headers, request.Header{Name: "X-x", Value: "y" + long()})
			}
			c := router.Begin(&value.Request{}, req)
			want := map[int]int{0: 200, 414: 415, 494: 418}[c.Status]
			got := sendWhole(t, req, port)
			answers[got]++
			if got != want {
				t.Errorf("line %d, headers %d: %d (%s), nginx %d\n%s", lineLength(req), len(req.Headers), want, c.Why, got, b.String())
			}
		}
	}
	t.Logf("answers: %v", answers)
}

// sendWhole sends a request at once, and again where nginx closed the connection over what it had not read.
func sendWhole(t *testing.T, req *request.Request, port int) int {
	t.Helper()
	text := "GET " + req.Target + " HTTP/1.1\r\nHost: " + req.Host + "\r\n"
	for _, h := range req.Headers {
		text += h.Name + ": " + h.Value + "\r\n"
	}
	for range 20 {
		conn, err := net.Dial("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
		_, _ = io.WriteString(conn, text+"\r\n")
		var head [12]byte
		_, err = io.ReadFull(conn, head[:])
		_ = conn.Close()
		var status int
		if _, bad := fmt.Sscanf(string(head[:]), "HTTP/1.1 %d", &status); err == nil && bad == nil {
			return status
		}
	}
	t.Fatal("nginx does not answer")
	return 0
}

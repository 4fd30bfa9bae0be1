package pipeline_test

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/analyzer/route"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
)

// TestLiveConns holds random requests open at a backend and lets others go, in zones of limit_conn that fill up with keys
// of all lengths: what nginx says of each request must be what the model says.
func TestLiveConns(t *testing.T) {
	nginxtest.Binary(t)
	rng := nginxtest.Random(t)
	const perConfiguration = 100
	seen := map[string]int{}
	for done, cases := 0, nginxtest.Cases(t, 300); done < cases && !t.Failed(); done += perConfiguration {
		compareConns(t, rng, min(perConfiguration, cases-done), seen)
	}
	t.Logf("answers: %v", seen)
}

// A holder is a backend that answers a request when it is told to, and says when one has come.
type holder struct {
	*httptest.Server
	arrived chan struct{}
	release chan struct{}
}

func newHolder(t *testing.T) *holder {
	t.Helper()
	h := &holder{arrived: make(chan struct{}), release: make(chan struct{})}
	h.Server = httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		h.arrived <- struct{}{}
		<-h.release
	}))
	return h
}

func connsConf(rng *rand.Rand, port int, backend string) string {
	var b strings.Builder
	b.WriteString("pid nginx.pid;\nevents {}\nhttp {\n    log_format seen \"$status|$limit_req_status|$limit_conn_status\";\n    access_log seen.log seen;\n    error_log error.log info;\n    large_client_header_buffers 4 32k;\n")
	for _, p := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		fmt.Fprintf(&b, "    %s_temp_path tmp_%s;\n", p, p)
	}
	for i, key := range []string{"$binary_remote_addr", "$http_a", "$http_b", "$http_a$http_b"} {
		fmt.Fprintf(&b, "    limit_conn_zone %s zone=c%d:%s;\n", key, i, pick(rng, "32k", "1m"))
	}
	b.WriteString("    limit_req_zone $http_a zone=r:1m rate=1r/m;\n")
	fmt.Fprintf(&b, "    server {\n        listen 127.0.0.1:%d;\n", port)
	for i := range 4 {
		fmt.Fprintf(&b, "        location /%d/ {\n", i)
		for _, z := range rng.Perm(4)[:1+rng.IntN(4)] {
			fmt.Fprintf(&b, "            limit_conn c%d %s;\n", z, pick(rng, "1", "2", "3", "7"))
		}
		b.WriteString("            " + pick(rng, "", "limit_conn_dry_run on;", "", "limit_conn_status 429;", "limit_conn_status 429; error_page 429 = @held;", "limit_req zone=r;") + "\n")
		fmt.Fprintf(&b, "            proxy_pass http://%s;\n        }\n", backend)
	}
	b.WriteString("        location @held { limit_conn c0 1; empty_gif; }\n    }\n}\n")
	return b.String()
}

func compareConns(t *testing.T, rng *rand.Rand, requests int, seen map[string]int) {
	t.Helper()
	port := nginxtest.Port(t)
	backend := newHolder(t)
	conf := connsConf(rng, port, backend.Listener.Addr().String())
	server := nginxtest.Start(t, conf, port, nginxtest.NewClock(t, liveStart))
	tree := resolveText(t, conf)
	model := pipeline.New(tree, route.New(tree))
	type held struct {
		conn   net.Conn
		flight pipeline.Flight
	}
	var open []held
	logged := 0
	defer func() {
		for range open {
			backend.release <- struct{}{}
		}
		for _, h := range open {
			_ = h.conn.Close()
		}
		backend.Close()
	}()
	for i := range requests {
		if len(open) > rng.IntN(60) { // all go: which one the backend answers first is its own matter
			for range open {
				backend.release <- struct{}{}
			}
			for j := range open {
				_, _ = io.ReadAll(open[j].conn)
				_ = open[j].conn.Close()
				open[j].flight.Finish()
			}
			logged += len(open)
			server.Logged(t, "seen.log", logged)
			open = open[:0]
		}
		client := fmt.Sprintf("127.0.1.%d", 1+rng.IntN(3))
		headers := []request.Header{{Name: "A", Value: connKey(rng)}, {Name: "B", Value: connKey(rng)}}
		path := fmt.Sprintf("/%d/", rng.IntN(4))
		f := model.Plan(&request.Request{
			Host: "h", Target: path, Peer: netip.MustParseAddr(client), Headers: headers,
			Server: netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), uint16(port)),
		}, nil).Start(clock.Msec(liveStart))
		want, ends := fmt.Sprintf("|%s|%s", f.Decision.Verdict, f.Conn.Verdict), f.Status()
		conn := connect(t, client, port, fmt.Sprintf("GET %s HTTP/1.1\r\nHost: h\r\nA: %s\r\nB: %s\r\nConnection: close\r\n\r\n", path, headers[0].Value, headers[1].Value))
		answered := make(chan struct{})
		go func() {
			_, _ = bufio.NewReader(conn).Peek(1)
			close(answered)
		}()
		select {
		case <-backend.arrived:
			if ends != 0 {
				t.Errorf("request %d, %s %.80q from %s: the model says %s, nginx hands it on\n%s", i, path, headers, client, want, conf)
				return
			}
			open = append(open, held{conn, f})
			seen["held"+want]++
			continue
		case <-answered:
		case <-time.After(10 * time.Second):
			t.Fatalf("request %d: nginx neither answers nor hands on", i)
		}
		f.Finish()
		_ = conn.Close()
		logged++
		got := strings.ReplaceAll(server.Logged(t, "seen.log", logged), "|-", "|NONE")
		if got != fmt.Sprint(ends)+want {
			t.Errorf("request %d, %s %.80q from %s: the model says %d%s, nginx %s\n%s", i, path, headers, client, ends, want, got, conf)
			return
		}
		seen[got]++
	}
}

func connKey(rng *rand.Rand) string {
	k := string(rune('a' + rng.IntN(4)))
	switch rng.IntN(6) {
	case 0:
		return ""
	case 1:
		return strings.Repeat(k, []int{28, 29, 92, 93, 219, 220, 255, 256}[rng.IntN(8)])
	case 2:
		return fmt.Sprintf("%s%0200d", k, rng.IntN(300)) // many that differ fill the zone
	}
	return k
}

func connect(t *testing.T, from string, port int, text string) net.Conn {
	t.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	c, err := d.Dial("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
	if err == nil {
		_, err = io.WriteString(c, text)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

package pipeline_test

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/analyzer/route"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
)

// retryCases are locations that refuse their second request, and what the refusal says of when to ask again: milliseconds,
// negative for nothing.
var retryCases = []struct {
	name, text string
	want       int64
}{
	{"none", `limit_req zone=z;`, -1},
	{"always", `limit_req zone=z; add_header Retry-After 5 always;`, 5000},
	{"any case", `limit_req zone=z; add_header retry-after 5 always;`, 5000},
	{"not on errors", `limit_req zone=z; add_header Retry-After 5;`, -1},
	{"429 is no better", `limit_req zone=z; limit_req_status 429; add_header Retry-After 5;`, -1},
	{"by status", `limit_req zone=z; limit_req_status 429; add_header Retry-After $after always;`, 7000},
	{"another status", `limit_req zone=z; limit_req_status 503; add_header Retry-After $after always;`, -1},
	{"by the limiter's word", `limit_req zone=z; add_header Retry-After $after_refusal always;`, 3000},
	{"empty", `limit_req zone=z; add_header Retry-After "" always;`, -1},
	{"a date", `limit_req zone=z; add_header Retry-After "Wed, 21 Oct 2037 07:28:00 GMT" always;`, -1},
	{"twice", `limit_req zone=z; add_header Retry-After 5 always; add_header Retry-After 6 always;`, -1},
	{"an error page's own", `limit_req zone=z; error_page 503 /busy; add_header Retry-After 5 always;`, 9000},
	{"an error page without", `limit_req zone=z; error_page 503 /plain; add_header Retry-After 5 always;`, -1},
	{"an error page that answers 200", `limit_req zone=z; error_page 503 =200 /quiet; add_header Retry-After 5 always;`, 4000},
	{"a named location", `limit_req zone=z; error_page 503 @busy; add_header Retry-After 5 always;`, 8000},
	{"an if", `limit_req zone=z; add_header Retry-After 5 always; if ($arg_x) { add_header Retry-After 2 always; }`, 2000},
	{"an if that inherits", `limit_req zone=z; add_header Retry-After 5 always; if ($arg_x) { set $y 1; }`, 5000},
}

// retryConf has a server for what is inherited, and one for the other cases.
func retryConf(port int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `pid nginx.pid; events {}
http {
    access_log off; error_log error.log info;
    limit_req_zone $uri zone=z:1m rate=1r/m;
    map $status $after { 429 7; default ""; }
    map $limit_req_status $after_refusal { REJECTED 3; default ""; }
    server {
        listen 127.0.0.1:%d; server_name inherit.example;
        add_header Retry-After 6 always;
        limit_req zone=z;
        location /plain/ { try_files /absent =204; }
        location /own/ { add_header X-Other 1; try_files /absent =204; }
    }
    server {
        listen 127.0.0.1:%d; server_name cases.example;
        location = /busy { add_header Retry-After 9 always; return 503; }
        location = /plain { return 503; }
        location = /quiet { add_header Retry-After 4; return 200; }
        location @busy { add_header Retry-After 8 always; return 503; }
`, port, port)
	for i, c := range retryCases {
		fmt.Fprintf(&b, "        location /%d/ { %s try_files /absent =204; }\n", i, c.text)
	}
	b.WriteString("    }\n}\n")
	return b.String()
}

// askTwice is what the model says of the second request.
func askTwice(p *pipeline.Pipeline, host, path string, port int) int64 {
	pl := p.Plan(&request.Request{
		Host: host, Target: path, Peer: netip.MustParseAddr("127.0.0.1"), Server: netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), uint16(port)),
	}, nil)
	first := pl.Start(clock.Up)
	first.Finish()
	f := pl.Start(clock.Up)
	return f.RetryAfter()
}

// TestRetryAfter has the header of a refusal known where nginx sends it, and taken for nothing where it tells no time.
func TestRetryAfter(t *testing.T) {
	tree := resolveText(t, retryConf(8080))
	p := pipeline.New(tree, route.New(tree))
	for i, c := range retryCases {
		if got := askTwice(p, "cases.example", fmt.Sprintf("/%d/?x=1", i), 8080); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
	for path, want := range map[string]int64{"/plain/": 6000, "/own/": -1} {
		if got := askTwice(p, "inherit.example", path, 8080); got != want {
			t.Errorf("%s: %d, want %d", path, got, want)
		}
	}
}

// TestRetryAfterLive asks nginx.
func TestRetryAfterLive(t *testing.T) {
	nginxtest.Binary(t)
	port := nginxtest.Port(t)
	server := nginxtest.Start(t, retryConf(port), port, nil)
	tree := resolveText(t, retryConf(port))
	p := pipeline.New(tree, route.New(tree))
	type asked struct{ name, host, path string }
	requests := []asked{{"inherited", "inherit.example", "/plain/"}, {"not inherited", "inherit.example", "/own/"}}
	for i, c := range retryCases {
		requests = append(requests, asked{c.name, "cases.example", fmt.Sprintf("/%d/?x=1", i)})
	}
	for _, r := range requests {
		head := fmt.Sprintf("GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close", r.path, r.host)
		server.Ask(t, "127.0.0.1", port, head)
		got := server.Ask(t, "127.0.0.1", port, head)
		want := int64(-1)
		if lines := got.Header.Values("Retry-After"); len(lines) == 1 {
			if s, err := strconv.Atoi(lines[0]); err == nil {
				want = int64(s) * 1000
			}
		}
		if said := askTwice(p, r.host, r.path, port); said != want {
			t.Errorf("%s: the model says %d, nginx %d %v", r.name, said, got.Status, got.Header["Retry-After"])
		}
	}
}

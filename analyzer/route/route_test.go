package route

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
)

// TestUnknownAddress: where a request does not say which address it was sent to, the URL's port decides, and what was
// taken is told as soon as it matters.
func TestUnknownAddress(t *testing.T) {
	const conf = `events {} http {
		server { listen 80; listen [::]:80; server_name a.example; }
		server { listen 443 ssl; server_name a.example tls.example; }
		server { listen 127.0.0.1:8080; server_name inner.example; }
		server { listen 10.0.0.1:8080; server_name other.example inner.example; }
		server { listen unix:/run/x.sock; server_name socket.example; }
	}`
	r := New(resolve(t, conf))
	for _, c := range []struct {
		req     request.Request
		listen  string // the words of the listen that was taken
		assumed string
		status  int
	}{
		{req: request.Request{Host: "a.example"}, listen: "80"},
		{req: request.Request{Host: "a.example", Peer: netip.MustParseAddr("2001:db8::1")}, listen: "[::]:80"},
		{req: request.Request{Host: "a.example", Scheme: "https"}, listen: "443"},
		{req: request.Request{Host: "other.example:8080"}, listen: "10.0.0.1:8080", assumed: "several addresses listen on port 8080; 10.0.0.1:8080 was taken"},
		{req: request.Request{Host: "inner.example:8080"}, listen: "127.0.0.1:8080", assumed: "several addresses listen on port 8080; 127.0.0.1:8080 was taken"},
		{req: request.Request{Host: "tls.example:444", Scheme: "https"}, listen: "443", assumed: "nothing listens on port 444; 0.0.0.0:443 was taken"},
		{req: request.Request{Host: "socket.example:81"}, listen: "unix:/run/x.sock", assumed: "nothing listens on port 81; unix:/run/x.sock was taken"},
		{req: request.Request{Host: "a.example", Server: netip.MustParseAddrPort("192.0.2.1:80")}, listen: "80"},
		{req: request.Request{Host: "a.example", Server: netip.MustParseAddrPort("[2001:db8::2]:80")}, listen: "[::]:80"},
		{req: request.Request{Host: "a.example", Scheme: "http", Server: netip.MustParseAddrPort("192.0.2.1:443")}, listen: "443", status: 400},
	} {
		c.req.Target = "/"
		got := r.Begin(&value.Request{}, &c.req)
		if got.Listen == nil || got.Listen.Text != c.listen || strings.Join(got.Assumed, "|") != c.assumed || got.Status != c.status {
			t.Errorf("%+v: %+v", c.req, got)
		}
	}
	got := r.Begin(&value.Request{}, &request.Request{Host: "a", Target: "/", Server: netip.MustParseAddrPort("192.0.2.1:81")})
	if got.Server != nil || got.Why != "nothing listens on 192.0.2.1:81" {
		t.Errorf("%+v", got)
	}
}

// TestRefusedRequests: what nginx answers before any phase runs.
func TestRefusedRequests(t *testing.T) {
	r := New(resolve(t, "events {} http { server { listen 80; location / { return 200; } } }"))
	for _, c := range []struct {
		req    request.Request
		status int
		why    string
	}{
		{request.Request{Host: "a", Target: "/.."}, 400, "invalid request target"},
		{request.Request{Host: "a", Target: "/" + strings.Repeat("x", 8176)}, 0, ""}, // 8192 bytes with "GET ", " HTTP/1.1" and the end of the line
		{request.Request{Host: "a", Target: "/" + strings.Repeat("x", 8177)}, 414, "the request line is longer than large_client_header_buffers have room for"},
		{request.Request{Host: "a", Target: "/" + strings.Repeat("x", 8177), Protocol: "HTTP/2.0"}, 0, ""},
		{request.Request{Host: "a", Target: "/", Headers: []request.Header{{Name: "Cookie", Value: strings.Repeat("x", 8182)}}}, 0, ""},
		{
			request.Request{Host: "a", Target: "/", Headers: []request.Header{{Name: "Cookie", Value: strings.Repeat("x", 8183)}}},
			494,
			"the headers are larger than large_client_header_buffers have room for",
		},
		{request.Request{Host: "a b", Target: "/"}, 400, "invalid Host header"},
		{request.Request{NoHost: true, Target: "/"}, 400, "no Host header"},
		{request.Request{NoHost: true, Target: "/", Protocol: "HTTP/1.0"}, 0, ""},
		{request.Request{Host: "a", Target: "/", Method: "get"}, 400, "invalid method"},
		{request.Request{Host: "a", Target: "/", Method: "TRACE"}, 405, "the method TRACE is not allowed"},
		{request.Request{Host: "a", Target: "http://b/", Protocol: "HTTP/2.0"}, 400, "invalid request target"},
		{request.Request{Host: "a", Target: "http://b../"}, 400, "invalid host in the request target"},
		{request.Request{Host: "a", Target: "/", Headers: []request.Header{{Name: "authorization", Value: "x"}, {Name: "Authorization", Value: "y"}}}, 400, "two Authorization headers"},
	} {
		if got := r.Begin(&value.Request{}, &c.req); got.Status != c.status || got.Why != c.why || got.Server == nil {
			t.Errorf("%+v: %+v", c.req, got)
		}
	}
}

// TestUndecided: the search ends at a regex that cannot be run; what comes before it is found.
func TestUndecided(t *testing.T) {
	r := New(resolve(t, `events {} http {
		server { server_name ~^(?R)?x; location / { return 200; } }
		server { server_name $hostname; location / { return 200; } location ~ \X { return 200; } location ~ \.php$ { return 200; } location = /exact { return 200; } }
	}`))
	v := &value.Request{}
	c := r.Begin(v, &request.Request{Host: "y.example", Target: "/a.php"})
	if c.Undecided == nil || c.Undecided.Error() != `server name: regex "^(?R)?x": the pattern cannot be run here: it calls a group as a subroutine` {
		t.Fatalf("%+v", c)
	}
	second := r.tree.HTTP.Servers[1]
	m := r.Site(second).Location(v, false)
	if m.Number != 0 || m.Undecided == nil || !strings.HasPrefix(m.Undecided.Error(), `location ~ \X: regex "\\X": the pattern cannot be run here`) {
		t.Errorf("%+v", m)
	}
	v.URI = "/exact"
	if m := r.Site(second).Location(v, false); m.Number == 0 || r.Numbered(m.Number).Label() != "= /exact" || m.Undecided != nil {
		t.Errorf("%+v", m)
	}
}

func TestNamedAndInternal(t *testing.T) {
	tree := resolve(t, `events {} http { server { location @f { return 200; } location /int/ { internal; return 200; } location /p/ { proxy_pass http://127.0.0.1:1; } } }`)
	r := New(tree)
	s := tree.HTTP.Servers[0]
	if l := r.Site(s).Named("@f"); l == nil || l != r.Site(s).Named("f") || r.Site(s).Named("g") != nil {
		t.Error("named locations are not found by name")
	}
	v := &value.Request{}
	r.Begin(v, &request.Request{Host: "a", Target: "/int/x"})
	if m := r.Site(s).Location(v, false); m.Status != 404 {
		t.Errorf("%+v", m)
	}
	if m := r.Site(s).Location(v, true); m.Status != 0 || m.Number == 0 {
		t.Errorf("%+v", m)
	}
	r.Begin(v, &request.Request{Host: "a", Target: "/p?a=b"})
	if m := r.Site(s).Location(v, false); m.Status != 301 || m.Redirect != "/p/?a=b" {
		t.Errorf("%+v", m)
	}
	v.URI = "@f"
	if m := r.Site(s).Location(v, true); m.Number != 0 {
		t.Errorf("a URI found the named location: %+v", m)
	}
}

func TestNoHTTP(t *testing.T) {
	r := New(resolve(t, "events {}"))
	if c := r.Begin(&value.Request{}, &request.Request{Target: "/"}); c.Server != nil || c.Why != "there is no http block" {
		t.Errorf("%+v", c)
	}
}

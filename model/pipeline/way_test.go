package pipeline

import (
	"net/netip"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
)

// TestWay asks whether the place that a request comes to settles what the limits do to it.
func TestWay(t *testing.T) {
	const maps = zones + `
    map $http_x_tier $tier { default $binary_remote_addr; gold ""; }
    map $request_uri $by_uri { default $binary_remote_addr; ~^/a ""; }
    map $http_x_tier $yields_uri { default $uri; gold ""; }
    limit_req_zone $tier zone=tier:1m rate=1r/m;
    limit_req_zone $by_uri zone=by_uri:1m rate=1r/m;
    limit_req_zone $yields_uri zone=yields_uri:1m rate=1r/m;
    limit_req_zone $part zone=part:1m rate=1r/m;
    server { listen 81; set $part ""; }
`
	const pass = " proxy_pass http://127.0.0.1:1; }"
	for _, c := range []struct {
		server string
		want   bool
	}{
		{`location / {` + pass, true},
		{`location / { limit_req zone=one; limit_conn conn 1;` + pass, true},
		{`location / { limit_req zone=tier;` + pass, true},
		{`location ~ ^/a { limit_req zone=one;` + pass, true},
		{`location /a { limit_req zone=key;` + pass, false},
		{`location /a { limit_req zone=by_uri;` + pass, false},
		{`location /a { limit_req zone=yields_uri;` + pass, false},
		{`location ~ ^/a(?<part>.*) { limit_req zone=part;` + pass, false},
		{`location / { limit_req zone=part; set $part $uri;` + pass, false},
		{`location ~ ^/(?<part>a) { location ~ b { limit_req zone=one;` + pass + ` }`, false},
		{`location / { limit_req zone=one; rewrite ^/a /c;` + pass, false},
		{`rewrite ^/a /c; location / { limit_req zone=one;` + pass, false},
		{`location / { limit_req zone=one; allow 192.0.2.0/24; deny all;` + pass, false},
		{`location / { limit_req zone=one; mirror /m;` + pass, false},
		{`location / { limit_req zone=one; limit_except GET { deny all; }` + pass, false},
		{`location / { limit_req zone=one; try_files $uri /c; }`, false},
		{`location / { limit_req zone=one; root /srv; }`, false},
		{`location / { limit_req zone=one; return 200; }`, false},
		{`location /a { internal;` + pass, false},
		{`location /a/b/ {` + pass, false}, // 301
	} {
		p := pipelineOfText(t, maps+"server { listen 80; server_name a.example;\n"+c.server+"\n}")
		r := &request.Request{Host: "a.example", Target: "/a/b", Peer: netip.MustParseAddr("192.0.2.1"), Server: netip.MustParseAddrPort("192.0.2.1:80")}
		for range 2 { // the second answer is remembered
			if _, settled := p.WayOf(r, nil); settled != c.want {
				t.Errorf("%s: %v, want %v", c.server, settled, c.want)
			}
		}
	}
}

// TestTakenBy asks which location a request comes to first, wherever it goes from there.
func TestTakenBy(t *testing.T) {
	p := pipelineOfText(t, `
    server { listen 80; location / { try_files $uri /index.php; } location ~ \.php$ { fastcgi_pass 127.0.0.1:1; } location = /login { rewrite ^ /auth/do last; } location /auth/ { return 204; } location @n { return 204; } }
    server { listen 80; server_name bare.example; }
`)
	for _, c := range []struct {
		host, target, want string
		known              bool
	}{
		{"a.example", "/x", "/", true},
		{"a.example", "/x.php", "~ \\.php$", true},
		{"a.example", "/login?a", "= /login", true},
		{"a.example", "/auth/do", "/auth/", true},
		{"bare.example", "/x", "", true},
		{"a.example", "/../x", "", false}, // 400
	} {
		r := &request.Request{Host: c.host, Target: c.target, Peer: netip.MustParseAddr("192.0.2.1"), Server: netip.MustParseAddrPort("192.0.2.1:80")}
		l, known := p.TakenBy(r, nil)
		got := ""
		if l != nil {
			got = l.Label()
		}
		if got != c.want || known != c.known {
			t.Errorf("%s%s: %q %v, want %q %v", c.host, c.target, got, known, c.want, c.known)
		}
	}
}

// TestAsksVerdict asks whether anything but a log can depend on what a limiter says.
func TestAsksVerdict(t *testing.T) {
	const log = "log_format limits '$status ${limit_req_status} $limit_conn_status';\n"
	for text, want := range map[string]bool{
		"":  false,
		log: false,
		log + "log_format other '$limit_req_status';\n":               false,
		log + "map $limit_req_status $seen { default 1; }\n":          true,
		log + "add_header X-Limit ${limit_req_status} always;\n":      true,
		log + "server { listen 81; return 200 $limit_req_status; }\n": true,
	} {
		if got := pipelineOfText(t, text+"server { listen 80; }").g.asksVerdict(); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

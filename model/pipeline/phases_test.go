package pipeline

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/limitreq"
)

const zones = `
    limit_req_zone $binary_remote_addr zone=one:1m rate=1r/m;
    limit_req_zone $binary_remote_addr zone=two:1m rate=1r/m;
    limit_req_zone $arg_k zone=key:1m rate=1r/m;
    limit_conn_zone $binary_remote_addr zone=conn:1m;
`

// TestPhases sends one request twice, and compares what became of the second: where it ended, and whether and where the
// limiter judged it. The facts are those of nginx's sources and were measured.
func TestPhases(t *testing.T) {
	for _, c := range []struct {
		name, server, target string
		status               int
		end                  End
		verdict              limitreq.Verdict
		zone                 string
		path                 string
	}{
		{"return goes before", `location / { limit_req zone=one; return 200; }`, "/", 200, EndReturn, "NONE", "", "/ -> return -> 200"},
		{"return in the server", `limit_req zone=one; return 204;`, "/", 204, EndReturn, "NONE", "", "server -> return -> 204"},
		{"return of an address", `location / { limit_req zone=one; return https://b.example/; }`, "/", 302, EndReturn, "NONE", "", ""},
		{"rewrite to another address", `location / { limit_req zone=one; rewrite ^ /b permanent; }`, "/", 301, EndRewrite, "NONE", "", "/ -> rewrite -> /b"},
		{"if with return", `location / { limit_req zone=one; if ($arg_x) { return 403; } proxy_pass http://127.0.0.1:1; }`, "/?x=1", 403, EndReturn, "NONE", "", ""},
		{"if without", `location / { limit_req zone=one; if ($arg_x) { return 403; } proxy_pass http://127.0.0.1:1; }`, "/?x=0", 503, EndLimit, "REJECTED", "one", ""},
		{"automatic redirect", `location /up/ { limit_req zone=one; proxy_pass http://127.0.0.1:1; }`, "/up", 301, EndRewrite, "NONE", "", "/up/ -> redirect -> /up/"},
		{"internal", `location / { internal; limit_req zone=one; }`, "/", 404, EndRequest, "NONE", "", ""},
		{"body too large", `location / { client_max_body_size 2; limit_req zone=one; proxy_pass http://127.0.0.1:1; }`, "/body", 413, EndRequest, "NONE", "", ""},
		{"rewrite last", `location /a { limit_req zone=one; rewrite ^ /b last; } location /b { limit_req zone=two; proxy_pass http://127.0.0.1:1; }`, "/a", 503, EndLimit, "REJECTED", "two", "/a -> rewrite -> /b"},
		{"rewrite break stays", `location /a { limit_req zone=one; rewrite ^ /b break; proxy_pass http://127.0.0.1:1; } location /b { limit_req zone=two; }`, "/a", 503, EndLimit, "REJECTED", "one", ""},
		{"rewrite cycle", `location / { limit_req zone=one; rewrite ^ /a last; }`, "/", 500, EndRewrite, "NONE", "", ""},
		{"try_files, both limited", `location / { limit_req zone=one burst=1 nodelay; try_files $uri /b; } location /b { limit_req zone=two; proxy_pass http://127.0.0.1:1; }`, "/", 0, EndContent, "PASSED", "", ""},
		{"try_files, only the fallback limited", `location / { try_files $uri @b; } location @b { limit_req zone=two; proxy_pass http://127.0.0.1:1; }`, "/", 503, EndLimit, "REJECTED", "two", ""},
		{"try_files with a code", `location / { try_files /absent =204; }`, "/", 204, EndTryFiles, "NONE", "", "/ -> try_files -> =204"},
		{"a php file is taken to be there", `location ~ \.php$ { try_files $uri =404; fastcgi_pass 127.0.0.1:1; }`, "/x.php", 0, EndContent, "NONE", "", ""},
		{"a front controller", `location / { if (!-e $request_filename) { rewrite ^ /index.php last; } } location ~ \.php$ { limit_req zone=one; fastcgi_pass 127.0.0.1:1; }`, "/cart", 503, EndLimit, "REJECTED", "one", ""},
		{"no front controller for a file", `location / { if (!-e $request_filename) { rewrite ^ /index.php last; } } location ~ \.php$ { limit_req zone=one; fastcgi_pass 127.0.0.1:1; }`, "/a.css", 0, EndContent, "NONE", "", ""},
		{"error page of a refusal is not judged", `location / { limit_req zone=one; error_page 503 /busy; proxy_pass http://127.0.0.1:1; } location /busy { limit_req zone=two; empty_gif; }`, "/", 503, EndContent, "REJECTED", "one", ""},
		{"error page with a code of its own", `location / { limit_req zone=one; error_page 503 =200 @x; proxy_pass http://127.0.0.1:1; } location @x { proxy_pass http://127.0.0.1:1; }`, "/", 200, EndContent, "REJECTED", "one", ""},
		{"error page as it answers", `location / { limit_req zone=one; error_page 503 = @x; proxy_pass http://127.0.0.1:1; } location @x { proxy_pass http://127.0.0.1:1; }`, "/", 0, EndContent, "REJECTED", "one", ""},
		{"limits only at the error page", `location / { error_page 404 /e; try_files $uri =404; } location /e { limit_req zone=one; empty_gif; }`, "/", 503, EndLimit, "REJECTED", "one", ""},
		{"deny runs behind", `location / { limit_req zone=one burst=1 nodelay; deny all; proxy_pass http://127.0.0.1:1; }`, "/", 403, EndDeny, "PASSED", "", ""},
		{"satisfy any", `location / { satisfy any; allow 203.0.113.0/24; deny all; auth_basic x; proxy_pass http://127.0.0.1:1; }`, "/", 0, EndContent, "NONE", "", ""},
		{"password", `location / { auth_basic x; proxy_pass http://127.0.0.1:1; }`, "/", 401, EndDeny, "NONE", "", ""},
		{"subrequest refused", `location / { auth_request /auth; proxy_pass http://127.0.0.1:1; } location /auth { limit_req zone=one; limit_req_status 429; proxy_pass http://127.0.0.1:1; }`, "/", 500, EndDeny, "REJECTED", "one", ""},
		{"subrequest of a judged request", `location / { limit_req zone=two burst=1 nodelay; auth_request /auth; proxy_pass http://127.0.0.1:1; } location /auth { limit_req zone=one; proxy_pass http://127.0.0.1:1; }`, "/", 0, EndContent, "PASSED", "", ""},
		{"subrequest denied", `location / { auth_request /auth; proxy_pass http://127.0.0.1:1; } location /auth { limit_req zone=one; return 403; }`, "/", 403, EndDeny, "NONE", "", ""},
		{"mirror", `location / { mirror /m; proxy_pass http://127.0.0.1:1; } location /m { internal; limit_req zone=one; proxy_pass http://127.0.0.1:1; }`, "/", 0, EndContent, "REJECTED", "one", ""},
		{"mirror of what is closed before", `location / { mirror /m; error_page 405 =404 /x; empty_gif; } location /x { return 444; } location /m { internal; limit_req zone=one; proxy_pass http://127.0.0.1:1; }`, "/body", 404, EndReturn, "NONE", "", ""},
		{"empty key", `location / { limit_req zone=key; proxy_pass http://127.0.0.1:1; }`, "/", 0, EndContent, "NONE", "", ""},
		{"index", `location / { index i.php; } location ~ php { limit_req zone=one; fastcgi_pass 127.0.0.1:1; }`, "/", 503, EndLimit, "REJECTED", "one", ""},
		{"status that closes the connection", `location / { limit_req zone=one; limit_req_status 444; error_page 444 /e; proxy_pass http://127.0.0.1:1; } location /e { empty_gif; }`, "/", 444, EndLimit, "REJECTED", "one", ""},
		{"limit_except keeps the rewrite of its location away", `location / { limit_except POST { deny all; } return 204; }`, "/", 403, EndDeny, "NONE", "", ""},
		{"dry run", `location / { limit_req zone=one; limit_req_dry_run on; proxy_pass http://127.0.0.1:1; }`, "/", 0, EndContent, "REJECTED_DRY_RUN", "one", ""},
		{"the verdict is asked for", `location / { limit_req zone=one; error_page 503 @x; proxy_pass http://127.0.0.1:1; } location @x { if ($limit_req_status = REJECTED) { return 418; } return 200; }`, "/", 418, EndReturn, "REJECTED", "one", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := pipelineOfText(t, zones+"server { listen 80; server_name a.example;\n"+c.server+"\n}")
			r := &request.Request{Host: "a.example", Target: c.target, Peer: netip.MustParseAddr("203.0.113.7"), Server: netip.MustParseAddrPort("192.0.2.1:80")}
			if c.target == "/body" {
				r.Method, r.BodySize = "POST", 3
			}
			p.Do(clock.Up, r)
			tr := p.Do(clock.Up+1, r)
			zone := ""
			if tr.Zone != nil {
				zone = tr.Zone.Name
			}
			if tr.Status != c.status || tr.EndsIn != c.end || tr.Decision.Verdict != c.verdict || zone != c.zone {
				t.Errorf("%d %s %s %q, want %d %s %s %q (path %q)", tr.Status, tr.EndsIn, tr.Decision.Verdict, zone, c.status, c.end, c.verdict, c.zone, tr.Path())
			}
			if c.path != "" && !slices.Contains(tr.Path(), c.path) {
				t.Errorf("path %q lacks %q", tr.Path(), c.path)
			}
			if (tr.Decision.Verdict != limitreq.None) != tr.LimiterRan {
				t.Errorf("the limiter ran: %t", tr.LimiterRan)
			}
		})
	}
}

// TestAssumptions has everything that cannot be known named, with what was taken for it.
func TestAssumptions(t *testing.T) {
	for _, c := range []struct{ name, http, server, want string }{
		{"key", `limit_req_zone $upstream_status zone=z:1m rate=1r/s;`, `location / { limit_req zone=z; proxy_pass http://127.0.0.1:1; }`, "taken as one value for all requests"},
		{"condition", ``, `location / { if ($ssl_client_verify = $upstream_status) { return 403; } proxy_pass http://127.0.0.1:1; }`, "taken not to hold"},
		{"files", ``, `location / { try_files $uri /i; } location /i { empty_gif; }`, "files cannot be looked up"},
		{"subrequest", ``, `location / { auth_request /a; proxy_pass http://127.0.0.1:1; } location /a { proxy_pass http://127.0.0.1:1; }`, "auth_request /a: what it answers is not known"},
		{"host name in realip", ``, `set_real_ip_from lb.example; location / { proxy_pass http://127.0.0.1:1; }`, "set_real_ip_from lb.example"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := pipelineOfText(t, c.http+"server { listen 80; "+c.server+" }")
			tr := p.Do(clock.Up, &request.Request{Scheme: "http", Host: "a.example", Target: "/", Peer: netip.MustParseAddr("203.0.113.7"), Server: netip.MustParseAddrPort("192.0.2.1:80")})
			if !slices.ContainsFunc(tr.Assumptions, func(s string) bool { return strings.Contains(s, c.want) }) {
				t.Errorf("%q lacks %q", tr.Assumptions, c.want)
			}
			if len(p.Assumptions()) == 0 {
				t.Error("the pipeline has forgotten it")
			}
		})
	}
}

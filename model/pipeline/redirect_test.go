package pipeline

import (
	"net/netip"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
)

// TestRedirects: the Location header, as nginx completes it. TestLivePhases asks nginx for the same.
func TestRedirects(t *testing.T) {
	for _, c := range []struct{ conf, host, want string }{
		{`listen 80; location / { return 301 /x; }`, "A.example:81", "http://a.example/x"},
		{`listen 8080; location / { return 301 /x; }`, "a.example", "http://a.example:8080/x"},
		{`listen 8080; port_in_redirect off; location / { return 301 /x; }`, "a.example", "http://a.example/x"},
		{`listen 8080; absolute_redirect off; location / { return 301 /x; }`, "a.example", "/x"},
		{`listen 8080; absolute_redirect off; location / { absolute_redirect on; return 301 //x; }`, "a.example", "http://a.example:8080//x"},
		{`listen 80; server_name .Name.example; server_name_in_redirect on; location / { return 302 /x; }`, "a.example", "http://name.example/x"},
		{`listen 80; server_name_in_redirect on; location / { return 302 /x; }`, "a.example", "http:///x"},
		{`listen 80; server_name $hostname; server_name_in_redirect on; location / { return 302 /x; }`, "a.example", "/x"},
		{`listen 80; location / { return 307 x; }`, "a.example", "x"},
		{`listen 80; location / { return http://e.example/$uri; }`, "a.example", "http://e.example//"},
		{`listen 192.0.2.1:81; location / { return 301 /x; }`, "", "http://192.0.2.1:81/x"},
		{`listen [2001:db8::1]:80; location / { return 301 /x; }`, "", "http://[2001:db8::1]/x"},
		{`listen 80; location / { rewrite ^ /x permanent; }`, "a.example", "http://a.example/x"},
		{`listen 80; location / { return 204; }`, "a.example", ""},
	} {
		r := &request.Request{Host: c.host, NoHost: c.host == "", Target: "/", Peer: netip.MustParseAddr("127.0.0.1")}
		if c.host == "" {
			r.Protocol = "HTTP/1.0"
		}
		if tr := pipelineOfText(t, "server { "+c.conf+" }").Do(0, r); tr.Redirect != c.want {
			t.Errorf("%s: %q, want %q", c.conf, tr.Redirect, c.want)
		}
	}
}

// TestFilesOfAlias: what try_files, index and a rewrite that stays in its location do below an alias.
func TestFilesOfAlias(t *testing.T) {
	there := map[string]FileKind{
		"/r": FileDir, "/s": FileDir, "/s/": FileDir, "/s/f": FileRegular, "/s/sub": FileDir, "/s/sub/": FileDir, "/s/sub/i.html": FileDir,
	}
	files := func(path string) FileKind {
		if kind, ok := there[path]; ok {
			return kind
		}
		return FileAbsent
	}
	for _, c := range []struct {
		conf, target, uri string
		status            int
	}{
		{`location /d/ { alias /s/; try_files $uri =404; }`, "/d/f", "/d/f", 200},
		{`location /d/ { alias /s/; try_files f =404; }`, "/d/none", "/d/f", 200},
		{`location /d/ { alias /s/; try_files /d/f =403; }`, "/d/none", "/d/none", 403}, // a constant keeps its front
		{`location /d/ { alias /s/; try_files none $uri; }`, "/d/f", "f", 404},          // a URI without its slash: no location takes it
		{`location /d/ { alias /s/; try_files none $uri; }`, "/d/", "", 403},
		{`location ~ ^/d/(.*) { alias /s; try_files /f =404; }`, "/d/x", "/f", 200},
		{`location /d/ { alias /s/; rewrite ^ /d/f break; }`, "/d/x", "/d/f", 500},
		{`location /d/ { alias /s/; rewrite ^ /d/ break; }`, "/d/x", "/d/", 500},
		{`location /d/ { alias /s/; rewrite ^ /d/f break; try_files f =404; }`, "/d/x", "/d/f", 500},
		{`location /d/ { alias /s/; rewrite ^ /d/f; break; }`, "/d/x", "/d/f", 500},
		{`location /d/ { alias /s/; index i.html; }`, "/d/sub/", "/d/sub/i.html", 301}, // a folder is an index as well
		{`location /d/ { alias /s/; autoindex on; index none; }`, "/d/sub/", "/d/sub/", 200},
		{`location /d/ { alias /s/; autoindex on; index none; }`, "/d/away/", "/d/away/", 404},
	} {
		p := pipelineOfText(t, "server { root /r; "+c.conf+" }")
		p.Files = files
		if tr := p.Do(0, get("h", c.target)); tr.Status != c.status || tr.URI != c.uri {
			t.Errorf("%s: %d %q, want %d %q", c.conf, tr.Status, tr.URI, c.status, c.uri)
		}
	}
}

// TestMethodOfErrorPage: an error page is asked for with GET, and $request_method says so from then on.
func TestMethodOfErrorPage(t *testing.T) {
	p := pipelineOfText(t, `server {
    error_page 405 /e;
    location / { root /r; }
    location /e { if ($request_method = POST) { return 418; } if ($request_method = GET) { return 419; } }
}`)
	r := get("h", "/")
	r.Method = "POST"
	if tr := p.Do(0, r); tr.Status != 419 {
		t.Errorf("status %d", tr.Status)
	}
}

// TestInternalWithin: what stands in an internal location is internal.
func TestInternalWithin(t *testing.T) {
	p := pipelineOfText(t, `server { location /i/ { location /i/x { return 204; } internal; } location /o/ { location /o/i { internal; return 204; } return 205; } }`)
	for target, status := range map[string]int{"/i/": 404, "/i/x": 404, "/o/": 205, "/o/i": 404} {
		if tr := p.Do(0, get("h", target)); tr.Status != status {
			t.Errorf("%s: %d, want %d", target, tr.Status, status)
		}
	}
}

// TestClosedBySubrequest: a subrequest that closes the connection does so for the request as well.
func TestClosedBySubrequest(t *testing.T) {
	p := pipelineOfText(t, `server {
    location = /auth { return 444; }
    location /a { satisfy any; allow all; deny all; auth_request /auth; return 204; }
    location /b { auth_request /auth; auth_basic off; root /r; }
    location /c { mirror /auth; proxy_pass http://127.0.0.1:1; }
    location /d { mirror /auth; empty_gif; }
    location /e { error_page 404 =201 /e2; root /r; }
    location /e2 { return 444; }
}`)
	p.Files = func(string) FileKind { return FileAbsent }
	for target, status := range map[string]int{"/a": 204, "/b": 444, "/c": 444, "/d": 200, "/e": 201} {
		if tr := p.Do(0, get("h", target)); tr.Status != status {
			t.Errorf("%s: %d, want %d", target, tr.Status, status)
		}
	}
}

package pipeline

import (
	"strings"
	"testing"
)

// TestUnfollowed: what is not followed is said, and nothing is guessed of it.
func TestUnfollowed(t *testing.T) {
	for _, c := range []struct {
		conf, method, target string
		ends                 End
		status               int
		said                 string
	}{
		{`server { location / { dav_methods PUT delete; } }`, "PUT", "/a.txt", EndContent, 0, "what PUT answers hangs on the files"},
		{`server { dav_methods PUT DELETE; location / { root /a; } }`, "DELETE", "/a/", EndContent, 0, "what DELETE answers hangs on the files"},
		{`server { dav_methods off; location / { root /a; } }`, "PUT", "/a.txt", EndContent, 405, ""},
		{`server { dav_methods PUT; location / { root /a; } }`, "DELETE", "/a.txt", EndContent, 405, ""},
		{`server { location / { flv; } }`, "GET", "/a.flv", EndContent, 0, ""},
		{`server { location / { flv; dav_methods PUT; } }`, "PUT", "/a.flv", EndContent, 405, ""},
		{`server { location / { mp4; } }`, "POST", "/d/", EndContent, 405, ""},
		{`server { location / { mp4; } location = /d/index.html { return 204; } }`, "GET", "/d/", EndReturn, 204, "index.html is taken to exist"},
		{`server { location / { random_index on; } }`, "GET", "/", EndUnknown, 0, "random_index in location / goes to any file"},
		{`server { location / { random_index on; } }`, "PUT", "/", EndContent, 405, ""},
		{`server { location / { return 204; post_action /done; } }`, "GET", "/", EndReturn, 204, "post_action /done in location /"},
		{`server { post_action /done; location / { return 204; post_action off; } }`, "GET", "/", EndReturn, 204, ""},
		{`server { error_page 502 /down; location / { proxy_pass http://127.0.0.1:1; proxy_intercept_errors on; } }`, "GET", "/", EndContent, 0, "proxy_intercept_errors in location /: what the upstream answers is not known"},
		{`server { error_page 502 /down; location / { proxy_pass http://127.0.0.1:1; } }`, "GET", "/", EndContent, 0, ""},
	} {
		req := get("h", c.target)
		req.Method = c.method
		tr := pipelineOfText(t, c.conf).Do(0, req)
		said := strings.Join(tr.Assumptions, "\n")
		if tr.EndsIn != c.ends || tr.Status != c.status || !strings.Contains(said, c.said) || c.said == "" && said != "" {
			t.Errorf("%s %s: ends in %s, %d, %q", c.method, c.conf, tr.EndsIn, tr.Status, tr.Assumptions)
		}
	}
}

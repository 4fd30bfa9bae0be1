package pipeline

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
)

// withinCases are what nginx asks for within an answer. A zone lets one request in a minute pass, so that of two requests one
// is limited, if something of them is counted: in the location itself, or in the one that it asks for.
var withinCases = []struct {
	locations string
	counted   bool   // of each request something is counted by limit_req
	said      string // what explain says of it; "" where it follows all, or nothing can come of it
}{
	{`location /a { add_before_body /in; return 200 x; }`, true, "add_before_body /in in location /a"},
	{`location /a { add_after_body /in; empty_gif; }`, true, "add_after_body /in in location /a"},
	{`location /a { add_after_body /in; limit_req zone=own burst=9 nodelay; empty_gif; }`, false, ""},
	{`location /a { add_after_body /in; limit_req zone=none; empty_gif; }`, true, "add_after_body /in in location /a"},
	{`location /a { add_before_body /in; return 404; }`, false, ""},
	{`location /a { ssi on; return 200 "<!--# include virtual=\"/in\" -->"; }`, true, "ssi in location /a"},
	{`location /a { ssi on; limit_req zone=own burst=9 nodelay; try_files /page =404; }`, false, ""},
	{`location /a { mirror /in; empty_gif; }`, true, ""},
	{`location /a { mirror /in; limit_req zone=own burst=9 nodelay; empty_gif; }`, false, ""},
	{`location /a { auth_request /in; empty_gif; }`, true, ""},
	{`location /a { auth_request /in; limit_req zone=own burst=9 nodelay; empty_gif; }`, false, ""},
	{`location /a { slice 1k; proxy_set_header Range $slice_range; try_files /page =404; }`, false, ""},
}

const withinZones = `limit_req_zone $server_name zone=z:1m rate=1r/m; limit_req_zone $server_name zone=own:1m rate=1000r/s; limit_req_zone $arg_none zone=none:1m rate=1r/m;
addition_types *; ssi_types *;
`

func withinServer(i int, listen string) string {
	return fmt.Sprintf("server { listen %s; server_name s%d; location /in { limit_req zone=z; empty_gif; } %s }\n", listen, i, withinCases[i].locations)
}

// TestWithin: what may be counted within an answer is followed, or said not to be.
func TestWithin(t *testing.T) {
	for i, c := range withinCases {
		p := pipelineOfText(t, withinZones+withinServer(i, "80"))
		var said []string
		ran := false
		for range 2 {
			tr := p.Do(1_000_000, get(fmt.Sprintf("s%d", i), "/a"))
			said, ran = tr.Assumptions, ran || tr.Zone != nil && tr.Zone.Name == "z"
		}
		text := strings.Join(said, "\n")
		if !strings.Contains(text, c.said) || c.said == "" && strings.Contains(text, "not followed") {
			t.Errorf("%s: said %q", c.locations, said)
		}
		if followed := c.counted && c.said == ""; ran != followed {
			t.Errorf("%s: the inner limit decided: %v", c.locations, ran)
		}
	}
}

// TestLiveWithin asks nginx which of them its limiter counts.
func TestLiveWithin(t *testing.T) {
	nginxtest.Binary(t)
	port := nginxtest.Port(t)
	var b strings.Builder
	for i := range withinCases {
		b.WriteString(withinServer(i, fmt.Sprintf("127.0.0.1:%d", port)))
	}
	s := nginxtest.Start(t, nginxtest.Bare(withinZones+b.String()), port, nil)
	if err := os.Mkdir(filepath.Join(s.Prefix, "html"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.Prefix, "html", "page"), []byte(`<!--# include virtual="/in" -->`), 0o600); err != nil {
		t.Fatal(err)
	}
	client := nginxtest.NewClient(t, port)
	for i := range withinCases {
		for range 2 {
			client.Send(t, fmt.Sprintf("GET /a HTTP/1.0\r\nHost: s%d", i))
		}
	}
	for i, c := range withinCases {
		counted := func() bool {
			for line := range strings.Lines(s.ErrorLog(t)) {
				if strings.Contains(line, `by zone "z"`) && strings.Contains(line, fmt.Sprintf("server: s%d,", i)) {
					return true
				}
			}
			return false
		}
		for end := time.Now().Add(10 * time.Second); c.counted && !counted() && time.Now().Before(end); { // a copy may come late
			time.Sleep(5 * time.Millisecond)
		}
		if got := counted(); got != c.counted {
			t.Errorf("%s: counted %v", c.locations, got)
		}
	}
}

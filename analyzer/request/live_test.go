package request_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
	"github.com/ngxlimit/ngxlimit/analyzer/request"
)

// pieces are what random targets are made of.
var pieces = []string{
	"/", "/", "/", "//", ".", "..", "/.", "/..", "/../", "/./", "a", "b", "A", "%61", "%2f", "%2F", "%2e", "%2E%2e", "%3f", "%23", "%25", "%00",
	"%0a", "%", "%4", "%zz", "%C3%A9", "?", "&", "=", "#", "+", ";", ":", "@", "~", "\\", "\xff", "\x01", "\x7f", "\"", "http://", "h.example", "[::1]", ":80",
}

func target(r *rand.Rand) string {
	var b strings.Builder
	if r.IntN(10) > 0 {
		b.WriteString("/")
	}
	for n := r.IntN(9); n > 0; n-- {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

// TestLiveNormalize asks nginx what it makes of random targets.
func TestLiveNormalize(t *testing.T) {
	merged, unmerged := nginxtest.Port(t), nginxtest.Port(t)
	conf := "events {}\npid nginx.pid;\nhttp {\naccess_log off;\n"
	for _, p := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		conf += p + "_temp_path " + p + ";\n"
	}
	conf += fmt.Sprintf("server { listen 127.0.0.1:%d; return 200 \"$request_uri\n$args\n$uri\"; }\n", merged)
	conf += fmt.Sprintf("server { listen 127.0.0.1:%d; merge_slashes off; return 200 \"$request_uri\n$args\n$uri\"; }\n}\n", unmerged)
	nginxtest.Start(t, conf, merged, nil)
	clients := map[bool]*nginxtest.Client{true: nginxtest.NewClient(t, merged), false: nginxtest.NewClient(t, unmerged)}
	r := nginxtest.Random(t)
	accepted := 0
	for range nginxtest.CasesUntil(t, 500, func() bool { return accepted > 0 }) {
		s := target(r)
		if strings.TrimLeft(s, " ") == "" {
			continue
		}
		for merge, client := range clients {
			got, err := request.ParseTarget(s, merge)
			want := client.Send(t, "GET "+s+" HTTP/1.1\r\nHost: h.example")
			if want.Status != 200 {
				host := true
				if got.Absolute {
					_, host = request.ParseHost(got.Host)
				}
				if err == nil && host {
					t.Errorf("%q merged %v: taken as %q, nginx answers %d", s, merge, got.URI, want.Status)
				}
				continue
			}
			accepted++
			if text := got.Unparsed + "\n" + got.Args + "\n" + got.URI; err != nil || text != want.Body {
				t.Errorf("%q merged %v: %q, %v, nginx %q", s, merge, text, err, want.Body)
			}
		}
	}
	if accepted == 0 {
		t.Error("nginx took none of the targets")
	}
}

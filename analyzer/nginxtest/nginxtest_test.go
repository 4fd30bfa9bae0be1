package nginxtest_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
)

func TestStartAndClock(t *testing.T) {
	nginxtest.Binary(t)
	clock := nginxtest.NewClock(t, 10_000_000)
	port := nginxtest.Port(t)
	nginxtest.Start(t, fmt.Sprintf(`
pid nginx.pid;
events {}
http {
    access_log off;
    server {
        listen 127.0.0.1:%d;
        location / { return 200 $msec; }
    }
}`, port), port, clock)
	for _, ms := range []int64{10_000_000, 10_000_001, 10_090_500, 9_999_999} {
		clock.Set(t, ms)
		r, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d/", port))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r.Body)
		_ = r.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("%d.%03d", ms/1000, ms%1000); string(body) != want {
			t.Errorf("at %d ms nginx says %q, not %q", ms, body, want)
		}
	}
}

func TestCheck(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "nginx.conf")
	for text, want := range map[string]nginxtest.Verdict{
		"events {}\n":             {Accepted: true},
		"events {}\nhttp {\n}\n}": {Message: `unexpected "}"`, File: path, Line: 5},
		"events {}\nhttp { limit_req_zone $uri zone=a:1m rate=1r/s; server { limit_req zone=b; } }": {Message: `zero size shared memory zone "b"`},
	} {
		if err := os.WriteFile(path, []byte("pid nginx.pid;\n"+text), 0o600); err != nil {
			t.Fatal(err)
		}
		got := nginxtest.Check(t, dir, path)
		got.Output = "" // told apart by what was read from it
		if got != want {
			t.Errorf("%q:\n got %+v\nwant %+v", text, got, want)
		}
	}
}

// Ports of one test are all different: each is kept until the test ends.
func TestPort(t *testing.T) {
	seen := map[int]bool{}
	for range 300 {
		if port := nginxtest.Port(t); seen[port] {
			t.Fatalf("%d was given out twice", port)
		} else {
			seen[port] = true
		}
	}
}

package replay

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/load"
	"github.com/ngxlimit/ngxlimit/analyzer/route"
	"github.com/ngxlimit/ngxlimit/model/accesslog"
)

// trees are those of texts that were read before.
var trees = map[string]*config.Tree{}

func treeOf(t testing.TB, text string) *config.Tree {
	t.Helper()
	if tree := trees[text]; tree != nil {
		return tree
	}
	path := filepath.Join(t.TempDir(), "nginx.conf")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	inputs, err := load.Load([]string{path}, load.Options{})
	if err != nil || len(inputs) != 1 {
		t.Fatalf("%d configurations, %v", len(inputs), err)
	}
	trees[text] = config.Resolve(inputs[0], config.Options{})
	return trees[text]
}

// day writes a log of n lines as JSON: clients by a law of few that do much, pages as fans, and the rest one by one.
// Lines stand in the order in which requests ended.
func day(n int) string {
	r := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(r, 1.1, 20, 100_000)
	var b strings.Builder
	at := int64(1772409600000)
	for left := n; left > 0; {
		client := zipf.Uint64()
		fan := min(1+r.IntN(20), left)
		page := r.IntN(400)
		for i := range fan {
			rt := r.IntN(100)
			path := fmt.Sprintf("/desk/%d", page)
			switch {
			case i%3 == 1:
				path = fmt.Sprintf("/static/app.%d.js", page*10+i)
			case i > 0:
				path = fmt.Sprintf("/api/v2/orders/%d?page=%d", i, r.IntN(1000))
			}
			at += int64(r.IntN(9))
			fmt.Fprintf(&b, `{"time":"%s","msec":%d.%03d,"ip":"%d.%d.%d.%d","request":"GET %s HTTP/1.1","status":200,"rt":0.%03d,"urt":"0.%03d","limit":"PASSED"}`+"\n",
				"2026-03-02T00:00:00+00:00", at/1000, at%1000, 11+client%200, client*7%251, client/251%250, client%241, path, rt, rt)
		}
		left -= fan
	}
	return b.String()
}

const portal = `
events {}
http {
    limit_req_zone $binary_remote_addr zone=login:10m rate=10r/m;
    limit_req_zone $binary_remote_addr zone=api:20m rate=30r/s;
    limit_req_zone $server_name zone=total:10m rate=3000r/s;
    server {
        listen 80;
        server_name portal.example;
        location = /api/login { limit_req zone=login burst=5 nodelay; proxy_pass http://127.0.0.1:1; }
        location /api/ { limit_req zone=api burst=60 nodelay; limit_req zone=total burst=120 nodelay; proxy_pass http://127.0.0.1:1; }
        location / { proxy_pass http://127.0.0.1:1; }
    }
}`

// sourceOf is a log in memory.
func sourceOf(t testing.TB, name, text string, format accesslog.Format) Source {
	t.Helper()
	r, err := accesslog.NewReader(format, accesslog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return Source{Name: name, Reader: r, Open: func() (io.Reader, func(), error) { return strings.NewReader(text), func() {}, nil }}
}

func BenchmarkReplay(b *testing.B) {
	text := day(200_000)
	tree := treeOf(b, portal)
	router := route.New(tree)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r, err := Run(tree, router, []Source{sourceOf(b, "day", text, accesslog.JSON)}, Options{Workers: runtime.GOMAXPROCS(0)})
		if err != nil || r.Requests != 200_000 {
			b.Fatal(r, err)
		}
	}
}

package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"
)

func TestMain(m *testing.M) { ptest.Main(m) }

// built is ngxlimit as it is in this repository.
func built(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ngxlimit")
	cmd := exec.Command("go", "build", "-o", path, "./cmd/ngxlimit")
	cmd.Dir = filepath.Join("..", "..")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build ngxlimit: %v\n%s", err, out)
	}
	return path
}

const config = `
events {}
http {
    limit_req_zone $binary_remote_addr zone=ip:1m rate=10r/s;
    server {
        listen 80;
        server_name portal.example;
        location / { limit_req zone=ip burst=10; proxy_pass http://127.0.0.1:1; }
    }
}
`

// fleet writes the logs of some hosts, two each.
func fleet(t *testing.T, dir string, hosts int) {
	t.Helper()
	draw := rand.New(rand.NewPCG(1, 2))
	for host := range hosts {
		at := int64(1772438400000)
		for _, name := range []string{"access.log.1", "access.log"} {
			var b strings.Builder
			for range 2000 {
				at += draw.Int64N(60)
				fmt.Fprintf(&b, `{"msec":%d.%03d,"ip":"203.0.113.%d","request":"GET /p%d HTTP/1.1","status":200,"rt":0.010,"urt":"0.010","limit":"PASSED"}`+"\n",
					at/1000, at%1000, draw.IntN(4), draw.IntN(9))
			}
			path := filepath.Join(dir, fmt.Sprintf("web%d", host), name)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// The pipeline's report is that of one run over all logs, byte for byte.
func TestPipelineIsOneRun(t *testing.T) {
	ngxlimit, dir := built(t), t.TempDir()
	fleet(t, dir, 5)
	conf := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(conf, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	const nginx = `([^/]+)/[^/]+$`
	logs, err := filepath.Glob(filepath.Join(dir, "*", "access.log*"))
	if err != nil || len(logs) != 10 {
		t.Fatalf("%d logs, %v", len(logs), err)
	}
	for _, format := range []string{"text", "json", "html"} {
		want, err := exec.Command(ngxlimit, append([]string{"replay", conf, "--nginx", nginx, "--format", format}, logs...)...).Output()
		if err != nil {
			t.Fatal(err)
		}
		output := filepath.Join(dir, "report."+format)
		if err := run(t.Context(), ngxlimit, conf, filepath.Join(dir, "*", "access.log*"), nginx, format, output); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(output)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("%s: the pipeline's report\n%s\nand that of one run\n%s", format, got, want)
		}
		if len(want) < 500 || !strings.Contains(string(want), "web4") {
			t.Errorf("%s: a report of nothing:\n%s", format, want)
		}
	}
}

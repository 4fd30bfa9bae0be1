package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
)

// clickhouseConf is a configuration that decides as the rows of the example say.
const clickhouseConf = `
events {}
http {
    limit_req_zone $binary_remote_addr zone=ip:1m rate=1r/s;
    server {
        listen 80;
        server_name portal.example;
        location / { limit_req zone=ip burst=1 nodelay; proxy_pass http://127.0.0.1:1; }
    }
}`

// TestClickHouse runs the example's query on ClickHouse's own engine, of which the npm package chdb is one: NGXLIMIT_CHDB names
// its folder.
func TestClickHouse(t *testing.T) {
	chdb := os.Getenv("NGXLIMIT_CHDB")
	if chdb == "" {
		t.Skip("NGXLIMIT_CHDB names no folder of the npm package chdb")
	}
	dir := t.TempDir()
	conf, tool := filepath.Join(dir, "nginx.conf"), filepath.Join(dir, "ngxlimit")
	if err := os.WriteFile(conf, []byte(clickhouseConf), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "build", "-o", tool, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	example := filepath.Join(nginxtest.Root(t), "examples", "clickhouse")
	cmd := exec.Command("bash", filepath.Join(example, "replay.sh"), conf, "web1", "web2")
	cmd.Env = append(os.Environ(), "NGXLIMIT="+tool, "CLICKHOUSE="+filepath.Join(example, "embedded.cjs"), "CHDB="+chdb, "CHDB_TABLES="+filepath.Join(example, "table.sql"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"5 requests of 2 logs, 5 lines", "5 of 5 logged decisions are the same", "2026-03-02 07:59:59.999 to 2026-03-02 08:00:00.200 UTC"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

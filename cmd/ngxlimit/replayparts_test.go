package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const partConf = `
events {}
http {
    limit_req_zone $binary_remote_addr zone=ip:1m rate=5r/s;
    limit_req_zone $server_name zone=all:1m rate=30r/s;
    limit_conn_zone $binary_remote_addr zone=conns:1m;
    server {
        listen 80;
        server_name portal.example;
        location / { limit_req zone=ip burst=5; limit_req zone=all burst=40 nodelay; proxy_pass http://127.0.0.1:1; }
        location /api/ { limit_req zone=ip burst=3 nodelay; limit_conn conns 3; proxy_pass http://127.0.0.1:1; }
        location /open/ { proxy_pass http://127.0.0.1:1; }
    }
}`

// ran runs a command and returns its exit status, and what it wrote.
func ran(args ...string) string {
	var out bytes.Buffer
	status := Main(args, strings.NewReader(""), &out, io.Discard)
	return fmt.Sprintf("status %d\n%s", status, out.String())
}

// drawLog is a log of one nginx, with what logs have: lines of one time, times that go back, seconds, cut and foreign lines.
func drawLog(t *rapid.T, at int64) string {
	var b strings.Builder
	whole := rapid.IntRange(0, 4).Draw(t, "whole seconds") == 0
	for range rapid.IntRange(1, 80).Draw(t, "lines") {
		at += rapid.SampledFrom([]int64{0, 0, 0, 1, 7, 7, 300, 1700, 61_000, -2, -500}).Draw(t, "step")
		time := fmt.Sprintf("%d.%03d", at/1000, at%1000)
		if whole {
			time = fmt.Sprint(at / 1000)
		}
		switch rapid.IntRange(0, 60).Draw(t, "kind of line") {
		case 0:
			b.WriteString("{\"msec\":17\n")
		case 1:
			b.WriteString("hello \xff\n")
		default:
			rt := rapid.SampledFrom([]int64{0, 0, 20, 900, 70_000}).Draw(t, "took")
			fmt.Fprintf(&b, `{"msec":%s,"ip":"203.0.113.%d","request":"GET %s HTTP/1.1","status":200,"rt":%d.%03d,"urt":"0.010","limit":"%s","ua":"a%d"}`+"\n",
				time, rapid.IntRange(0, 3).Draw(t, "client"), rapid.SampledFrom([]string{"/", "/a.css", "/api/x?y=1", "/open/<b>", "/\u00fc\xff", "/health"}).Draw(t, "target"),
				rt/1000, rt%1000, rapid.SampledFrom([]string{"", "PASSED", "DELAYED", "REJECTED"}).Draw(t, "limit"), rapid.IntRange(0, 9).Draw(t, "agent"))
		}
	}
	return b.String()
}

// However the logs of several nginx hosts are spread over parts, and in whatever order these are merged, the report is that of
// one run, in every format.
func TestPartsAreOneRun(t *testing.T) {
	dir := t.TempDir()
	conf := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(conf, []byte(partConf), 0o600); err != nil {
		t.Fatal(err)
	}
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		var all []string
		parts := make([][]string, rapid.IntRange(1, 4).Draw(t, "parts"))
		for host := range rapid.IntRange(1, 6).Draw(t, "hosts") {
			to := rapid.IntRange(0, len(parts)-1).Draw(t, "part")
			for i := range rapid.IntRange(1, 3).Draw(t, "logs") {
				path := filepath.Join(dir, fmt.Sprintf("%d-h%d-%d.log", n, host, i))
				text := drawLog(t, 1772438400000+rapid.Int64Range(0, 3).Draw(t, "begins")*500)
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatalf("%v", err)
				}
				all, parts[to] = append(all, path), append(parts[to], path)
			}
		}
		flags := []string{"--nginx", `-(h\d+)-`, "--log-format", "json"}
		if rapid.Bool().Draw(t, "redact") {
			flags = append(flags, "--redact", "--redact-salt", "s")
		}
		if rapid.IntRange(0, 3).Draw(t, "bounded") == 0 {
			flags = append(flags, "--from", "1772438400.3", "--to", "1772438470")
		}
		var files []string
		for i, logs := range parts {
			if len(logs) == 0 {
				continue
			}
			file := filepath.Join(dir, fmt.Sprintf("%d-%d.part", n, i))
			ran(slices.Concat([]string{"replay", conf}, logs, flags, []string{"--partial", file})...)
			files = append(files, file)
		}
		files = rapid.Permutation(files).Draw(t, "order of files")
		all = rapid.Permutation(all).Draw(t, "order of logs")
		format := rapid.SampledFrom([]string{"text", "json", "html"}).Draw(t, "format")
		want := ran(slices.Concat([]string{"replay", conf}, sameOrder(all, parts), flags, []string{"--format", format})...)
		got := ran(slices.Concat([]string{"replay", "--merge"}, files, []string{"--format", format})...)
		if got != want {
			t.Fatalf("%s: merged\n%s\nand of one run\n%s", format, got, want)
		}
	})
}

// sameOrder lets the logs of one part keep their order: where lines of one nginx have one time, the log named first goes first.
func sameOrder(all []string, parts [][]string) []string {
	var out []string
	next := make([]int, len(parts))
	for _, log := range all {
		i := slices.IndexFunc(parts, func(p []string) bool { return slices.Contains(p, log) })
		out = append(out, parts[i][next[i]])
		next[i]++
	}
	return out
}

//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
)

// BenchmarkCheck measures check as a whole process. Per run: the time of all processors, and the most memory that was
// resident, as a multiple of the input. docs/performance.md has the numbers.
func BenchmarkCheck(b *testing.B) {
	b.Run("small", func(b *testing.B) {
		path := filepath.Join(nginxtest.Root(b), "fixtures", "trustline", "before.dump")
		measure(b, sizeOf(b, path), "ngxlimit", "check", path)
	})
	for _, size := range []struct{ servers, upstreams int }{{1000, 1000}, {10_000, 10_000}, {10_000, 50}} {
		tree := writeTree(b, size.servers, size.upstreams)
		name := fmt.Sprintf("servers=%d/upstreams=%d", size.servers, size.upstreams)
		dump := filepath.Join(tree, "dump.txt")
		for _, c := range []struct{ name, path, format string }{
			{"dump/text", dump, "text"},
			{"dump/json", dump, "json"},
			{"dump/sarif", dump, "sarif"},
			{"tree/json", filepath.Join(tree, "nginx.conf"), "json"},
		} {
			b.Run(name+"/"+c.name, func(b *testing.B) {
				measure(b, sizeOf(b, dump), "ngxlimit", "check", "--format", c.format, c.path)
			})
		}
		b.Run(name+"/nginx-t", func(b *testing.B) {
			measure(b, sizeOf(b, dump), nginxtest.Binary(b), "-t", "-p", tree+"/", "-c", "nginx.conf")
		})
	}
}

func measure(b *testing.B, input int64, name string, args ...string) {
	b.Helper()
	b.SetBytes(input)
	var cpu, peak float64
	for b.Loop() {
		cmd := exec.Command(name, args...)
		if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() != exitFound {
			b.Fatal(err)
		}
		cpu += (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
		if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
			peak = max(peak, float64(usage.Maxrss))
		}
	}
	if runtime.GOOS != "darwin" {
		peak *= 1024 // there alone it is in bytes
	}
	b.ReportMetric(cpu*1000/float64(b.N), "cpu-ms/op")
	b.ReportMetric(peak/1e6, "peak-MB")
	b.ReportMetric(peak/float64(input), "peak/input")
}

func sizeOf(b *testing.B, path string) int64 {
	b.Helper()
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	return info.Size()
}

// writeTree writes a configuration of n servers, a file each, as a host of many tenants has it, and the dump of it. nginx looks
// each upstream up among all of them: where each server has one, its own test takes a time that is quadratic, and where they
// share some, as behind a balancer, it does not.
func writeTree(b *testing.B, n, upstreams int) string {
	b.Helper()
	folder := b.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "conf.d"), 0o700); err != nil {
		b.Fatal(err)
	}
	var dump strings.Builder
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
		fmt.Fprintf(&dump, "# configuration file /etc/nginx/%s:\n%s\n", name, text)
	}
	write("nginx.conf", mainFile)
	for i := range n {
		write(fmt.Sprintf("conf.d/s%05d.conf", i), tenant(i, upstreams))
	}
	if err := os.WriteFile(filepath.Join(folder, "dump.txt"), []byte(dump.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	return folder
}

// mainFile sets what nginx needs to take so many names, and keeps it away from the machine's own files.
var mainFile = func() string {
	var s strings.Builder
	s.WriteString("pid nginx.pid;\nerror_log error.log notice;\nevents { }\nhttp {\n    access_log off;\n")
	s.WriteString("    server_names_hash_max_size 65536;\n    server_names_hash_bucket_size 128;\n")
	s.WriteString("    limit_conn_zone $binary_remote_addr zone=conns:1m;\n")
	for i := range 40 {
		fmt.Fprintf(&s, "    limit_req_zone $binary_remote_addr zone=z%d:1m rate=%dr/s;\n", i, 5*(i+1))
	}
	s.WriteString("    set_real_ip_from 172.16.0.0/12;\n    real_ip_header X-Forwarded-For;\n    include conf.d/*.conf;\n}\n")
	return s.String()
}()

// tenant is one server with a dozen locations, and with its upstream where it is the first to have it; hardly two have the
// same limits.
func tenant(i, upstreams int) string {
	app := i % upstreams
	limit := func(k, least int) string {
		return fmt.Sprintf("limit_req zone=z%d burst=%d%s;", (i*7+k)%40, least+(i*3+k)%75, []string{"", " nodelay", " delay=4"}[(i+k)%3])
	}
	var s strings.Builder
	if app == i {
		fmt.Fprintf(&s, "upstream app%d {\n    server 127.0.%d.%d:9000 max_fails=2;\n    server 127.1.0.1:9000 backup;\n    keepalive 16;\n}\n", app, i/250%250, i%250)
	}
	fmt.Fprintf(&s, "server {\n    listen unix:ngxlimit-bench.sock;\n    server_name site%d.example.com www.site%d.example.com;\n", i, i)
	fmt.Fprintf(&s, "    # tenant %d: limits agreed with the owner; see the runbook before a change\n    limit_req_status 429;\n    %s\n", i, limit(0, 5))
	fmt.Fprintf(&s, "    location = /api/auth/login {\n        limit_req zone=z%d burst=5 nodelay;\n        proxy_pass http://app%d;\n    }\n", i%40, app)
	fmt.Fprintf(&s, "    location /api/ {\n        %s\n        proxy_set_header X-Request-Start \"t=${msec}\";\n        proxy_pass http://app%d;\n", limit(1, 5), app)
	fmt.Fprintf(&s, "        location /api/export/ {\n            limit_conn conns 4;\n            proxy_pass http://app%d;\n        }\n    }\n", app)
	for k := range 6 {
		fmt.Fprintf(&s, "    location ^~ /assets/%d/ {\n        alias /srv/site%d/assets/%d/;\n        expires 7d;\n    }\n", k, i, k)
	}
	fmt.Fprintf(&s, "    location ~ \\.php$ {\n        %s\n        fastcgi_pass 127.0.0.1:9001;\n    }\n", limit(2, 10))
	s.WriteString("    location ~* ^/media/(?<kind>[a-z]+)/.*\\.(?:jpe?g|png|webp)$ {\n        expires 30d;\n        add_header X-Kind \"k:$kind; \\\"quoted\\\"\";\n    }\n")
	fmt.Fprintf(&s, "    location / {\n        proxy_pass http://app%d;\n    }\n}\n", app)
	return s.String()
}

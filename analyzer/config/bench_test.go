package config

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/load"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
)

// manyServers writes a configuration of n servers as a host of many tenants has it: a dozen locations each, regular
// expressions, limits of their own, an upstream each.
func manyServers(n int) string {
	var b strings.Builder
	b.WriteString("events {}\nhttp {\n    access_log off;\n    limit_conn_zone $binary_remote_addr zone=conns:1m;\n")
	for i := range 40 {
		fmt.Fprintf(&b, "    limit_req_zone $binary_remote_addr zone=z%d:1m rate=%dr/s;\n", i, i+1)
	}
	for i := range n {
		fmt.Fprintf(&b, "    upstream app%d {\n        server 127.0.0.1:9000 max_fails=2;\n        server 127.0.0.2:9000 backup;\n        keepalive 16;\n    }\n", i)
		fmt.Fprintf(&b, "    server {\n        listen 80;\n        server_name site%d.example.com www.site%d.example.com;\n", i, i)
		fmt.Fprintf(&b, "        limit_req_status 429;\n        limit_req zone=z%d burst=71;\n", i%40)
		fmt.Fprintf(&b, "        location = /api/auth/login {\n            limit_req zone=z%d burst=5 nodelay;\n            proxy_pass http://app%d;\n        }\n", (i+1)%40, i)
		fmt.Fprintf(&b, "        location /api/ {\n            limit_req zone=z%d burst=9 delay=4;\n            proxy_set_header X-Request-Start \"t=${msec}\";\n            proxy_pass http://app%d;\n            location /api/export/ {\n                limit_conn conns 4;\n                proxy_pass http://app%d;\n            }\n        }\n", (i+2)%40, i, i)
		for k := range 6 {
			fmt.Fprintf(&b, "        location ^~ /assets/%d/ {\n            alias /srv/site%d/assets/%d/;\n            expires 7d;\n        }\n", k, i, k)
		}
		b.WriteString("        location ~ \\.php$ {\n            fastcgi_pass 127.0.0.1:9001;\n        }\n")
		b.WriteString("        location ~* ^/media/(?<kind>[a-z]+)/.*\\.(?:jpe?g|png|webp)$ {\n            expires 30d;\n            add_header X-Kind \"k:$kind\";\n        }\n")
		fmt.Fprintf(&b, "        location / {\n            proxy_pass http://app%d;\n        }\n    }\n", i)
	}
	b.WriteString("}\n")
	return b.String()
}

func BenchmarkResolve(b *testing.B) {
	file := &source.File{Path: "nginx.conf", Text: manyServers(10_000)}
	doc := syntax.Parse(file)
	in := &load.Input{Path: file.Path, Kind: load.Tree, Main: doc, Documents: []*syntax.Document{doc}}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var tree *Tree
	b.SetBytes(int64(len(file.Text)))
	b.ReportAllocs()
	for b.Loop() {
		tree = Resolve(in, Options{})
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(int64(after.HeapAlloc)-int64(before.HeapAlloc))/float64(len(file.Text)), "kept/input")
	for _, r := range tree.Refusals {
		if !r.Warning {
			b.Fatal(r.Text)
		}
	}
}
